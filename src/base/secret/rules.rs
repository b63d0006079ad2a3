//! The shapes of secrets, by provider.
//!
//! A rule names the whole token: its prefix alone, as documentation writes it, is no match. Where a
//! group stands in the pattern, the group is the secret and the rest is context.

/// One shape.
#[derive(Debug)]
pub(super) struct Rule {
    /// Name in findings.
    pub name: &'static str,
    /// Literals in lower case, one of which stands in every match: a text without any is not searched
    /// with the pattern, which is then not even compiled.
    pub hints: &'static [&'static str],
    /// A second literal of which one stands in every match; empty when the hints say enough.
    pub signs: &'static [&'static str],
    /// The shape.
    pub pattern: &'static str,
    /// Least Shannon entropy of the token's characters, in bits each.
    pub entropy: f64,
}

const fn rule(
    name: &'static str,
    hints: &'static [&'static str],
    pattern: &'static str,
    entropy: f64,
) -> Rule {
    Rule { name, hints, signs: &[], pattern, entropy }
}

/// A value assigned to a word that any text may hold: the sign of the assignment is needed too.
const fn assigned(pattern: &'static str, entropy: f64) -> Rule {
    let hints = &["passw", "pwd", "passphrase", "secret", "token", "key", "passe", "mdp"];
    Rule { name: "assigned-secret", hints, signs: &["=", ":"], pattern, entropy }
}

/// Every rule. An earlier one names a token that several would match.
pub(super) const RULES: &[Rule] = &[
    rule(
        "private-key",
        &["private key"],
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\\r|[A-Za-z0-9+/=:,\-\s>*#|]){40,}?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)",
        3.0,
    ),
    rule("anthropic-key", &["sk-ant-"], r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_\-]{20,}", 3.0),
    rule("openai-key", &["sk-"], r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_\-]{32,}", 3.5),
    rule("aws-access-key", &["akia", "asia", "abia", "acca"], r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", 2.5),
    rule("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,255}", 3.0),
    rule("github-token", &["github_pat_"], r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", 3.0),
    rule(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glimt-", "glcbt-", "gloas-", "glsoat-", "glagent-"],
        r"gl(?:pat|dt|rt|ptt|ft|imt|cbt|oas|soat|agent)-[A-Za-z0-9_\-]{20,}",
        3.0,
    ),
    rule("slack-token", &["xox"], r"xox[abeoprs]-[A-Za-z0-9\-]{20,}", 2.5),
    rule("slack-token", &["xapp-"], r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{30,}", 2.5),
    rule(
        "slack-webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}",
        3.0,
    ),
    rule(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}",
        3.0,
    ),
    rule("stripe-key", &["whsec_"], r"whsec_[A-Za-z0-9+/]{32,}", 3.0),
    rule("google-key", &["aiza"], r"AIza[A-Za-z0-9_\-]{35}", 3.0),
    rule("google-oauth", &["gocspx-"], r"GOCSPX-[A-Za-z0-9_\-]{28}", 3.0),
    rule("google-oauth", &["ya29."], r"ya29\.[A-Za-z0-9_\-]{30,}", 3.0),
    rule("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}", 3.0),
    rule("pypi-token", &["pypi-age"], r"pypi-AgE[A-Za-z0-9_\-]{50,}", 3.0),
    rule("huggingface-token", &["hf_"], r"hf_[A-Za-z0-9]{30,}", 3.0),
    rule("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_\-]{24,}", 3.0),
    rule("vault-token", &["s."], r"s\.[A-Za-z0-9]{24}", 3.0),
    rule("sendgrid-key", &["sg."], r"SG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}", 3.0),
    rule("digitalocean-token", &["doo_v1_", "dop_v1_", "dor_v1_"], r"do[opr]_v1_[0-9a-f]{64}", 3.0),
    rule("docker-token", &["dckr_"], r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{27,}", 3.0),
    rule("databricks-token", &["dapi"], r"dapi[0-9a-f]{32}", 3.0),
    rule("shopify-token", &["shp"], r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", 3.0),
    rule("linear-key", &["lin_api_"], r"lin_api_[A-Za-z0-9]{40}", 3.0),
    rule("atlassian-token", &["atatt3"], r"ATATT3[A-Za-z0-9_\-=]{100,}", 3.0),
    rule("grafana-token", &["glsa_"], r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}", 3.0),
    rule("terraform-token", &[".atlasv1."], r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,}", 3.0),
    rule("age-key", &["age-secret-key-1"], r"AGE-SECRET-KEY-1[0-9A-Z]{58}", 3.0),
    rule("azure-storage-key", &["accountkey="], r"AccountKey=([A-Za-z0-9+/]{86}==)", 3.5),
    rule("jwt", &["eyj"], r"eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{16,}", 3.5),
    rule(
        "url-password",
        &["://"],
        r#"[A-Za-z][A-Za-z0-9+.\-]*://[^\s/:@"'<>?#]*:([^\s/@"'<>?#]{3,})@[A-Za-z0-9\[]"#,
        1.5,
    ),
    rule(
        "bearer-token",
        &["authorization"],
        r"(?i)authorization[\x22']?\s*[:=]\s*[\x22']?(?:bearer|basic|token)\s+([A-Za-z0-9_\-.+/=]{16,})",
        3.0,
    ),
    assigned(
        r#"(?i)(?:passw(?:or)?d|pwd|passphrase|secret|token|api[_\-]?key|access[_\-]?key|private[_\-]?key|mot[_\- ]de[_\- ]passe|mdp)[A-Za-z_\-]{0,20}["'`]?\s*(?::|=|:=|=>)\s*["'`]([^"'`\s]{8,})["'`]"#,
        3.0,
    ),
    assigned(
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
