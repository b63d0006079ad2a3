//! The four indicators of PD-295 §7bis, to the letter: what is counted, over what, against what.
//!
//! Each is a pure function from [`Facts`] to a [`Measure`]. A window that is not full yet gives the
//! status [`Status::Insufficient`], whatever the figures so far. Indicators are associations: none
//! says that an injection caused a verdict.

pub mod baseline;
pub mod cs1;
pub mod cs2;
pub mod cs3;
pub mod cs4;
mod render;

pub use baseline::{Baseline, freeze};
pub use render::{INSUFFICIENT, number, render, target};

use crate::base::{Error, Instant, Result};
use crate::memory::facts::{Facts, Window};
use crate::tr;

/// One of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kpi {
    /// Iterations at gate 8: share of GO at the first version, after against before.
    Cs1,
    /// Reuse of learnings.
    Cs2,
    /// Capitalisation of clarifications.
    Cs3,
    /// Activation of the watch.
    Cs4,
}

/// Where an indicator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The target is reached.
    Met,
    /// The window is full and the target is not reached.
    Missed,
    /// Measured; the specification sets no target.
    Measured,
    /// The window is not full, or there is nothing to divide by: "données insuffisantes".
    #[serde(rename = "insufficient_data")]
    Insufficient,
}

/// What an indicator's value is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A difference of two rates, −1 to 1.
    Rate,
    /// Per cent.
    Percent,
    /// Occurrences in 30 days.
    Occurrences,
    /// Stories.
    Stories,
}

/// The result of one indicator.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Measure {
    /// Which.
    pub kpi: Kpi,
    /// What was counted. For CS-1 the difference of the two counts, absent until both windows are full.
    pub numerator: Option<i64>,
    /// Over what: stories (CS-1, CS-3, CS-4) or learnings (CS-2).
    pub denominator: Option<i64>,
    /// The formula's result in [`Unit`]; provisional while the data are insufficient, absent when it
    /// cannot be computed.
    pub value: Option<f64>,
    /// The least value that meets the target; absent when there is none.
    pub target: Option<f64>,
    /// The verdict.
    pub status: Status,
    /// What value and target are counted in.
    pub unit: Unit,
    /// The span looked at, when it is known.
    pub window: Option<Window>,
    /// CS-2: below 20 % since T + 60 days.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alert: bool,
    /// Other figures worth knowing, by name.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub details: Vec<(&'static str, i64)>,
}

fn as_map<S: serde::Serializer>(pairs: &[(&'static str, i64)], s: S) -> std::result::Result<S::Ok, S::Error> {
    s.collect_map(pairs.iter().copied())
}

/// The four at once; CS-1 against `baseline`.
pub fn all(facts: &Facts, baseline: Option<&Baseline>) -> [Measure; 4] {
    [
        cs1::measure(facts, baseline),
        cs2::measure(facts, cs2::WINDOW_DAYS),
        cs3::measure(facts),
        cs4::measure(facts),
    ]
}

/// The instant of the merge, which CS-1, CS-2 and CS-4 are measured from.
///
/// # Errors
/// Usage (exit 2) when `[kpi] b5_merge` is not set.
pub fn require_merge(facts: &Facts) -> Result<Instant> {
    facts.b5_merge.ok_or_else(|| {
        Error::usage(tr!(
            "[kpi] b5_merge n'est pas renseigné",
            "[kpi] b5_merge is not set"
        ))
        .hint(tr!(
            "écrivez dans govmem.toml le jour de la mise en service de l'injection, par exemple b5_merge = \"2026-04-11\"",
            "write the day on which injection went live into govmem.toml, for instance b5_merge = \"2026-04-11\""
        ))
    })
}

/// Reads a window in days: `90d`, `90j` or `90`, from 1 to 3650.
///
/// # Errors
/// A message for the command line.
pub fn parse_days(text: &str) -> Result<i64, String> {
    let digits = text.strip_suffix(['d', 'j']).unwrap_or(text);
    let days = if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None };
    days.filter(|d| (1..=3650).contains(d))
        .ok_or_else(|| format!("{text:?} is not a number of days such as 90d (1 to 3650)"))
}

/// The measure of a window that cannot be placed: nothing is known.
fn unplaced(kpi: Kpi, unit: Unit, target: Option<f64>) -> Measure {
    Measure {
        kpi,
        numerator: None,
        denominator: None,
        value: None,
        target,
        status: Status::Insufficient,
        unit,
        window: None,
        alert: false,
        details: Vec::new(),
    }
}

/// A count as the JSON integer of a measure.
fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A small count as a value; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts of records stay far below 2^53")]
fn real(n: i64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_in_days() {
        assert_eq!(parse_days("90d"), Ok(90));
        assert_eq!(parse_days("60j"), Ok(60));
        assert_eq!(parse_days("7"), Ok(7));
        for bad in ["", "d", "0d", "-1d", "90 d", "90dd", "3651", "９0d", "99999999999999999999d"] {
            assert!(parse_days(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_machine_form() {
        let measure = Measure {
            numerator: Some(3),
            denominator: Some(10),
            value: Some(30.0),
            alert: true,
            details: vec![("created_before", 2)],
            ..unplaced(Kpi::Cs2, Unit::Percent, Some(30.0))
        };
        let text = serde_json::to_string(&measure).unwrap();
        assert_eq!(
            text,
            r#"{"kpi":"cs2","numerator":3,"denominator":10,"value":30.0,"target":30.0,"status":"insufficient_data","unit":"percent","window":null,"alert":true,"details":{"created_before":2}}"#
        );
    }
}
