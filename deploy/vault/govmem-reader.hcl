# Reader: verifies the trail and signs events with the current key. For injection, scoring,
# promotion, the morning report and `govmem audit verify`.
# HMAC is symmetric: whoever can read the key can also sign with it.

path "kv/data/pd-295/memory-audit-hmac" {
  capabilities = ["read"]
}

path "kv/data/pd-295/memory-audit-hmac/archive/*" {
  capabilities = ["read"]
}

path "kv/metadata/pd-295/memory-audit-hmac/archive" {
  capabilities = ["list"]
}

path "kv/metadata/pd-295/memory-audit-hmac/archive/" {
  capabilities = ["list"]
}
