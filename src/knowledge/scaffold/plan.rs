//! From units to pages: where each goes, what it is next to, what it says. Pure.

use std::collections::BTreeSet;

use super::draft::{Draft, Frame, page};
use super::relations::relate;
use super::themes::{Place, Theme, deduce};
use super::unit::Unit;
use crate::base::Date;
use crate::knowledge::Marker;
use crate::knowledge::names;
use crate::markdown::slug;

/// Pages of a theme above which they go into folders below it.
const CROWDED: usize = 14;

/// Whether a unit gets a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It gets one.
    New,
    /// A page describes it: path and title.
    Known(String, String),
    /// It has none and gets none now.
    Skipped,
}

/// The pages of the new units among these, none at a path of `taken`, and the themes of all.
pub fn plan(
    units: &[Unit],
    marker: &Marker,
    today: Date,
    taken: &BTreeSet<String>,
    standing: impl Fn(&Unit) -> Standing,
) -> (Vec<Draft>, Vec<Theme>) {
    let lang = marker.lang;
    let (places, themes) = deduce(units, lang);
    let crowded = |theme: &str| themes.iter().any(|t| t.name == theme && t.pages > CROWDED);
    let mut taken = taken.clone();
    let standings: Vec<Standing> = units.iter().map(standing).collect();
    let own_titles = titles(units);
    // Path and title of the page of each unit, where there is or will be one.
    let mut pages: Vec<Option<(String, String)>> = Vec::new();
    for (i, (unit, place)) in units.iter().zip(&places).enumerate() {
        pages.push(match &standings[i] {
            Standing::Known(path, title) => Some((path.clone(), title.clone())),
            Standing::Skipped => None,
            Standing::New => {
                let path = path(unit, place, crowded(&place.theme), marker, &taken);
                taken.insert(path.clone());
                Some((path, own_titles[i].clone()))
            }
        });
    }
    let draft = |(i, related): (usize, &Vec<usize>)| {
        let (path, title) = pages[i].clone().filter(|_| standings[i] == Standing::New)?;
        let mut related: Vec<(String, String)> = related.iter().filter_map(|j| pages[*j].clone()).collect();
        related.retain(|(other, _)| *other != path);
        related.dedup();
        let frame = Frame {
            lang,
            today,
            summary_max: marker.summary_max,
            path: &path,
            theme: &places[i].theme,
            related: &related,
        };
        let unit = Unit { title: title.clone(), ..units[i].clone() };
        let text = page(&unit, &frame);
        Some(Draft { path, title, text, refs: unit.refs })
    };
    let drafts = relate(units, &places).iter().enumerate().filter_map(draft).collect();
    (drafts, themes)
}

/// The titles, those that several units share told apart by their folder.
fn titles(units: &[Unit]) -> Vec<String> {
    let shared = |title: &str| units.iter().filter(|u| u.title == title).count() > 1;
    units
        .iter()
        .map(|unit| match (shared(&unit.title), unit.folder.last()) {
            (true, Some(folder)) if !unit.title.contains(folder.as_str()) => {
                format!("{} ({folder})", unit.title)
            }
            (true, _) => format!("{} ({})", unit.title, unit.name),
            _ => unit.title.clone(),
        })
        .collect()
}

fn path(unit: &Unit, place: &Place, crowded: bool, marker: &Marker, taken: &BTreeSet<String>) -> String {
    let lang = marker.lang;
    let mut folder = place.theme.clone();
    if crowded && let Some(below) = place.below.first().and_then(|name| slug::slug(name, lang).ok()) {
        folder = format!("{folder}/{below}");
    }
    let stem = match slug::slug(&unit.name, lang) {
        Ok(stem) => stem,
        Err(refused) => refused.proposal().map_or_else(|| "page".to_owned(), str::to_owned),
    };
    let stem = if names::is_reserved(marker, &format!("{stem}.md")) {
        format!("{}-{stem}", place.theme)
    } else {
        stem
    };
    let free = |stem: &str| !taken.contains(&format!("{folder}/{stem}.md"));
    if free(&stem) {
        return format!("{folder}/{stem}.md");
    }
    // The folder tells namesakes apart before a number does.
    let parent = unit.folder.last().and_then(|f| slug::slug(f, lang).ok()).map(|f| format!("{f}-{stem}"));
    let numbered = (2usize..).map(|n| format!("{stem}-{n}"));
    let name = parent.into_iter().chain(numbered).find(|name| free(name)).unwrap_or(stem);
    format!("{folder}/{name}.md")
}
