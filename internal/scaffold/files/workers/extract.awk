# extract.awk finds facts in the document. The task names what to look for in requiredAspects; each
# is answered with the sentence that says it, word for word and with its place, or as absent with
# the search that found nothing. Take the # away from the line with EUR 5,000,000 to make it lie.

BEGIN {
    # For each aspect: what its line speaks of, and what the answer looks like.
    about["effective date"] = "effective"
    shape["effective date"] = "[0-9]+ [A-Z][a-z]+ [0-9][0-9][0-9][0-9]"
    about["notice period"] = "notice"
    shape["notice period"] = "[0-9]+ (days|months)"
    about["liability cap"] = "liability"
    shape["liability cap"] = "EUR [0-9][0-9,]*"
    about["insurance"] = "insur"
    shape["insurance"] = ".*"
}

END {
    parse(stdin, "", task)
    for (i = 1; i <= task["inputRefs.n"]; i++)
        if (task["inputRefs." i ".from"] == "") document = task["inputRefs." i ".text"]
    for (i = 1; i <= task["requiredAspects.n"]; i++)
        out = out (i > 1 ? ",\n" : "") finding(task["requiredAspects." i])
    print "{\"findings\": [\n" out "\n]}"
}

function finding(aspect,    n, lines, i, start, line, answer) {
    n = split(document, lines, "\n")
    start = 0
    for (i = 1; i <= n; i++) {
        line = lines[i]
        sub(/\r$/, "", line)
        if (aspect in about && tolower(line) ~ about[aspect] && match(line, shape[aspect])) {
            answer = substr(line, RSTART, RLENGTH)
            # if (aspect == "liability cap") answer = "EUR 5,000,000"
            return "{\"key\": " quote(aspect) ", \"present\": true, \"quote\": " quote(line) \
                ", \"start\": " start ", \"end\": " (start + length(line)) ", \"answer\": " quote(answer) "}"
        }
        start += length(lines[i]) + 1
    }
    return "{\"key\": " quote(aspect) ", \"present\": false, \"search\": {\"spans\": [{\"start\": 0, \"end\": " length(document) \
        "}], \"patterns\": [" quote("(?i)" (aspect in about ? about[aspect] : aspect)) "]}}"
}
