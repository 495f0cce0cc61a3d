#!/usr/bin/env python3
"""Verifies an evidence pack of Chargehand in thirty lines of Python, with the standard library and nothing else:

    verify-pack.py PACK.zip [KEY]

KEY is the log's public key (NAME+ID+BASE64) as you know it from elsewhere. Without it the pack's own key is taken, and
all that is shown is that the pack fits itself. The steps are those of README.txt in the pack; docs/audit.md tells them at length.
"""
import base64, bisect, hashlib, json, sys, zipfile
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

# The lines of a C2SP signed note, and the root of an RFC 6962 tree: where a subtree holds no record of the pack, the next
# line of the proof is its hash.
def opened(text, lines): return next((text.split("\n") for s in lines.splitlines() if signed(key, text.encode() + b"\n", b64(s.split()[2])[4:])), [0] * 3)
def root(lo, hi):
    k, empty = 1 << (hi - lo - 1).bit_length() >> 1, bisect.bisect_left(at, lo) == bisect.bisect_left(at, hi)
    return proof.pop(0) if empty else sha(b"\1" + root(lo, lo + k) + root(lo + k, hi)) if k else leaf.pop(0)

# The pack. No name is in it twice. The manifest is signed and lists every other part; the records are those of the signed
# tree, numbered without a gap, as many as it says; the contents are those that the records name, without the removed ones.
pack = zipfile.ZipFile(sys.argv[1])
part = {name: pack.read(name) for name in pack.namelist()}
m, key = json.loads(part["manifest.json"]), b64((sys.argv[2:] or [part["keys/log.pub"].decode()])[0].strip().split("+", 2)[2])[1:]
(origin, size, top), stated = [opened(*part[name].decode().rsplit("\n\n", 1)) for name in ("checkpoint", "manifest.sig")]
at, proof = [int(n) for n in part["leaves"].split()], [b64(h) for h in part["proof"].split()]
records, leaf = map(list, zip(*[(r, b64(r["redacted"]) if [*r] == ["redacted"] else sha(b"\0" + line)) for line in part["records.ndjson"].split(b"\n")[:-1] for r in [json.loads(line)]]))
def reach(x, path): return [h for y in (x if isinstance(x, list) else [x]) for h in (reach(y.get(path[0], []), path[1:]) if path else [y])]
named = {"artifacts/" + h[7:]: h for r in records for path in """teamDigest objective.planRef objective.documents.hash ref output verdictRef transcript result decision.editRef
    review.outputRef review.verdictRef review.positions.outputRef review.positions.verdictRef""".split() for h in reach(r.get("data", {}), path.split(".")) if h[:7] == "sha256:"}
listed, sums = {"artifacts/" + a["hash"][7:]: a["hash"] for a in m["artifacts"]}, {n: "sha256:" + sha(b).hex() for n, b in part.items()}
manifest = len(part) == len(pack.namelist()) and stated == [m["format"], sums.pop("manifest.json")] and sums == {**m["files"], **listed, "manifest.sig": sums["manifest.sig"]}
in_order = len(at) == len(leaf) == m["records"] and all(i + 1 in [x.get("seq") for x in m["removed"]] if [*r] == ["redacted"] else (r["run"], r["seq"]) == (m["run"], i + 1) for i, r in enumerate(records))
contents = listed == {n: h for n, h in named.items() if h not in [r.get("artifact") for r in m["removed"]]}
in_tree = root(0, int(size)) == b64(top) and not leaf + proof
sys.exit(print(f"{len(records)} of {size} records of {origin}: {manifest=} {in_tree=} {in_order=} {contents=}") or not (manifest and in_tree and in_order and contents))
