//! The configuration: every key, its default, its bounds, and who wins.

use super::*;

fn load(text: &str, env: &[(&str, &str)]) -> Result<Config> {
    Config::load(Path::new("/w"), text, &Env::from_pairs(env.iter().copied()))
}

fn refused(text: &str) -> (String, String) {
    let error = load(text, &[]).expect_err(text);
    assert_eq!(error.exit(), 2);
    (error.message().to_owned(), error.hint_text().unwrap_or_default().to_owned())
}

#[test]
fn defaults() {
    let c = load("", &[("HOME", "/home/u")]).unwrap();
    assert_eq!(c.embedder.provider, Provider::Ollama);
    assert_eq!(c.embedder.url.origin, Origin::Default);
    assert_eq!(c.audit.keyring, KeyringKind::Vault);
    assert_eq!(c.audit.keyring_path, Some("/home/u/.config/govmem/keyring.json".into()));
    assert_eq!((c.audit.mount.as_str(), c.audit.path.as_str()), ("kv", "pd-295/memory-audit-hmac"));
    let l = &c.limits;
    assert_eq!((l.story_per_300s, l.workspace_per_300s, l.item_chars, l.block_chars), (10, 60, 1200, 16_000));
    assert_eq!((l.lock_timeout, l.max_per_story), (Duration::from_secs(30), 0));
    assert_eq!(c.veille.roots, [PathBuf::from("/w/docs/veille")]);
    assert_eq!(c.clarifications.roots, [PathBuf::from("/w/docs/epics")]);
    assert!(!c.network_fs.allow && c.kpi.b5_merge.is_none() && c.lang.is_none());
}

#[test]
fn every_key_is_read() {
    let text = r#"
        lang = "fr"
        [embedder]
        provider = "local"
        model = "m"
        url = "http://h:1"
        dir = "~/models/m"
        query_prefix = "q: "
        document_prefix = "d: "
        timeout_s = 5
        allow_remote_models = true
        [index]
        factory = "IVF316,SQ8"
        [audit]
        keyring = "file"
        keyring_path = "keys/k.json"
        vault_addr = "https://v:8200"
        mount = "secret"
        path = "p"
        namespace = "ns"
        ca_cert = "/etc/ca.pem"
        role_id_file = "r"
        secret_id_file = "s"
        [limits]
        lock_timeout_s = 1
        story_per_300s = 2
        workspace_per_300s = 3
        item_chars = 4
        block_chars = 5
        max_per_story = 6
        [search]
        min_score_default = 0.5
        [veille]
        roots = ["radar", "/abs"]
        glob = "*.yaml"
        fields = { verdict = "blip[-1].ring" }
        verdicts = { adopt = "adopter" }
        default_impact = "faible"
        key = "title"
        [clarifications]
        roots = ["specs"]
        domain = "auth"
        project = "api"
        [kpi]
        b5_merge = 2026-04-11
        [network_fs]
        allow = true
    "#;
    // Every key of the table is in the text above, or this test is behind.
    for key in keys::KEYS {
        assert!(text.contains(&format!("{} = ", key.name)), "{}", key.name);
    }
    let c = load(text, &[("HOME", "/home/u")]).unwrap();
    assert_eq!((c.lang, c.embedder.provider), (Some(Lang::Fr), Provider::Local));
    assert_eq!(c.embedder.dir, Some("/home/u/models/m".into()));
    assert_eq!(c.embedder.url, Setting { value: "http://h:1".into(), origin: Origin::Workspace });
    assert_eq!(c.audit.keyring_path, Some("/w/keys/k.json".into()));
    let workspace = |path: &str| Some(Setting { value: PathBuf::from(path), origin: Origin::Workspace });
    assert_eq!(c.audit.ca_cert, workspace("/etc/ca.pem"));
    assert_eq!(c.audit.role_id_file, workspace("/w/r"));
    assert_eq!(c.veille.roots, [PathBuf::from("/w/radar"), PathBuf::from("/abs")]);
    assert_eq!(c.veille.fields["verdict"], "blip[-1].ring");
    assert_eq!(c.veille.key, NoteKey::Title);
    assert_eq!(c.kpi.b5_merge, Instant::parse("2026-04-11T00:00:00Z"));
    assert_eq!((c.search.min_score_default, c.limits.max_per_story), (0.5, 6));
    assert!(c.network_fs.allow && c.embedder.allow_remote_models.value);
    assert_eq!(c.embedder.allow_remote_models.origin, Origin::Workspace);
}

