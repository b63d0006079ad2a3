#!/usr/bin/env python3
"""The same work as one step-0 injection, with faiss-cpu and NumPy.

Reads the three index files and their manifests, checks their SHA-256, searches each with the cached
query vector, joins the reuse scores, writes three HMAC-signed events with fsync, prints a block.
It is the peer that `step0-inject` is measured against, as a whole process.

Usage: step0_reference.py WORKSPACE QUERY_VECTOR.npy KEY_HEX
"""

import hashlib
import hmac
import json
import os
import sys

import faiss
import numpy as np

TOP_K = {"learnings": 5, "veille": 3, "clarifications": 3}


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def records(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main():
    workspace, vector, key = sys.argv[1], np.load(sys.argv[2]), bytes.fromhex(sys.argv[3])
    data = os.path.join(workspace, "data")
    scores = {r["learning_id"]: r["reuse_score"] for r in records(os.path.join(data, "learnings-scores.jsonl"))}
    trail = open(os.path.join(data, "reference-trail.jsonl"), "ab")
    for source, top_k in TOP_K.items():
        path = os.path.join(data, f"{source}-index.faiss")
        with open(os.path.join(data, f"{source}-index.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        if sha256(path) not in json.dumps(manifest):
            sys.exit(f"{path}: hash differs from the manifest")
        index = faiss.read_index(path)
        texts = records(os.path.join(data, f"{source}.jsonl"))
        products, rows = index.search(vector.reshape(1, -1).astype("<f4"), top_k * 2)
        found = []
        for product, row in zip(products[0], rows[0]):
            record = texts[row]
            name = record.get("learning_id") or record.get("id") or record.get("path")
            found.append((round(1.0 - float(product), 3), -scores.get(name, 0.0), name, record))
        found.sort(key=lambda f: f[:3])
        found = found[:top_k]
        event = {"event": f"{source}_injected", "count": len(found), "result_ids": [f[2] for f in found]}
        canonical = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        event["signature_hmac_sha256"] = hmac.new(key, canonical, hashlib.sha256).hexdigest()
        trail.write(json.dumps(event, ensure_ascii=False).encode() + b"\n")
        trail.flush()
        os.fsync(trail.fileno())
        print(f"## {source}\n")
        for distance, _, name, record in found:
            print(f"- {name} {distance}\n\n> {record.get('lesson') or record.get('summary') or record['questions'][0]['answer']}\n")


main()
