//! ST-295-12: the rate limit is asked before idempotency.

use crate::space::Space;

#[test]
fn st_295_12_a_replay_is_refused_when_the_window_is_full() {
    let space = Space::new("");
    // Given ten injections of one story, replays included.
    for _ in 0..10 {
        space.inject("PD-42", "Codes").expect(0);
    }
    // When the eleventh comes, although its bucket could be replayed, then the limiter answers first.
    let answer = space.inject("PD-42", "Codes").expect(75);
    assert!(answer.err.contains("ERR-295-11"), "{}", answer.err);
}
