//! The scenarios of PD-295 §8 by name, through the binaries.
#![expect(clippy::expect_used, clippy::panic, reason = "a failed step is a failed test")]

#[path = "../support/governed.rs"]
mod governed;
#[path = "../support/http.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "each test binary uses a part of the helpers")]
mod http;
#[path = "../support/openbao.rs"]
#[expect(dead_code, reason = "each test binary uses a part of the helpers")]
mod openbao;
#[path = "../support/ringed.rs"]
mod ringed;
#[path = "../support/space.rs"]
#[expect(dead_code, reason = "each test binary uses a part of the helpers")]
mod space;

mod failed;
mod full_disk;
mod jobs;
mod killed;
mod killed_index;
mod redaction;

mod st_295_01;
mod st_295_02;
mod st_295_03;
mod st_295_04;
mod st_295_05;
mod st_295_06;
mod st_295_07;
mod st_295_08;
mod st_295_09;
mod st_295_10;
mod st_295_11;
mod st_295_12;
mod st_295_13;
mod st_295_14;
mod st_295_15;
mod st_295_16;
mod st_295_17;
mod st_295_18;
mod st_295_19;
mod st_295_20;
mod st_295_21;
mod st_295_22;
mod st_295_23;
mod st_295_24;
