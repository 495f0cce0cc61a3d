#!/usr/bin/env python3
"""Verifies an evidence pack of Chargehand in seventy lines of Python, with the standard library and nothing else:

    verify-pack.py PACK.zip [KEY]

KEY is the log's public key (NAME+ID+BASE64) as you know it from elsewhere. Without it the pack's own key is taken, and
all that is shown is that the pack fits itself. The steps are those of README.txt in the pack; docs/audit.md tells them at length.
"""
import base64, bisect, hashlib, json, re, struct, sys, zlib
P, L, BASE, b64 = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493, b"X" + b"f" * 31, base64.b64decode
D, I, num, sha = -121665 * pow(121666, -1, P), pow(2, P // 4, P), lambda b: int.from_bytes(b, "little"), lambda b: hashlib.sha256(b).digest()

# Ed25519 (RFC 8032): the sum of two points, a multiple of one, a square root, a point from its 32 bytes, and whether a
# key signed a text.
def add(a, b):
    return (i := pow(1 - (t := D * a[0] * b[0] * a[1] * b[1])**2, -1, P)) * (a[0]*b[1] + b[0]*a[1]) * (1 - t) % P, i * (a[1]*b[1] + a[0]*b[0]) * (1 + t) % P
def mul(n, a): return add(mul(n // 2, add(a, a)), a if n % 2 else (0, 1)) if n else (0, 1)
def sqrt(xx): return [x for q in (1, -1, I, -I) for x in [pow(xx, P // 8 + 1, P) * q % P] if (x*x - xx) % P == 0]
def point(b): return [(x, y) for y in [num(b) % 2**255] for x in sqrt((y*y - 1) * pow(D*y*y + 1, -1, P)) if x % 2 == b[31] >> 7][0]
def signed(key, text, sig):
    minus = mul(-num(hashlib.sha512(sig[:32] + key + text).digest()) % (8 * L), point(key))
    return len(sig) == 64 and num(sig[32:]) < L and add(mul(num(sig[32:]), point(BASE)), minus) == point(sig[:32])

# A C2SP signed note: the lines of its text, and the note with the key's signature alone. The root of an RFC 6962 tree: where
# a subtree holds no record of the pack, the next line of the proof is its hash.
def opened(note):
    text, _, lines = note.decode().rpartition("\n\n")
    for s in [b64(line.rpartition(" ")[2]) for line in lines.splitlines() if line.startswith(f"— {name} ")]:
        if s[:4].hex() == ident and signed(key, text.encode() + b"\n", s[4:]):
            return text.split("\n"), f"{text}\n\n— {name} {base64.b64encode(s).decode()}\n".encode()
    sys.exit("refused: a note is not signed by the key")
def root(lo, hi):
    k, empty = 1 << (hi - lo - 1).bit_length() >> 1, bisect.bisect_left(at, lo) == bisect.bisect_left(at, hi)
    return proof.pop(0) if empty else sha(b"\1" + root(lo, lo + k) + root(lo + k, hi)) if k else leaf.pop(0)

# The zip file. Its members lie one after the other from its first byte, then the directory, then its end. The header of a member
# says what the directory says of it. A member is stored, or is one whole deflate stream. More than a pack holds is not read.
NAMES = re.compile(r"README\.txt|manifest\.(json|sig)|report\.html|records\.ndjson|leaves|proof|checkpoint|keys/(log|witness)\.pub|artifacts/[0-9a-f]{64}")
STREAMED = re.compile(r"README|report|artifacts/")
def need(ok, why): return ok or sys.exit(f"refused: {why}")
def fields(at, form): return file.seek(at) * 0 or struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))
def body(method, crc, packed, size, keep):
    inflate, sums, check, kept = zlib.decompressobj(-15), hashlib.sha256(), 0, []
    while packed and size >= 0 and not inflate.eof:
        raw = need(file.read(min(packed, 4096)), "it ends early")
        data = inflate.decompress(raw) if method else raw
        packed, size, check = packed - len(raw), size - len(data), zlib.crc32(data, check)
        sums.update(data)
        kept += [data] if keep else []
    need((packed, size, check) == (0, 0, crc) and (not method or inflate.eof and not inflate.unused_data), "a member is not what it says")
    return b"".join(kept), "sha256:" + sums.hexdigest()
def unzip(end):
    at, total, part, (mark, disks, n, count, length, entry, comment) = 0, 0, {}, fields(end, "4sL2H2LH")
    start = need((mark, disks, n, entry + length, comment) == (b"PK\5\6", 0, count, end, 0) and n < 65535, "it is no plain zip file") and entry
    for _ in range(n):
        mark, _, _, flags, method, _, _, *sums, long, extra, comment, disk, _, _, offset = fields(entry, "4s6H3L5H2L")
        path, packed, size, total, head = file.read(long), sums[1], sums[2], total + sums[2], fields(at, "4s5H3L2H")
        need((mark, extra, comment, disk, offset) == (b"PK\1\2", 0, 0, 0, at) and not flags & ~0x80e and method in (0, 8) and (method or packed == size), "its directory is not plain")
        need((head[0], *head[2:4], *head[9:], file.read(long)) == (b"PK\3\4", flags, method, long, 0, path), "a header and the directory differ")
        need([*head[6:9]] == sums or flags & 8 and not any(head[6:9]), "a header and the directory differ")
        need(NAMES.fullmatch(path.decode()) and path.decode() not in part, "it holds what no pack does")
        need((size <= 1 << 20 or size // 100 <= packed) and total < 1 << 32, "it claims to hold more than a pack does")
        need(size <= 1 << 26 or path == b"records.ndjson" or STREAMED.match(path.decode()), "it claims to hold more than a pack does")
        part[path.decode()] = *body(method, *sums, not STREAMED.match(path.decode())), size
        at, entry = at + 30 + long + packed, entry + 46 + long
        at += 16 if flags & 8 and need(fields(at, "4s3L") == (b"PK\7\10", *sums), "its members do not follow one another") else 0
    return need((at, entry) == (start, end), "its members do not follow one another") and part

# The pack. No name is in it twice. The manifest is signed and lists every other part; the records are those of the signed
# tree, numbered without a gap, as many as it says; the contents are those that the records name, without the removed ones.
file = open(sys.argv[1], "rb")
part = unzip(file.seek(-22, 2))
text, sums = {n: p[0] for n, p in part.items()}, {n: p[1] for n, p in part.items()}
name, ident, key = (sys.argv[2:] or [text["keys/log.pub"].decode()])[0].strip().split("+", 2)
m, key = json.loads(text["manifest.json"]), b64(key)[1:]
((origin, size, top, *_), _), (stated, alone) = opened(text["checkpoint"]), opened(text["manifest.sig"])
at, proof = [int(n) for n in text["leaves"].split()], [b64(h) for h in text["proof"].split()]
lines = text["records.ndjson"].split(b"\n")
need(not lines.pop() and all(59 <= len(line) <= 1 << 24 and sum(map(line.count, b",{[")) <= 1 << 19 for line in lines), "a line is no record")
records, leaf = map(list, zip(*[(r, b64(r["redacted"]) if [*r] == ["redacted"] else sha(b"\0" + line)) for line in lines for r in [json.loads(line)]]))
def reach(x, path): return [h for y in (x if isinstance(x, list) else [x]) for h in (reach(y.get(path[0], []), path[1:]) if path else [y])]
named = {"artifacts/" + h[7:]: h for r in records for path in """teamDigest objective.planRef objective.documents.hash ref draft.ref output verdictRef transcript stderr result decision.editRef
    review.outputRef review.verdictRef review.positions.outputRef review.positions.verdictRef""".split() for h in reach(r.get("data", {}), path.split(".")) if h[:7] == "sha256:"}
listed = {"artifacts/" + a["hash"][7:]: a["hash"] for a in m["artifacts"]}
manifest = stated == [m["format"], sums.pop("manifest.json")] and alone == text["manifest.sig"] and m["origin"] == origin and sums == {**m["files"], **listed, "manifest.sig": sums["manifest.sig"]}
in_order = len(at) == len(leaf) == m["records"] and all(i + 1 in [x.get("seq") for x in m["removed"]] if [*r] == ["redacted"] else (r["run"], r["seq"]) == (m["run"], i + 1) for i, r in enumerate(records))
contents = listed == {n: h for n, h in named.items() if h not in [r.get("artifact") for r in m["removed"]]} and all(part["artifacts/" + a["hash"][7:]][2] == a["size"] for a in m["artifacts"])
in_tree = root(0, int(size)) == b64(top) and not leaf + proof
sys.exit(print(f"{len(records)} of {size} records of {origin}: {manifest=} {in_tree=} {in_order=} {contents=}") or not (manifest and in_tree and in_order and contents))
