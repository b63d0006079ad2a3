# Rotator: replaces the key and archives the old one (`govmem audit rotate`). It can add archives,
# never change or delete them, and destroy nothing.

path "kv/data/pd-295/memory-audit-hmac" {
  capabilities = ["create", "read", "update"]
}

path "kv/data/pd-295/memory-audit-hmac/archive/*" {
  capabilities = ["create", "read"]
}

path "kv/metadata/pd-295/memory-audit-hmac/archive" {
  capabilities = ["list"]
}

path "kv/metadata/pd-295/memory-audit-hmac/archive/" {
  capabilities = ["list"]
}