#[test]
fn the_environment_wins() {
    let text = "[audit]\nvault_addr = \"http://file\"\n[limits]\nstory_per_300s = 3\n";
    let env = [
        ("GOVMEM_LIMITS_STORY_PER_300S", "7"),
        ("GOVMEM_VEILLE_ROOTS", "a, b"),
        ("GOVMEM_VEILLE_VERDICTS", "adopt=adopter,hold=ignorer"),
        ("GOVMEM_NETWORK_FS_ALLOW", "true"),
        ("VAULT_ADDR", "http://vault"),
        ("BAO_ADDR", "http://bao"),
        ("OLLAMA_HOST", "0.0.0.0"),
    ];
    let c = load(text, &env).unwrap();
    assert_eq!(c.limits.story_per_300s, 7);
    assert_eq!(c.veille.roots, [PathBuf::from("/w/a"), PathBuf::from("/w/b")]);
    assert_eq!(c.veille.verdicts["hold"], "ignorer");
    assert_eq!(c.audit.vault_addr.unwrap(), Setting { value: "http://vault".into(), origin: Origin::Env });
    assert_eq!(c.embedder.url.origin, Origin::Env);
    assert!(c.network_fs.allow);
    let c = load(text, &[("GOVMEM_AUDIT_VAULT_ADDR", "http://own"), ("VAULT_ADDR", "http://vault")]).unwrap();
    assert_eq!(c.audit.vault_addr.unwrap().value, "http://own");
    assert_eq!(load(text, &[]).unwrap().audit.vault_addr.unwrap().origin, Origin::Workspace);
    assert!(load("", &[("GOVMEM_LIMITS_ITEM_CHARS", "many")]).unwrap_err().message().contains("ITEM_CHARS"));
    assert!(load("", &[("GOVMEM_LIMITS_ITEM_CHARS", "0")]).is_err());
}

#[test]
fn the_workspace_wins_over_the_user() {
    let user = "[embedder]\nurl = \"http://mine\"\nmodel = \"mine\"\n";
    let workspace = "[embedder]\nmodel = \"ours\"\n";
    let env = Env::default();
    let c = Config::load_layers(Path::new("/w"), Some(workspace), Some(("config.toml", user)), &env).unwrap();
    assert_eq!(c.embedder.model, "ours");
    assert_eq!(c.embedder.url, Setting { value: "http://mine".into(), origin: Origin::User });
    assert_eq!(c.audit.keyring_path, None);
}

#[test]
fn mistakes_name_their_line_and_the_nearest_key() {
    let (message, hint) = refused("[limits]\n\nitem_char = 3\n");
    assert!(message.starts_with("govmem.toml:3: ") && message.contains("`item_char`"), "{message}");
    assert!(hint.contains("`item_chars`"), "{hint}");
    let (message, hint) = refused("\n[limit]\nitem_chars = 3\n");
    assert!(message.starts_with("govmem.toml:2: ") && hint.contains("`limits`"), "{message} {hint}");
    let (message, hint) = refused("[search]\ncolour = 1\n");
    assert!(message.contains("[search]") && hint.contains("min_score_default"), "{hint}");
    assert!(refused("a = \n").0.starts_with("govmem.toml:1: "));
    assert!(
        refused("[search]\nmin_score_default = 1\nmin_score_default = 1\n").0.starts_with("govmem.toml:3: ")
    );
    for (text, place) in [
        ("[search]\nmin_score_default = 1.0", "search.min_score_default"),
        ("[search]\nmin_score_default = nan", "search.min_score_default"),
        ("[search]\nmin_score_default = -0.1", "search.min_score_default"),
        ("[limits]\nlock_timeout_s = 0", "limits.lock_timeout_s"),
        ("[limits]\nstory_per_300s = -1", "limits.story_per_300s"),
        ("[limits]\nitem_chars = 99999999999999999999", "limits.item_chars"),
        ("[limits]\nitem_chars = \"3\"", "limits.item_chars"),
        ("[embedder]\nprovider = \"openai\"", "embedder.provider"),
        ("[veille]\nroots = \"docs\"", "veille.roots"),
        ("[veille]\nfields = { a = 1 }", "veille.fields"),
        ("[kpi]\nb5_merge = \"2026-02-30\"", "kpi.b5_merge"),
    ] {
        let (message, _) = refused(text);
        assert!(message.starts_with(&format!("govmem.toml:2: {place}: ")), "{message}");
    }
    assert!(refused("[clarifications]\ndomain = \"A B\"\n").0.contains("clarifications.domain"));
    assert!(refused("index = 3\n").0.contains("[index]"));
    assert!(refused("[[limits]]\nitem_chars = 1\n").0.contains("[limits]"));
}

#[test]
fn a_local_model_by_name_lies_in_the_model_cache() {
    let local = |model: &str, env: &[(&str, &str)]| {
        load(&format!("[embedder]\nprovider = \"local\"\nmodel = \"{model}\"\n"), env).map(|c| c.embedder.dir)
    };
    let home = [("HOME", "/home/u")];
    assert_eq!(local("m", &home).unwrap(), Some("/home/u/.cache/govmem/models/m".into()));
    assert_eq!(local("org/m", &home).unwrap(), Some("/home/u/.cache/govmem/models/org/m".into()));
    let cache = [("HOME", "/home/u"), ("XDG_CACHE_HOME", "/cache")];
    assert_eq!(local("m", &cache).unwrap(), Some("/cache/govmem/models/m".into()));
    assert_eq!(local("m", &[]).unwrap(), None);
    for odd in ["../m", "/etc", "a//b", "a/..", "."] {
        assert_eq!(local(odd, &home).unwrap_err().exit(), 2, "{odd}");
    }
    // A directory wins, and a server's model names no directory.
    let both = "[embedder]\nprovider = \"local\"\nmodel = \"m\"\ndir = \"~/x\"\n";
    assert_eq!(load(both, &home).unwrap().embedder.dir, Some("/home/u/x".into()));
    assert_eq!(load("[embedder]\nmodel = \"m\"\n", &home).unwrap().embedder.dir, None);
}
