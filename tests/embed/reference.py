#!/usr/bin/env python3
"""Reference vectors for tests/embed, computed without candle and without the tokenizers library.

    python3 tests/embed/reference.py MODEL_DIR > tests/embed/golden.json

MODEL_DIR is all-MiniLM-L6-v2 (scripts/lib/model.sh installs it). Needs numpy. Everything else is
written here: the safetensors reader, BERT's word pieces, and the forward passes of BERT,
XLM-RoBERTa and NomicBERT in double precision. The small models have seeded random weights; their
description goes into the output, and the tests build the same bytes from it.
"""

import json
import math
import struct
import sys
import unicodedata

import numpy as np

# --- weights ---------------------------------------------------------------------------------

MASK = (1 << 64) - 1


def seeded(index, shape, kind):
    """The tensor number `index` of a small model: a 64-bit linear congruential generator whose
    upper 24 bits become a number in [-1, 1), scaled; norms are near one."""
    state = index + 1
    values = np.empty(math.prod(shape), dtype=np.float32)
    scale = np.float32(0.25 if kind == "matrix" else 0.125)
    for i in range(values.size):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        values[i] = (np.float32(state >> 40) / np.float32(1 << 23) - np.float32(1)) * scale
    if kind == "norm":
        values = values + np.float32(1)
    return values.reshape(shape)


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + length + begin : 8 + length + end], dtype="<f4")
            tensors[name] = flat.reshape(entry["shape"]).astype(np.float64)
    return tensors


# --- forward passes --------------------------------------------------------------------------


def norm(x, w, name, eps):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * w[name + ".weight"] + w[name + ".bias"]


def linear(x, w, name):
    y = x @ w[name + ".weight"].T
    return y + w[name + ".bias"] if name + ".bias" in w else y


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, heads):
    n, width = q.shape
    size = width // heads
    split = lambda t: t.reshape(n, heads, size).transpose(1, 0, 2)
    q, k, v = split(q), split(k), split(v)
    mixed = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(size)) @ v
    return mixed.transpose(1, 0, 2).reshape(n, width)


gelu = np.vectorize(lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))))


def encoder(w, config, ids, types, prefix="", roberta=False):
    """BERT, or XLM-RoBERTa whose positions start behind the padding id."""
    eps, heads = config["layer_norm_eps"], config["num_attention_heads"]
    start = config["pad_token_id"] + 1 if roberta else 0
    e = prefix + "embeddings."
    x = w[e + "word_embeddings.weight"][ids] + w[e + "token_type_embeddings.weight"][types]
    x = x + w[e + "position_embeddings.weight"][start : start + len(ids)]
    x = norm(x, w, e + "LayerNorm", eps)
    for i in range(config["num_hidden_layers"]):
        p = f"{prefix}encoder.layer.{i}."
        a = p + "attention."
        q, k, v = (linear(x, w, a + "self." + part) for part in ("query", "key", "value"))
        x = norm(x + linear(attend(q, k, v, heads), w, a + "output.dense"), w, a + "output.LayerNorm", eps)
        h = gelu(linear(x, w, p + "intermediate.dense"))
        x = norm(x + linear(h, w, p + "output.dense"), w, p + "output.LayerNorm", eps)
    return x


def rotate(x, heads, base):
    """Rotary positions in the NeoX layout: the halves of each head are one plane."""
    n, width = x.shape
    size = width // heads
    half = size // 2
    angles = np.arange(n)[:, None] / base ** (2 * np.arange(half)[None, :] / size)
    cos, sin = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    x = x.reshape(n, heads, size)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1).reshape(n, width)


def nomic(w, config, ids):
    eps, heads, width = config["layer_norm_epsilon"], config["n_head"], config["n_embd"]
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, w, "emb_ln", eps)
    for i in range(config["n_layer"]):
        p = f"encoder.layers.{i}."
        qkv = linear(x, w, p + "attn.Wqkv")
        q, k, v = qkv[:, :width], qkv[:, width : 2 * width], qkv[:, 2 * width :]
        q, k = (rotate(t, heads, config["rotary_emb_base"]) for t in (q, k))
        x = norm(x + linear(attend(q, k, v, heads), w, p + "attn.out_proj"), w, p + "norm1", eps)
        gate = linear(x, w, p + "mlp.fc12")
        h = linear(x, w, p + "mlp.fc11") * gate / (1 + np.exp(-gate))
        x = norm(x + linear(h, w, p + "mlp.fc2"), w, p + "norm2", eps)
    return x


def unit(x):
    return x / np.linalg.norm(x)


def rounded(x):
    return [round(float(v), 6) for v in x]


