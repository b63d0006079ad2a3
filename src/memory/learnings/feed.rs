//! Adding lessons: one by hand, or many from other people's files. Nothing is ever overwritten.

use std::collections::HashMap;

use super::foreign::{Incoming, text_tag, title_slug};
use crate::base::id::tag_hash;
use crate::base::{Error, Instant, Result};
use crate::memory::Memory;
use crate::memory::excluded::Excluded;
use crate::memory::secrets;
use crate::store::jsonl::{self, Snapshot};
use crate::store::lock::Learnings;
use crate::store::schema::{self, Learning, Record, Scope, Status};
use crate::tr;

/// What an import did, every item counted once.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Imported {
    /// Items read.
    pub read: usize,
    /// Lessons added.
    pub added: usize,
    /// Of those, how many got a further tag because another text held their id.
    pub disambiguated: usize,
    /// Items whose text is there already under the same id.
    pub same: usize,
    /// Items left out, with the reason.
    pub excluded: Vec<Excluded>,
    /// The ids added, in order.
    pub ids: Vec<String>,
}

/// Ids and texts that are taken.
#[derive(Debug, Default)]
pub struct Taken(HashMap<String, String>);

impl Taken {
    /// Those of the lines of `snapshot`, archived ones included.
    pub fn of(snapshot: &Snapshot) -> Self {
        let loaded = schema::load::<Learning>(snapshot);
        let mut taken = HashMap::new();
        for (_, learning) in loaded.records {
            taken.entry(learning.id()).or_insert(learning.lesson);
        }
        Taken(taken)
    }
}

/// How an incoming lesson fits beside those that are there.
#[derive(Clone, Debug, PartialEq)]
pub enum Fit {
    /// New.
    Added(Box<Learning>),
    /// New, under an id made different by a further tag.
    Disambiguated(Box<Learning>),
    /// The same text is there.
    Same,
}

/// Settles the id of `incoming`; the id is taken from then on.
pub fn fit(taken: &mut Taken, incoming: &Incoming, imported_at: Option<Instant>) -> Fit {
    let tags = incoming.tags.clone();
    let mut candidates = vec![tags.clone()];
    for extra in
        [title_slug(incoming.title.as_deref()), Some(text_tag(&incoming.lesson))].into_iter().flatten()
    {
        candidates.push([tags.clone(), vec![extra]].concat());
    }
    for (tries, tags) in candidates.into_iter().enumerate() {
        let learning = learning(incoming, tags, imported_at);
        let id = learning.id();
        match taken.0.get(&id) {
            Some(text) if *text == learning.lesson => return Fit::Same,
            // The next candidate's tags make another id; the last one holds the text's own hash.
            Some(_) => {}
            None => {
                taken.0.insert(id, learning.lesson.clone());
                let boxed = Box::new(learning);
                return if tries == 0 { Fit::Added(boxed) } else { Fit::Disambiguated(boxed) };
            }
        }
    }
    Fit::Same
}

fn learning(incoming: &Incoming, tags: Vec<String>, imported_at: Option<Instant>) -> Learning {
    let mut learning = Learning {
        story: incoming.story.clone(),
        gate: incoming.gate,
        tag_hash: Some(tag_hash(&tags)),
        tags,
        lesson: incoming.lesson.clone(),
        title: incoming.title.clone(),
        domain: incoming.domain.clone(),
        project: incoming.project.clone(),
        created_at: incoming.created_at,
        learning_id: None,
        scope: Some(Scope::Story),
        status: Some(Status::Active),
        imported_at,
        archived_at: None,
        restored_at: None,
        refs: incoming.refs.clone(),
        source: Default::default(),
    };
    learning.learning_id = Some(learning.id());
    learning
}

/// Refuses a lesson that holds a secret; names field, line and rule, never the value.
///
/// # Errors
/// The reason.
pub fn refuse_secrets(incoming: &Incoming) -> Result<(), String> {
    let tags = incoming.tags.join("\n");
    let fields = [
        ("lesson", incoming.lesson.as_str()),
        ("title", incoming.title.as_deref().unwrap_or("")),
        ("tags", &tags),
    ];
    secrets::refuse(&fields)
}

