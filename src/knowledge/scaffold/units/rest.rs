//! Units of data descriptions, settings and tests.

use std::collections::BTreeMap;

use super::MOST;
use crate::base::lang::Lang;
use crate::knowledge::scaffold::data::{self, Described};
use crate::knowledge::scaffold::survey::{Sort, Survey};
use crate::knowledge::scaffold::text::readable;
use crate::knowledge::scaffold::unit::{Fact, Nature, Unit, segments};
use crate::knowledge::scaffold::{config, facts};

/// Files that are named one by one.
const FEW: usize = 6;

pub(super) fn units(survey: &Survey, lang: Lang) -> Vec<Unit> {
    let mut out = described(survey);
    out.extend(migrations(survey));
    out.extend(settings(survey, lang));
    out.extend(tests(survey));
    out
}

fn described(survey: &Survey) -> Vec<Unit> {
    let mut out = Vec::new();
    for path in survey.of(Sort::Data) {
        let Some(found) = survey.read(path).and_then(|text| data::read(path, &text)) else { continue };
        match found {
            Described::Api { title, about, routes } => {
                let mut unit = Unit::at(Nature::Api, path, title);
                (unit.kind, unit.priority, unit.about) = ("api", "p1", about);
                unit.tags = vec!["openapi".to_owned()];
                unit.behave(
                    routes.iter().map(|r| Fact::new(format!("{} {}", r.method, r.path), &r.handler)),
                    40,
                );
                out.push(named(unit));
            }
            Described::Schema { title, about, fields } => {
                let mut unit = Unit::at(Nature::Data, path, title);
                unit.about = about;
                unit.tags = vec!["json-schema".to_owned()];
                let field = |(name, kind, about): &(String, String, String)| {
                    let code = if kind.is_empty() { name.clone() } else { format!("{name}: {kind}") };
                    Fact::new(code, about)
                };
                unit.behave(fields.iter().map(field), 40);
                out.push(named(unit));
            }
        }
    }
    out
}

fn named(mut unit: Unit) -> Unit {
    if unit.title.is_empty() {
        unit.title = readable(&unit.name);
    }
    unit
}

/// One unit for each folder of SQL.
fn migrations(survey: &Survey) -> Vec<Unit> {
    let mut out = Vec::new();
    for (folder, files) in by_folder(survey.of(Sort::Sql)) {
        let mut unit = Unit::at(Nature::Data, &files[0], "");
        let last = folder.last().cloned().unwrap_or_else(|| "sql".to_owned());
        (unit.title, unit.name) = (format!("{} (SQL)", readable(&last)), format!("{last}-sql"));
        unit.tags = vec!["sql".to_owned()];
        for path in &files {
            let Some(text) = survey.read(path) else { continue };
            for (statement, table) in data::statements(&text) {
                if statement.contains("TABLE") && statement.starts_with("CREATE") {
                    unit.point(
                        data::columns(&text, &table)
                            .into_iter()
                            .map(|c| Fact::new(format!("{table}.{c}"), "")),
                        24,
                    );
                }
                unit.behave(
                    [Fact::new(format!("{statement} {table}"), path.rsplit('/').next().unwrap_or(path))],
                    24,
                );
            }
        }
        refer(&mut unit, &folder, files);
        out.push(unit);
    }
    out
}

/// One unit for each folder of settings, the root's pipelines and containers included.
fn settings(survey: &Survey, lang: Lang) -> Vec<Unit> {
    let mut out = Vec::new();
    for (folder, files) in by_folder(survey.of(Sort::Config)) {
        let mut unit = Unit::at(Nature::Operations, &files[0], "");
        let place = folder.last().map(|f| f.trim_start_matches('.').to_owned());
        unit.title = match &place {
            Some(place) => format!("Configuration ({place})"),
            None if lang == Lang::Fr => "Configuration du projet".to_owned(),
            None => "Project configuration".to_owned(),
        };
        unit.name =
            place.map_or_else(|| "configuration".to_owned(), |place| format!("configuration-{place}"));
        unit.audience = &["dev", "ops"];
        unit.priority = "p1";
        unit.tags = vec!["configuration".to_owned()];
        for path in &files {
            let Some(text) = survey.read(path) else { continue };
            let keys = config::keys(path, &text, 12);
            let keys: Vec<String> = keys.iter().map(|k| super::super::text::code(k)).collect();
            unit.behaviour.push(Fact { code: path.clone(), text: keys.join(", ") });
            unit.point(facts::read(path, &text).env.into_iter().map(|v| Fact::new(v, path)), MOST);
        }
        refer(&mut unit, &folder, files);
        out.push(unit);
    }
    out
}

/// One unit for each folder that holds tests.
fn tests(survey: &Survey) -> Vec<Unit> {
    let mut out = Vec::new();
    for (folder, files) in by_folder(survey.of(Sort::Test)) {
        let mut unit = Unit::at(Nature::Quality, &files[0], "");
        let place =
            folder.iter().rev().find(|f| !matches!(f.as_str(), "tests" | "test" | "__tests__" | "src"));
        unit.title = match place {
            Some(place) => format!("Tests ({place})"),
            None => "Tests".to_owned(),
        };
        unit.name = place.map_or_else(|| "tests".to_owned(), |place| format!("tests-{place}"));
        unit.audience = &["dev", "qa"];
        unit.tags = vec!["tests".to_owned()];
        for path in &files {
            let Some(text) = survey.read(path) else { continue };
            let read = facts::read(path, &text);
            if unit.about.is_empty() {
                unit.about = facts::first_paragraph(&read.doc);
            }
            let names = read
                .tests
                .iter()
                .map(|name| Fact::new(name.clone(), path.rsplit('/').next().unwrap_or(path)));
            unit.behave(names, 30);
            unit.imports.extend(read.imports);
        }
        refer(&mut unit, &folder, files);
        out.push(unit);
    }
    out
}

fn by_folder<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeMap<Vec<String>, Vec<String>> {
    let mut out: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for path in paths {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        out.entry(segments(folder)).or_default().push(path.to_owned());
    }
    out
}

/// Names the files themselves while they are few, else their folder; of the repository's own folder the
/// first ones, for it holds everything.
fn refer(unit: &mut Unit, folder: &[String], files: Vec<String>) {
    unit.refs = if files.len() <= FEW {
        files.clone()
    } else if folder.is_empty() {
        unit.unnamed = files.len() - FEW;
        files[..FEW].to_vec()
    } else {
        vec![format!("{}/", folder.join("/"))]
    };
    unit.members = files;
}