# --- word pieces -----------------------------------------------------------------------------


def is_cjk(c):
    ranges = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)]
    ranges += [(0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]
    return any(low <= ord(c) <= high for low, high in ranges)


def is_punctuation(c):
    ascii_sign = 33 <= ord(c) <= 47 or 58 <= ord(c) <= 64 or 91 <= ord(c) <= 96 or 123 <= ord(c) <= 126
    return ascii_sign or unicodedata.category(c).startswith("P")


def words(text):
    spaced = ""
    for c in text:
        category = unicodedata.category(c)
        if c in "\t\n\r" or category == "Zs":
            spaced += " "
        elif ord(c) in (0, 0xFFFD) or category in ("Cc", "Cf"):
            continue
        elif is_cjk(c):
            spaced += f" {c} "
        else:
            spaced += c
    bare = "".join(c for c in unicodedata.normalize("NFD", spaced.lower()) if unicodedata.category(c) != "Mn")
    for word in bare.split():
        piece = ""
        for c in word:
            if is_punctuation(c):
                if piece:
                    yield piece
                yield c
                piece = ""
            else:
                piece += c
        if piece:
            yield piece


def word_pieces(text, vocab, unknown="[UNK]"):
    ids = []
    for word in words(text):
        pieces, start = [], 0
        while start < len(word) and len(word) <= 100:
            for end in range(len(word), start, -1):
                part = ("##" if start else "") + word[start:end]
                if part in vocab:
                    pieces.append(vocab[part])
                    start = end
                    break
            else:
                pieces = []
                break
        ids += pieces or [vocab[unknown]]
    return ids


def windows(ids, room):
    """Spans of `room` tokens that share 15 %."""
    step = room - room * 15 // 100
    out = [ids[:room]]
    start = 0
    while start + room < len(ids):
        start += step
        out.append(ids[start : start + room])
    return out


# --- the published model ---------------------------------------------------------------------

TEXTS = [
    "How do we rotate the audit key?",
    "La clé d’audit a été révoquée : le déploiement échoue dès l’étape 3.",
    "会議は月曜日に延期されました。",
    "fn embed_query(&self, text: &str) -> Result<Vec<f32>> { self.run(text) }",
    "Ünïcödé ﬁligature — emoji 🚀, naïve café",
    " ".join(
        f"Lesson {i}: story PD-{i * 7 % 300} failed gate {i % 10} because the token of tenant {i * 13} had expired."
        for i in range(24)
    ),
]


def published(directory):
    w = read_safetensors(directory + "/model.safetensors")
    config = json.load(open(directory + "/config.json"))
    with open(directory + "/vocab.txt", encoding="utf-8") as file:
        vocab = {line.rstrip("\n"): i for i, line in enumerate(file)}
    cls, sep = vocab["[CLS]"], vocab["[SEP]"]
    out = []
    for text in TEXTS:
        ids = word_pieces(text, vocab)
        rows = []
        for part in windows(ids, 254):
            full = [cls, *part, sep]
            rows.append(rounded(unit(encoder(w, config, full, [0] * len(full)).mean(0))))
        out.append({"text": text, "tokens": len(ids), "windows": rows})
    return out


# --- small models with random weights ---------------------------------------------------------

VOCAB = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi".split()
SMALL_TEXTS = ["alpha beta gammas", "xi", "theta iota kappa lambda mu nu xi alpha beta gamma delta epsilon zeta eta xi mu nu alphas betas"]
PAIRS = [
    ("alpha beta", "gamma delta epsilon"),
    ("alpha beta", "xi"),
    ("theta", "theta iota kappa lambda mus nu xi alpha beta gamma delta epsilon zeta eta"),
]


def special(vocab, tokens):
    return [
        {"id": vocab[t], "content": t, "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for t in tokens
    ]


def template(vocab, single, pair):
    def side(items):
        return [
            {"Sequence": {"id": i[0], "type_id": t}} if i in ("A", "B") else {"SpecialToken": {"id": i, "type_id": t}}
            for i, t in items
        ]

    tokens = {i for i, _ in single + pair if i not in ("A", "B")}
    return {
        "type": "TemplateProcessing",
        "single": side(single),
        "pair": side(pair),
        "special_tokens": {t: {"id": t, "ids": [vocab[t]], "tokens": [t]} for t in sorted(tokens)},
    }


def bert_tokenizer():
    """Pads and truncates by itself, as published ones do: the tests check that it may not."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocab = {t: i for i, t in enumerate(specials + VOCAB + ["##s"])}
    c, s = ("[CLS]", 0), ("[SEP]", 0)
    return vocab, {
        "version": "1.0",
        "truncation": {"max_length": 6, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {"strategy": {"Fixed": 40}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                    "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": special(vocab, specials),
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": template(vocab, [c, ("A", 0), s], [c, ("A", 0), s, ("B", 1), ("[SEP]", 1)]),
        "decoder": None,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocab},
    }


def roberta_tokenizer():
    """Marks the second text as published ones do, though the model has one segment only."""
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = specials + ["▁" + word for word in VOCAB] + ["s", "▁"]
    vocab = {t: i for i, t in enumerate(pieces)}
    b, e = ("<s>", 0), ("</s>", 0)
    return vocab, {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special(vocab, specials),
        "normalizer": None,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": template(vocab, [b, ("A", 0), e], [b, ("A", 0), e, e, ("B", 1), ("</s>", 1)]),
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": [[t, -1.0 - 0.01 * i] for i, t in enumerate(pieces)],
                  "byte_fallback": False},
    }


def small_pieces(text, vocab, mark):
    """The small vocabularies hold whole words and a plural s."""
    ids = []
    for word in text.split():
        stem = word if mark + word in vocab else word[:-1]
        ids.append(vocab[mark + stem])
        if stem != word:
            ids.append(vocab["s" if mark else "##s"])
    return ids


def encoder_tensors(config, prefix):
    width, inner = config["hidden_size"], config["intermediate_size"]
    dense = lambda name, rows, cols: [(name + ".weight", [rows, cols], "matrix"), (name + ".bias", [rows], "bias")]
    scale = lambda name: [(name + ".weight", [width], "norm"), (name + ".bias", [width], "bias")]
    out = [
        (prefix + "embeddings.word_embeddings.weight", [config["vocab_size"], width], "matrix"),
        (prefix + "embeddings.position_embeddings.weight", [config["max_position_embeddings"], width], "matrix"),
        (prefix + "embeddings.token_type_embeddings.weight", [config["type_vocab_size"], width], "matrix"),
        *scale(prefix + "embeddings.LayerNorm"),
    ]
    for i in range(config["num_hidden_layers"]):
        p = f"{prefix}encoder.layer.{i}."
        for part in ("query", "key", "value"):
            out += dense(p + "attention.self." + part, width, width)
        out += dense(p + "attention.output.dense", width, width) + scale(p + "attention.output.LayerNorm")
        out += dense(p + "intermediate.dense", inner, width)
        out += dense(p + "output.dense", width, inner) + scale(p + "output.LayerNorm")
    return out


def nomic_tensors(config):
    width, inner = config["n_embd"], config["n_inner"]
    scale = lambda name: [(name + ".weight", [width], "norm"), (name + ".bias", [width], "bias")]
    out = [
        ("embeddings.word_embeddings.weight", [config["vocab_size"], width], "matrix"),
        ("embeddings.token_type_embeddings.weight", [config["type_vocab_size"], width], "matrix"),
        *scale("emb_ln"),
    ]
    for i in range(config["n_layer"]):
        p = f"encoder.layers.{i}."
        out += [
            (p + "attn.Wqkv.weight", [3 * width, width], "matrix"),
            (p + "attn.out_proj.weight", [width, width], "matrix"),
            (p + "mlp.fc11.weight", [inner, width], "matrix"),
            (p + "mlp.fc12.weight", [inner, width], "matrix"),
            (p + "mlp.fc2.weight", [width, inner], "matrix"),
            *scale(p + "norm1"),
            *scale(p + "norm2"),
        ]
    return out


def weights(tensors):
    return {n: seeded(i, s, k).astype(np.float64) for i, (n, s, k) in enumerate(tensors)}


def bert_config(vocab, kind, **more):
    return {
        "model_type": kind, "vocab_size": len(vocab), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 64, "hidden_act": "gelu", "layer_norm_eps": 1e-5,
        "max_position_embeddings": 48, "type_vocab_size": 2, "pad_token_id": 0, **more,
    }


def small_models():
    sentence = {"max_seq_length": 16}
    vocab, tokenizer = bert_tokenizer()
    cls, sep = vocab["[CLS]"], vocab["[SEP]"]

    def embedder(name, config, tensors, files, forward, room, wrap, mark, pool=lambda h: h.mean(0), lead=()):
        w = weights(tensors)
        texts = []
        for text in SMALL_TEXTS:
            ids = small_pieces(text, files["vocab"], mark)
            rows = [rounded(unit(pool(forward(w, wrap([*lead, *part]))))) for part in windows(ids, room - len(lead))]
            texts.append({"text": text, "windows": rows})
        kept = {k: v for k, v in files.items() if k != "vocab"}
        return {"name": name, "files": {"config.json": config, **kept}, "tensors": tensors, "texts": texts}

    config = bert_config(vocab, "bert")
    run = lambda c, prefix="", roberta=False: (
        lambda w, ids: encoder(w, c, ids, [0] * len(ids), prefix, roberta)
    )
    in_bert = lambda ids: [cls, *ids, sep]
    files = {"tokenizer.json": tokenizer, "sentence_bert_config.json": sentence, "vocab": vocab}
    yield embedder("bert-mean", config, encoder_tensors(config, ""), files, run(config), 14, in_bert, "")

    first = {**files, "1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}}
    yield embedder("bert-first", config, encoder_tensors(config, "bert."), first, run(config, "bert."), 14, in_bert, "",
                   pool=lambda h: h[0])

    c = {"model_type": "nomic_bert", "vocab_size": len(vocab), "n_embd": 32, "n_head": 4, "n_layer": 2, "n_inner": 64,
         "n_positions": 48, "type_vocab_size": 2, "layer_norm_epsilon": 1e-12, "rotary_emb_fraction": 1.0,
         "rotary_emb_base": 1000, "rotary_emb_interleaved": False, "qkv_proj_bias": False, "mlp_fc1_bias": False,
         "mlp_fc2_bias": False, "activation_function": "swiglu", "prenorm": False}
    yield embedder("nomic", c, nomic_tensors(c), files, lambda w, ids: nomic(w, c, ids), 14, in_bert, "")

    rvocab, rtokenizer = roberta_tokenizer()
    rconfig = bert_config(rvocab, "xlm-roberta", pad_token_id=1, max_position_embeddings=50, type_vocab_size=1)
    rfiles = {"tokenizer.json": rtokenizer, "sentence_bert_config.json": sentence, "vocab": rvocab}
    in_roberta = lambda ids: [rvocab["<s>"], *ids, rvocab["</s>"]]
    yield embedder("xlm-roberta", rconfig, encoder_tensors(rconfig, ""), rfiles, run(rconfig, "", True), 14,
                   in_roberta, "▁")

    # Cross-encoders: a window of 16 for the pair, the best window counts.
    def cross(name, config, tensors, files, score):
        w = weights(tensors)
        pairs = [{"query": q, "passage": p, "score": round(score(w, q, p), 6)} for q, p in PAIRS]
        return {"name": name, "files": {"config.json": config, **files}, "tensors": tensors, "pairs": pairs}

    def head(name, rows, columns):
        return [(name + ".weight", [rows, columns], "matrix"), (name + ".bias", [rows], "bias")]

    sigmoid = lambda x: float(1 / (1 + math.exp(-x)))

    def bert_score(w, query, passage):
        q, p = small_pieces(query, vocab, ""), small_pieces(passage, vocab, "")
        best = 0.0
        for part in windows(p, 16 - 3 - len(q)):
            ids = [cls, *q, sep, *part, sep]
            types = [0] * (len(q) + 2) + [1] * (len(part) + 1)
            pooled = np.tanh(linear(encoder(w, config, ids, types, "bert.")[0], w, "bert.pooler.dense"))
            best = max(best, sigmoid(linear(pooled, w, "classifier")[0]))
        return best

    limit = {"tokenizer.json": tokenizer, "tokenizer_config.json": {"model_max_length": 16}}
    tensors = encoder_tensors(config, "bert.") + head("bert.pooler.dense", 32, 32) + head("classifier", 1, 32)
    yield cross("bert-cross", config, tensors, limit, bert_score)

    def roberta_score(w, query, passage):
        q, p = small_pieces(query, rvocab, "▁"), small_pieces(passage, rvocab, "▁")
        best = 0.0
        s, e = rvocab["<s>"], rvocab["</s>"]
        for part in windows(p, 16 - 4 - len(q)):
            ids = [s, *q, e, e, *part, e]
            hidden = encoder(w, rconfig, ids, [0] * len(ids), "roberta.", True)[0]
            logits = linear(np.tanh(linear(hidden, w, "classifier.dense")), w, "classifier.out_proj")
            best = max(best, sigmoid(logits[1] - logits[0]))
        return best

    limit = {"tokenizer.json": rtokenizer, "tokenizer_config.json": {"model_max_length": 16}}
    tensors = encoder_tensors(rconfig, "roberta.") + head("classifier.dense", 32, 32) + head("classifier.out_proj", 2, 32)
    yield cross("xlm-roberta-cross", rconfig, tensors, limit, roberta_score)


def main():
    golden = {"published": published(sys.argv[1]), "small": list(small_models())}
    json.dump(golden, sys.stdout, ensure_ascii=False, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
