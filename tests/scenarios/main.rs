//! The scenarios of PD-295 §8 by name, through the binaries.
#![expect(clippy::expect_used, reason = "a failed step is a failed test")]

#[path = "../support/governed.rs"]
#[expect(dead_code, reason = "each test binary uses a part of the helpers")]
mod governed;

mod st_295_17;
mod st_295_18;
