# json.awk reads the task that chargehand writes to a worker's stdin, and quotes text for the
# answer. Any awk will do; run it with LC_ALL=C, so that lengths and offsets are in bytes.
#
# parse(text, at, into) fills into[] with every scalar of a JSON text, by its path behind at:
# into["inputRefs.1.name"], lists counted from 1. into[path ".n"] is the length of a list.

{ stdin = stdin $0 }

function parse(text, at, into,    parts, n, i, word, more) {
    begin(at)
    # Split at quotes: outside and inside take turns. A quote behind an odd number of backslashes
    # is part of the text.
    n = split(text, parts, "\"")
    outside(parts[1], into)
    for (i = 2; i <= n; i++) {
        word = ""
        more = parts[i]
        while (i < n && escaped(parts[i])) {
            more = more "\"" parts[++i]
            if (length(more) > 4096) { # so that long texts are not copied for each quote in them
                word = word more
                more = ""
            }
        }
        string(unescape(word more), into)
        outside(parts[++i], into)
    }
}

function begin(at) {
    delete kind
    depth = 0
    path[1] = at
    pending = ""
    ready = 0
}

# outside takes what stands between two strings: brackets, commas, colons, numbers and words.
function outside(text, into,    i, c) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "{" || c == "[") {
            open(c, into)
        } else if (c == "}" || c == "]") {
            flush(into)
            depth--
        } else if (c == ",") {
            flush(into)
            ready = 0
        } else if (c == ":") {
            ready = 1
        } else if (c != " " && c != "\t" && c != "\r" && c != "\n") {
            if (pending == "" && kind[depth] == "[") element(into)
            pending = pending c
        }
    }
}

function open(c, into) {
    if (kind[depth] == "[") element(into)
    if (depth > 0) path[depth + 1] = here() "."
    depth++
    kind[depth] = c
    count[depth] = 0
    ready = 0
}

# here is the path of the value that comes next.
function here() { return path[depth] name[depth] }

function element(into) {
    name[depth] = ++count[depth]
    into[path[depth] "n"] = count[depth]
}

function string(s, into) {
    if (kind[depth] == "{" && !ready) {
        name[depth] = s
        return
    }
    if (kind[depth] == "[") element(into)
    into[here()] = s
}

function flush(into) {
    if (pending != "") into[here()] = pending
    pending = ""
}

function escaped(s,    n) {
    for (n = 0; n < length(s) && substr(s, length(s) - n, 1) == "\\"; n++)
        ;
    return n % 2
}

function unescape(s,    parts, n, i, all, out, c, code) {
    if (!index(s, "\\")) return s
    n = split(s, parts, "\\")
    out = parts[1]
    for (i = 2; i <= n; i++) {
        if (length(out) > 4096) {
            all = all out
            out = ""
        }
        c = substr(parts[i], 1, 1)
        if (parts[i] == "") {
            out = out "\\" parts[++i]
        } else if (c == "u") {
            code = hex(substr(parts[i], 2, 4))
            if (code >= 55296 && code < 56320 && length(parts[i]) == 5 && substr(parts[i + 1], 1, 1) == "u") {
                code = 65536 + (code - 55296) * 1024 + hex(substr(parts[i + 1], 2, 4)) - 56320
                i++
            }
            out = out utf8(code) substr(parts[i], 6)
        } else {
            if (c == "n") c = "\n"
            else if (c == "t") c = "\t"
            else if (c == "r") c = "\r"
            else if (c == "b") c = "\b"
            else if (c == "f") c = "\f"
            out = out c substr(parts[i], 2)
        }
    }
    return all out
}

function hex(s,    i, n) {
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1
    return n
}

function utf8(n) {
    if (n < 128) return sprintf("%c", n)
    if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
    if (n < 65536) return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
    return sprintf("%c%c%c%c", 240 + int(n / 262144), 128 + int(n / 4096) % 64, 128 + int(n / 64) % 64, 128 + n % 64)
}

BEGIN { for (i = 0; i < 32; i++) control[sprintf("%c", i)] = sprintf("\\u%04x", i) }

# quote is s as a JSON string.
function quote(s,    i, c, out) {
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "\"" || c == "\\") out = out "\\" c
        else if (c in control) out = out control[c]
        else out = out c
    }
    return "\"" out "\""
}
