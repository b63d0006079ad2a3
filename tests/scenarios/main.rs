//! The scenarios of PD-295 §8 by name, through the binaries.
#![expect(clippy::expect_used, reason = "a failed step is a failed test")]

#[path = "../support/governed.rs"]
mod governed;

mod st_295_17;
mod st_295_18;
mod st_295_22;
mod st_295_23;
