//! The governance memory through its binaries: step 0 from real documents to a verified trail.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed step is a failed test")]

#[path = "../support/hostile_http.rs"]
#[expect(dead_code, reason = "each test binary uses a part of the helpers")]
mod hostile_http;
#[path = "../support/http.rs"]
#[expect(dead_code, reason = "each test binary uses a part of the helpers")]
mod http;
#[path = "../support/space.rs"]
mod space;

mod block;
mod clarify;
mod feed;
mod flow;
mod guarded;
mod imports;
mod lookalikes;
mod real_input;
mod retained;
mod searches;
