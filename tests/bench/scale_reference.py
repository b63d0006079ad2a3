#!/usr/bin/env python3
"""The reuse score in plain Python, from its definition: what the scale bench compares with.

usage: scale_reference.py WORKSPACE OUT

Reads the file keyring under WORKSPACE/config, verifies every signature of the trail, and writes one
JSON object a lesson.
"""

import hashlib
import hmac
import json
import math
import sys
import unicodedata
from pathlib import Path


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def tag_hash(tags):
    folded = {unicodedata.normalize("NFC", t).strip().lower() for t in tags} - {""}
    return hashlib.sha256("\n".join(sorted(folded, key=lambda t: t.encode())).encode()).hexdigest()


def worth(record):
    if record is None:
        return 0.3
    version, _, verdict = record
    if verdict == "GO":
        return {1: 1.0, 2: 0.8}.get(version, 0.5)
    return 0.4 if verdict == "RESERVE" else 0.0


def main():
    root, out = Path(sys.argv[1]), sys.argv[2]
    ring = json.loads((root / "config/govmem/keyring.json").read_text())
    keys = {int(v): bytes.fromhex(k["key"]) for v, k in ring["keys"].items()}

    own = {}
    for learning in lines(root / "data/learnings.jsonl"):
        ident = f"{learning['story']}-{learning['gate']}-{tag_hash(learning['tags'])[:12]}"
        own.setdefault(ident, learning["story"])
    last = {}
    for metric in lines(root / "data/metrics.jsonl"):
        if metric["gate"] == 8:
            new = (metric["version"], metric["timestamp"], metric["verdict"])
            old = last.get(metric["story"])
            if old is None or new[:2] >= old[:2]:
                last[metric["story"]] = new

    injections, stories, domains, latest = {}, {}, {}, {}
    for event in lines(root / "data/learnings-injections.jsonl"):
        signature = event.pop("signature_hmac_sha256")
        signed = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        mac = hmac.new(keys[event["key_version"]], signed.encode(), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(mac, signature) or event["count"] != len(event["result_ids"]):
            continue
        if event["event"] != "learning_injected" or event["operation"] != "step0_injection":
            continue
        for ident in set(event["result_ids"]):
            if ident not in own:
                continue
            injections[ident] = injections.get(ident, 0) + 1
            latest[ident] = max(latest.get(ident, ""), event["timestamp_iso8601"])
            if event["story_id"] != own[ident]:
                stories.setdefault(ident, set()).add(event["story_id"])
                domains.setdefault(ident, set()).add(event["domain"])

    with open(out, "w", encoding="utf-8") as file:
        for ident in own:
            brut = sum(worth(last.get(s)) for s in stories.get(ident, ()))
            row = {
                "learning_id": ident,
                "reuse_score_brut": brut,
                "reuse_score": math.tanh(brut / 10),
                "nb_injections": injections.get(ident, 0),
                "nb_stories": len(stories.get(ident, ())),
                "nb_domains": len(domains.get(ident, ())),
                "domains": sorted(domains.get(ident, ())),
            }
            if ident in latest:
                row["last_injected_at"] = latest[ident]
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
