//! The shapes of secrets, by provider.
//!
//! A rule names the whole token: its prefix alone, as documentation writes it, is no match. Where a
//! group stands in the pattern, the group is the secret and the rest is context.

/// One shape.
#[derive(Debug)]
pub(super) struct Rule {
    /// Name in findings.
    pub name: &'static str,
    /// The shape.
    pub pattern: &'static str,
    /// Least Shannon entropy of the token's characters, in bits each.
    pub entropy: f64,
}

const fn rule(name: &'static str, pattern: &'static str, entropy: f64) -> Rule {
    Rule { name, pattern, entropy }
}

/// Every rule. An earlier one names a token that several would match.
pub(super) const RULES: &[Rule] = &[
    rule(
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\\r|[A-Za-z0-9+/=:,\-\s>*#|]){40,}?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)",
        3.0,
    ),
    rule("anthropic-key", r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_\-]{20,}", 3.0),
    rule("openai-key", r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_\-]{32,}", 3.5),
    rule("aws-access-key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", 2.5),
    rule("github-token", r"gh[pousr]_[A-Za-z0-9]{36,255}", 3.0),
    rule("github-token", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", 3.0),
    rule("gitlab-token", r"gl(?:pat|dt|rt|ptt|ft|imt|cbt|oas|soat|agent)-[A-Za-z0-9_\-]{20,}", 3.0),
    rule("slack-token", r"xox[abeoprs]-[A-Za-z0-9\-]{20,}", 2.5),
    rule("slack-token", r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{30,}", 2.5),
    rule("slack-webhook", r"hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}", 3.0),
    rule("stripe-key", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}", 3.0),
    rule("stripe-key", r"whsec_[A-Za-z0-9+/]{32,}", 3.0),
    rule("google-key", r"AIza[A-Za-z0-9_\-]{35}", 3.0),
    rule("google-oauth", r"GOCSPX-[A-Za-z0-9_\-]{28}", 3.0),
    rule("google-oauth", r"ya29\.[A-Za-z0-9_\-]{30,}", 3.0),
    rule("npm-token", r"npm_[A-Za-z0-9]{36}", 3.0),
    rule("pypi-token", r"pypi-AgE[A-Za-z0-9_\-]{50,}", 3.0),
    rule("huggingface-token", r"hf_[A-Za-z0-9]{30,}", 3.0),
    rule("vault-token", r"hv[sbr]\.[A-Za-z0-9_\-]{24,}", 3.0),
    rule("vault-token", r"s\.[A-Za-z0-9]{24}", 3.0),
    rule("sendgrid-key", r"SG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}", 3.0),
    rule("digitalocean-token", r"do[opr]_v1_[0-9a-f]{64}", 3.0),
    rule("docker-token", r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{27,}", 3.0),
    rule("databricks-token", r"dapi[0-9a-f]{32}", 3.0),
    rule("shopify-token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", 3.0),
    rule("linear-key", r"lin_api_[A-Za-z0-9]{40}", 3.0),
    rule("atlassian-token", r"ATATT3[A-Za-z0-9_\-=]{100,}", 3.0),
    rule("grafana-token", r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}", 3.0),
    rule("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,}", 3.0),
    rule("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", 3.0),
    rule("azure-storage-key", r"AccountKey=([A-Za-z0-9+/]{86}==)", 3.5),
    rule("jwt", r"eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{16,}", 3.5),
    rule(
        "url-password",
        r#"[A-Za-z][A-Za-z0-9+.\-]*://[^\s/:@"'<>?#]*:([^\s/@"'<>?#]{3,})@[A-Za-z0-9\[]"#,
        1.5,
    ),
    rule(
        "bearer-token",
        r"(?i)authorization[\x22']?\s*[:=]\s*[\x22']?(?:bearer|basic|token)\s+([A-Za-z0-9_\-.+/=]{16,})",
        3.0,
    ),
    rule(
        "assigned-secret",
        r#"(?i)(?:passw(?:or)?d|pwd|passphrase|secret|token|api[_\-]?key|access[_\-]?key|private[_\-]?key|mot[_\- ]de[_\- ]passe|mdp)[A-Za-z_\-]{0,20}["'`]?\s*(?::|=|:=|=>)\s*["'`]([^"'`\s]{8,})["'`]"#,
        3.0,
    ),
    rule(
        "assigned-secret",
        r#"(?i)(?:passw(?:or)?d|pwd|passphrase|secret|token|api[_\-]?key|access[_\-]?key|private[_\-]?key|mot[_\- ]de[_\- ]passe|mdp)[A-Za-z_\-]{0,20}\s*(?::|=)\s*([A-Za-z0-9_\-+/=!@#$%^&*.~]{12,})"#,
        3.3,
    ),
];

/// Parts of tokens that say that they are none. Compared in lower case.
pub(super) const PLACEHOLDERS: &[&str] = &[
    "xxxx",
    "example",
    "exemple",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "your",
    "votre",
    "dummy",
    "redacted",
    "insert",
    "replace",
    "00000000",
    "12345678",
    "abcdefgh",
    "****",
    "....",
    "<",
    "{{",
    "${",
    "$(",
    "%s",
    "todo",
    "secret:",
];

/// Whole values that documentation writes in the place of a secret.
pub(super) const WORDS: &[&str] =
    &["password", "passwd", "pass", "pwd", "secret", "token", "motdepasse", "mot-de-passe", "pw"];
