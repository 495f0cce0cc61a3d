# summarise.awk writes one sentence for each finding. It sees only outputs that were accepted: they
# come as inputs, each with the subtask it is from.

END {
    parse(stdin, "", task)
    for (i = 1; i <= task["inputRefs.n"]; i++)
        if (task["inputRefs." i ".from"] != "") summarise(task["inputRefs." i ".text"])
    print "{\"text\": " quote(text) ", \"facts\": " facts + 0 "}"
}

function summarise(output,    found, i, at) {
    delete found
    parse(output, "", found)
    for (i = 1; i <= found["findings.n"]; i++) {
        at = "findings." i
        facts++
        if (text != "") text = text " "
        if (found[at ".present"] == "true") text = text "The " found[at ".key"] " is " found[at ".answer"] "."
        else text = text "The " found[at ".key"] " is not in the document."
    }
}
