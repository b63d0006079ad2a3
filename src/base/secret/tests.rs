//! The scanner: every rule fires on a whole random token, and stays quiet on what documentation writes.
//!
//! Tokens are put together at run time, so that no key-shaped text stands in this file.

use super::*;

/// `n` characters of `alphabet` from a small fixed generator.
fn random(alphabet: &str, n: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            letters[usize::try_from(state >> 33).unwrap() % letters.len()]
        })
        .collect()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";

fn tokens() -> Vec<(&'static str, String)> {
    let a = |n| random(ALNUM, n);
    vec![
        ("aws-access-key", format!("AKIA{}", random("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16))),
        ("github-token", format!("ghp_{}", a(36))),
        ("github-token", format!("github_pat_{}_{}", a(22), a(59))),
        ("gitlab-token", format!("glpat-{}", a(20))),
        ("slack-token", format!("xoxb-{}-{}", random("0123456789", 12), a(24))),
        ("slack-token", format!("xapp-1-{}-{}-{}", "A0B1C2D3", random("0123456789", 13), random(HEX, 64))),
        ("slack-webhook", format!("hooks.slack.com/services/T0AB12CD3/B0AB12CD3/{}", a(24))),
        ("stripe-key", format!("sk_live_{}", a(24))),
        ("stripe-key", format!("whsec_{}", a(32))),
        ("google-key", format!("AIza{}", a(35))),
        ("google-oauth", format!("GOCSPX-{}", a(28))),
        ("google-oauth", format!("ya29.{}", a(60))),
        ("openai-key", format!("sk-{}", a(48))),
        ("openai-key", format!("sk-proj-{}", a(80))),
        ("anthropic-key", format!("sk-ant-api03-{}", a(95))),
        ("npm-token", format!("npm_{}", a(36))),
        ("pypi-token", format!("pypi-AgE{}", a(80))),
        ("huggingface-token", format!("hf_{}", a(34))),
        ("vault-token", format!("hvs.{}", a(90))),
        ("vault-token", format!("s.{}", a(24))),
        ("sendgrid-key", format!("SG.{}.{}", a(22), a(43))),
        ("digitalocean-token", format!("dop_v1_{}", random(HEX, 64))),
        ("docker-token", format!("dckr_pat_{}", a(27))),
        ("databricks-token", format!("dapi{}", random(HEX, 32))),
        ("shopify-token", format!("shpat_{}", random(HEX, 32))),
        ("linear-key", format!("lin_api_{}", a(40))),
        ("atlassian-token", format!("ATATT3{}", a(186))),
        ("grafana-token", format!("glsa_{}_{}", a(32), random(HEX, 8))),
        ("terraform-token", format!("{}.atlasv1.{}", a(14), a(67))),
        ("age-key", format!("AGE-SECRET-KEY-1{}", random("ABCDEFGHIJKLMNPQRSTUVWXYZ0123456789", 58))),
        ("jwt", format!("eyJ{}.eyJ{}.{}", a(30), a(60), a(43))),
        (
            "private-key",
            format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----", a(64), a(40)),
        ),
    ]
}

#[test]
fn every_pattern_compiles_and_every_rule_has_a_token() {
    assert!((0..RULES.len()).all(|index| compiled(index).is_some()));
    let tested: Vec<_> = tokens().into_iter().map(|(name, _)| name).collect();
    for rule in RULES {
        let in_context = ["url-password", "bearer-token", "assigned-secret", "azure-storage-key"];
        assert!(tested.contains(&rule.name) || in_context.contains(&rule.name), "{}", rule.name);
    }
}

#[test]
fn whole_tokens_are_found_and_masked() {
    for (rule, token) in tokens() {
        for text in
            [token.clone(), format!("première ligne\nla clé \"{token}\", voilà"), format!("`{token}`.")]
        {
            let found = scan(&text);
            assert_eq!(found.len(), 1, "{rule}: {text} {found:?}");
            assert_eq!((found[0].rule, &text[found[0].range.clone()]), (rule, token.as_str()));
            assert_eq!(found[0].line, 1 + text[..found[0].range.start].matches('\n').count());
            assert_eq!(mask(&text), text.replace(&token, &format!("[secret: {rule}]")));
            assert!(scan(&mask(&text)).is_empty());
        }
    }
}

#[test]
fn parts_and_placeholders_pass() {
    for (rule, token) in tokens().into_iter().filter(|(rule, _)| *rule != "private-key") {
        let cut = &token[..8.min(token.len() / 2)];
        assert!(scan(cut).is_empty(), "{rule}: {cut}");
        let joined = format!("a{token}");
        assert!(scan(&joined).iter().all(|f| f.range.start > 0 && f.rule != rule), "{rule}: {joined}");
    }
    for text in [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "token: ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "password = \"changeme\"",
        "password = \"${DB_PASSWORD_1}\"",
        "password: \"<your-password-1>\"",
        "postgres://user:${PASSWORD}@db/app and postgres://user:password@localhost",
        "https://user:<token>@host/",
        "http://127.0.0.1:8200/v1@x",
        "-----BEGIN PRIVATE KEY-----",
        "export VAULT_TOKEN=hvs.…",
        "api_key = env::var(\"API_KEY_2\")",
        "token = config.get_token(2)",
        "le token est transmis au serveur",
        "secret_id_file = \"/etc/govmem/secret-id-1\"",
        "sk-learn-and-other-words-with-dashes-and-more",
        "signature_hmac_sha256: 34fd604513394ccfb27cf5820049ea81e1ca914bd1836ea60b2b6ade9bbddbee",
        "token_hash = \"34fd604513394ccfb27cf5820049ea81e1ca914bd1836ea60b2b6ade9bbddbee\"",
        "\"query_hash\":\"sha256:bb621096c573c422bcdc6e23a1fe48d087f33375d5b2ce19e60837c6e0cf24a9\"",
        "PD-19-3-5fb17410e191",
    ] {
        assert_eq!(scan(text), [], "{text}");
    }
}

#[test]
fn secrets_in_context() {
    let value = random(ALNUM, 20);
    for (rule, text) in [
        ("url-password", format!("postgres://app:{value}@db.internal/app")),
        ("url-password", format!("redis://:{value}@cache:6379")),
        ("assigned-secret", format!("password = \"{value}\"")),
        ("assigned-secret", format!("DB_PASSWORD={value}")),
        ("assigned-secret", format!("\"client_secret\": \"{value}\"")),
        ("assigned-secret", format!("mot de passe : '{value}'")),
        ("bearer-token", format!("Authorization: Bearer {value}")),
        ("azure-storage-key", format!("AccountKey={}==", random(ALNUM, 86))),
    ] {
        let found = scan(&text);
        assert_eq!(found.iter().map(|f| f.rule).collect::<Vec<_>>(), [rule], "{text}");
        assert!(!mask(&text).contains(&value), "{text}");
    }
}

#[test]
fn findings_and_secrets_do_not_print_values() {
    let (_, token) = tokens().swap_remove(1);
    assert!(!format!("{:?}", scan(&token)).contains(&token));
    let secret = SecretBytes::from_hex("00ff10").unwrap();
    assert_eq!((secret.expose(), format!("{secret:?}").as_str()), (&[0u8, 255, 16][..], "[redacted]"));
    assert!(SecretBytes::from_hex("0").is_none());
    assert_eq!(format!("{:?}", SecretText::new("t".into())), "[redacted]");
}

#[test]
fn a_hint_stands_in_every_text_that_a_pattern_matches() {
    for (name, token) in tokens() {
        let lower = token.to_ascii_lowercase();
        for rule in RULES.iter().filter(|r| Regex::new(r.pattern).unwrap().is_match(&token)) {
            assert!(rule.hints.iter().any(|h| lower.contains(h)), "{} misses a {name}", rule.name);
            assert!(rule.signs.is_empty() || rule.signs.iter().any(|s| lower.contains(s)), "{}", rule.name);
            assert!(rule.hints.iter().all(|h| *h == h.to_ascii_lowercase()), "{}", rule.name);
        }
    }
}

#[test]
fn the_quick_look_sees_every_invisible_character() {
    for c in '\0'..=char::MAX {
        assert_eq!(has_invisible(&format!("é{c}’")), is_invisible(c), "{:x}", u32::from(c));
    }
}

#[test]
fn invisible_characters_do_not_split_a_token() {
    let token = format!("ghp_{}", random(ALNUM, 36));
    let split = format!("é\n{}\u{200b}{}\u{2060} end", &token[..9], &token[9..]);
    let found = scan(&split);
    assert_eq!((found.len(), found[0].rule, found[0].line), (1, "github-token", 2));
    assert_eq!(mask(&split), "é\n[secret: github-token]\u{2060} end");
}

#[test]
fn a_token_that_ends_with_a_wide_character_is_masked_beside_invisible_ones() {
    for hidden in ["", "\u{200b}", "\u{3}"] {
        for end in ["é", "日", "🔑", "\u{34f}"] {
            let text = format!("a{hidden} https://user:Tr0ub4dor{hidden}-x7{end}@host/ b");
            let found = scan(&text);
            assert_eq!(found.len(), 1, "{text:?}");
            assert!(text.get(found[0].range.clone()).is_some_and(|t| t.ends_with(end)), "{text:?}");
            let masked = mask(&text);
            assert!(
                !masked.contains("Tr0ub4dor") && !masked.contains(end) && masked.ends_with(" b"),
                "{masked:?}"
            );
        }
    }
}
