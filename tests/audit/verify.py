"""Verifies a trail with nothing but hashlib, hmac and json.

Usage: verify.py TRAIL CHAIN KEYRING.  Prints {"events", "invalid_lines", "chain", "head"}.
An independent reading of the format: no line of govmem is used.
"""

import hashlib
import hmac
import json
import sys


def canonical(value):
    # RFC 8785 for strings, integers, arrays and objects with keys of the basic plane.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sign(keys, version, message):
    entry = keys.get(str(version))
    return hmac.new(bytes.fromhex(entry["key"]), message, hashlib.sha256).hexdigest() if entry else None


def unique(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


trail, chain, keyring = sys.argv[1:]
keys = json.load(open(keyring))["keys"]
lines = open(trail, "rb").read().split(b"\n")
assert lines.pop() == b"", "torn"

invalid = []
for number, line in enumerate(lines, 1):
    try:
        event = json.loads(line, object_pairs_hook=unique)
        signature = event.pop("signature_hmac_sha256")
        good = hmac.compare_digest(sign(keys, event["key_version"], canonical(event)) or "", signature)
    except (ValueError, KeyError):
        good = False
    if not good:
        invalid.append(number)

head, links, sizes, confirmed, state = bytes(32), [], [], 0, "ok"
for number, line in enumerate(lines, 1):
    size = len(line).to_bytes(8, "big")
    head = hashlib.sha256(b"govmem audit chain v1\0" + head + size + line).digest()
    links.append(head.hex())
    sizes.append(len(line))
entries = []
for text in open(chain, "rb").read().splitlines():
    record = json.loads(text)
    if "n" in record:
        assert record["n"] == len(entries) + 1
        entries.append((record["len"], record["h"]))
    elif "void" in record:
        del entries[record["void"] - 1 :]
    else:
        signature = record.pop("signature_hmac_sha256")
        message = b"govmem audit checkpoint v1\0" + canonical(record)
        assert sign(keys, record["key_version"], message) == signature
        assert record["count"] == len(entries)
        assert record["bytes"] == sum(size + 1 for size, _ in entries)
        assert record["head"] == (entries[-1][1] if entries else bytes(32).hex())
        confirmed = record["count"]
if entries[:confirmed] != list(zip(sizes, links))[:confirmed] or len(lines) != confirmed:
    state = "broken"
print(json.dumps({"events": len(lines), "invalid_lines": invalid, "chain": state, "head": links[-1]}))
