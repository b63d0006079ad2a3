//! The estimator against the real vocabulary.

use govmem::knowledge::tokens::estimate;

/// Never below o200k on a page, at most 15 % above on a base.
#[test]
fn estimates_hold_on_the_handed_bases() {
    let Some(kb) = super::data::shared("kb") else { return };
    let o200k = tiktoken_rs::o200k_base().expect("vocabulary");
    for base in
        ["astro-docs/src/content/docs/fr", "astro-docs/src/content/docs/en", "openspec", "rumdl", "madr"]
    {
        let (mut ours, mut real) = (0, 0);
        for (path, text) in super::data::pages(&kb.join(base)) {
            let (e, r) = (estimate(&text), o200k.encode_ordinary(&text).len());
            assert!(e >= r, "{}: {e} < {r}", path.display());
            ours += e;
            real += r;
        }
        assert!(real > 0 && ours * 100 <= real * 115, "{base}: {ours} for {real}");
    }
}