/// Adds the lessons that fit, in one append under the learnings lock. `imported_at` marks them as
/// imported; with `dry_run` nothing is written.
///
/// # Errors
/// ERR-295-09; I/O.
pub fn add(
    memory: &Memory<'_>,
    incoming: &[Incoming],
    imported_at: Option<Instant>,
    dry_run: bool,
) -> Result<Imported> {
    let mut report = Imported { read: incoming.len(), ..Imported::default() };
    let mut locks = memory.locks();
    let (guard, _) = locks.begin().gate()?.exclusive::<Learnings>()?;
    let path = memory.workspace.learnings();
    let mut taken = Taken::of(&Snapshot::read(&path)?);
    let mut lines = Vec::new();
    for item in incoming {
        if let Err(reason) = refuse_secrets(item) {
            let (origin, line) = item.origin.clone();
            report.excluded.push(Excluded { origin, line, reason });
            continue;
        }
        match fit(&mut taken, item, imported_at) {
            Fit::Same => report.same += 1,
            fit @ (Fit::Added(_) | Fit::Disambiguated(_)) => {
                let was_disambiguated = matches!(fit, Fit::Disambiguated(_));
                let (Fit::Added(learning) | Fit::Disambiguated(learning)) = fit else { continue };
                let line = learning.to_line();
                // What would be left out on every reading is refused on writing.
                if let Err(invalid) = Learning::parse(&line) {
                    let (origin, line) = item.origin.clone();
                    let reason =
                        format!("{} {} {}", invalid.reason, invalid.field.unwrap_or(""), invalid.detail);
                    report.excluded.push(Excluded { origin, line, reason });
                    continue;
                }
                report.disambiguated += usize::from(was_disambiguated);
                report.added += 1;
                report.ids.push(learning.id());
                lines.push(line);
            }
        }
    }
    if !dry_run && !lines.is_empty() {
        jsonl::append(&path, &lines, memory.clock.now(), &guard)?;
    }
    Ok(report)
}

/// Records one lesson by hand.
///
/// # Errors
/// Usage (exit 2) for a secret, an empty lesson or tags, or a text that is there already.
pub fn learn(memory: &Memory<'_>, incoming: Incoming) -> Result<String> {
    if incoming.lesson.trim().is_empty() || incoming.tags.iter().all(|t| t.trim().is_empty()) {
        return Err(Error::usage(tr!("leçon ou étiquettes vides", "the lesson or the tags are empty")));
    }
    refuse_secrets(&incoming).map_err(|reason| {
        Error::usage(format!("{reason} ; {}", tr!("rien n'a été écrit", "nothing was written")))
            .hint(tr!("retirez-le et révoquez-le", "remove it and revoke it"))
    })?;
    let report = add(memory, &[incoming], None, false)?;
    if let Some(refused) = report.excluded.first() {
        return Err(Error::usage(refused.reason.clone()));
    }
    report.ids.into_iter().next().ok_or_else(|| {
        Error::usage(tr!("cette leçon est déjà enregistrée", "this lesson is recorded already"))
            .hint("govmem list learnings --story …")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::{Slug, StoryId};

    fn incoming(title: &str, lesson: &str) -> Incoming {
        Incoming {
            story: StoryId::parse("PD-1").unwrap(),
            gate: 8,
            domain: Slug::parse("auth").unwrap(),
            project: Slug::parse("backend").unwrap(),
            tags: vec!["mfa".into()],
            title: Some(title.into()),
            lesson: lesson.into(),
            created_at: Instant::from_unix(0),
            refs: vec![],
            origin: (String::new(), None),
        }
    }

    #[test]
    fn the_same_id_gets_a_further_tag_and_the_same_text_is_skipped() {
        let mut taken = Taken::default();
        let mut tags = |title: &str, lesson: &str| match fit(&mut taken, &incoming(title, lesson), None) {
            Fit::Added(l) => format!("added {}", l.tags.join(",")),
            Fit::Disambiguated(l) => format!("disambiguated {}", l.tags.join(",")),
            Fit::Same => "same".into(),
        };
        assert_eq!(tags("A", "one"), "added mfa");
        assert_eq!(tags("A", "one"), "same");
        assert_eq!(tags("B c", "two"), "disambiguated mfa,b-c");
        // Title slug taken too: the first 12 hex digits of SHA-256("three").
        assert_eq!(tags("B c", "three"), format!("disambiguated mfa,{}", text_tag("three")));
        assert_eq!(tags("B c", "three"), "same");
        assert_eq!(text_tag("three"), "8b5b9db0c13d");
    }
}
