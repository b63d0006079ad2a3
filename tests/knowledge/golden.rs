//! The norm's complete example: three pages and the three files they give.

use crate::world::World;
use govmem::knowledge::indexes;

/// The pages' front matter and links are those of the norm's annex F; their prose is ours.
fn example() -> World {
    let w = World::new("summary_max: 240\ncheck_on_update: true\n");
    let page = |title: &str, summary: &str, kind: &str, tags: &str, more: &str, body: &str| {
        format!(
            "---\ntitle: \"{title}\"\nsummary: \"{summary}\"\ntype: {kind}\nstatus: stable\ntags: [{tags}]\n{more}created: 2026-07-01\nupdated: 2026-07-01\nversion: \"1.2\"\n---\n\n{body}\n"
        )
    };
    w.write(
        "docs/perimetre-fonctionnel/authentification/login.md",
        &page(
            "Authentification par login",
            "Flux de connexion par identifiant/mot de passe, MFA optionnel, verrouillage après N échecs.",
            "feature",
            "auth, login, mot-de-passe, mfa",
            "audience: [dev, po]\nrelated: [securite/mfa.md]\npriority: p1\n",
            "# Login\n\nVoir [Session](session.md), puis [MFA](../../securite/mfa.md).\n\nEncore [Session](session.md).",
        ),
    );
    w.write(
        "docs/perimetre-fonctionnel/authentification/session.md",
        &page(
            "Gestion de session",
            "Gestion de session : création, durée de vie, rotation, révocation.",
            "feature",
            "auth, session, cookie",
            "related: []\npriority: p1\n",
            "# Session\n\nAprès le [Login](login.md).",
        ),
    );
    w.write(
        "docs/securite/mfa.md",
        &page(
            "Authentification multi-facteurs (MFA)",
            "Second facteur TOTP/matériel : enrollment, vérification et repli.",
            "concept",
            "securite, mfa, 2fa, totp",
            "related: [perimetre-fonctionnel/authentification/login.md]\npriority: p0\n",
            "# MFA\n\nPour le [login](../perimetre-fonctionnel/authentification/login.md).",
        ),
    );
    w
}

#[test]
fn overview_as_the_norm_prints_it() {
    let w = example();
    w.index();
    let expected = "\
# OVERVIEW — Carte de la base de connaissance

> Auto-généré — NE PAS ÉDITER. Généré le 2026-07-01. Documents : 3.

perimetre-fonctionnel (2)
  authentification (2)
    login.md
    session.md
securite (1)
  mfa.md
";
    assert_eq!(w.read("docs/OVERVIEW.md"), expected);
}

#[test]
fn manifest_as_the_norm_prints_it() {
    let w = example();
    w.index();
    let expected = "\
# INDEX — Manifeste

> Auto-généré — NE PAS ÉDITER. Généré le 2026-07-01. Documents : 3.

| chemin | type | statut | prio | tags | résumé |
|---|---|---|---|---|---|
| perimetre-fonctionnel/authentification/login.md | feature | stable | p1 | auth,login,mot-de-passe,mfa | Flux de connexion par identifiant/mot de passe, MFA optionnel, verrouillage après N échecs. |
| perimetre-fonctionnel/authentification/session.md | feature | stable | p1 | auth,session,cookie | Gestion de session : création, durée de vie, rotation, révocation. |
| securite/mfa.md | concept | stable | p0 | securite,mfa,2fa,totp | Second facteur TOTP/matériel : enrollment, vérification et repli. |
";
    assert_eq!(w.read("docs/INDEX.md"), expected);
}

/// The norm prints a time of day and no `related` for mfa; the date is the pages' and the pages win.
#[test]
fn relations_as_the_norm_prints_them() {
    let w = example();
    w.index();
    let expected = "\
# Auto-généré — NE PAS ÉDITER.
version: \"1\"
generated: \"2026-07-01\"
nodes:
  perimetre-fonctionnel/authentification/login.md:
    links:
      - perimetre-fonctionnel/authentification/session.md
      - securite/mfa.md
    related:
      - securite/mfa.md
    linked_by:
      - perimetre-fonctionnel/authentification/session.md
      - securite/mfa.md
  perimetre-fonctionnel/authentification/session.md:
    links:
      - perimetre-fonctionnel/authentification/login.md
    related: []
    linked_by:
      - perimetre-fonctionnel/authentification/login.md
  securite/mfa.md:
    links:
      - perimetre-fonctionnel/authentification/login.md
    related:
      - perimetre-fonctionnel/authentification/login.md
    linked_by:
      - perimetre-fonctionnel/authentification/login.md
";
    assert_eq!(w.read("docs/RELATIONS.yaml"), expected);
}

#[test]
fn the_last_link_and_related_take_the_edge_with_them() {
    let w = example();
    let login = "docs/perimetre-fonctionnel/authentification/login.md";
    let linked_by_login = |w: &World| {
        w.index();
        let base = w.base();
        base.graph.nodes["securite/mfa.md"]
            .linked_by
            .contains("perimetre-fonctionnel/authentification/login.md")
    };
    assert!(linked_by_login(&w));
    w.write(login, &w.read(login).replace("[MFA](../../securite/mfa.md)", "le MFA"));
    assert!(linked_by_login(&w), "related still holds it");
    w.write(login, &w.read(login).replace("related: [securite/mfa.md]", "related: []"));
    assert!(!linked_by_login(&w));
    let relations = w.read("docs/RELATIONS.yaml");
    assert!(
        relations.ends_with("      - perimetre-fonctionnel/authentification/login.md\n    linked_by: []\n"),
        "{relations}"
    );
}

#[test]
fn a_second_run_writes_nothing() {
    let w = example();
    w.index();
    let before = w.files();
    let plan = indexes::plan(&w.base());
    assert!(plan.is_current(), "{plan:?}");
    w.index();
    assert_eq!(w.files(), before);
}

#[test]
fn a_page_that_does_not_parse_stays_everywhere() {
    let w = example();
    w.write("docs/securite/broken.md", "---\nsummary: a : b\n---\n[x](mfa.md)\n");
    w.index();
    assert!(w.read("docs/INDEX.md").contains("| securite/broken.md | ? | ? | ? | ? | ? |\n"));
    assert!(w.read("docs/OVERVIEW.md").contains("  broken.md ?\n"));
    assert!(w.read("docs/RELATIONS.yaml").contains("  securite/broken.md:\n    mark: \"?\"\n"));
}

#[test]
fn dates_are_the_pages_and_a_base_without_any_says_so() {
    let w = World::new("");
    w.write("docs/a.md", "# no front matter\n");
    w.index();
    assert!(w.read("docs/INDEX.md").contains("Généré le —. Documents : 1."));
    assert!(w.read("docs/RELATIONS.yaml").contains("generated: \"—\""));
}
