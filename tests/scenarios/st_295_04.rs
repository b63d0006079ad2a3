//! ST-295-04: clarifications cannot be searched without both filters.

use crate::space::Space;

#[test]
fn st_295_04_domain_and_project_are_required() {
    let space = Space::new("");
    for args in [&[][..], &["--domain", "auth"], &["--project", "backend"]] {
        let answer = space.run("govmem", &[&["search", "clarifications", "mfa"], args].concat()).expect(2);
        assert!(answer.err.contains("ERR-295-04 FILTER_REQUIRED"), "{}", answer.err);
    }
}
