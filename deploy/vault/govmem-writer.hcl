# Writer: puts the first key in place (`govmem audit bootstrap`), besides what a reader may do.
# It can create the key, never replace it.

path "kv/data/pd-295/memory-audit-hmac" {
  capabilities = ["create", "read"]
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
