//! B5: the unified injection of step 0, its steps in order and nothing else.
//!
//! Exit 0 means that the events are on disk and that the ids signed are the ids shown. A refusal
//! (rate limit) consumes nothing; a replay consumes a place and signs nothing.

use crate::audit::{Event, Place, Trail, TrailPaths};
use crate::base::id::{Slug, StoryId};
use crate::base::{Code, Error, Instant, Kind, Result, both, secret};
use crate::guard::Outcome::{Complete, Degraded};
use crate::guard::{Done, Key, Ledger, Lookup, Rate, rate};
use crate::memory::block::{self, Caps, Header, Section};
use crate::memory::search::{self, QueryVector, Scope};
use crate::memory::{Memory, clarifications, corpus, learnings, query};
use crate::store::Source;
use crate::store::lock::{Clarifications, Learnings, Scores, State, Trail as TrailLock, Veille};
use crate::tr;
use crate::vector::Ahead;

/// How many items each source brings, in the order of [`Source::ALL`]: fixed by the contract.
pub const TOP_K: [usize; 3] = [5, 3, 3];
/// The operation in events and in the idempotency key.
pub const OPERATION: &str = "step0_injection";

/// What is injected for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The story.
    pub story: StoryId,
    /// Its title.
    pub title: String,
    /// Its domain.
    pub domain: Slug,
    /// Its project.
    pub project: Slug,
    /// The query instead of title, domain and project.
    pub query: Option<String>,
}

/// An injection, fresh or replayed.
#[derive(Clone, Debug)]
pub struct Injection {
    /// The story.
    pub story: StoryId,
    /// The instant of the events.
    pub at: Instant,
    /// The query that was searched.
    pub query: String,
    /// The ids shown and signed, in the order of [`Source::ALL`].
    pub ids: [Vec<String>; 3],
    /// The sources that were down.
    pub unavailable: Vec<Source>,
    /// Returned from an earlier call of the same five minutes; nothing was signed now.
    pub replayed: bool,
    /// The block.
    pub block: String,
}

impl Injection {
    /// Every source answered.
    pub fn is_complete(&self) -> bool {
        self.unavailable.is_empty()
    }
}

/// Injects step 0.
///
/// # Errors
/// Usage and ERR-295-17 for the query; ERR-295-16 without the key, nothing written; ERR-295-09 for a
/// lock; ERR-295-11 with the seconds to wait; ERR-295-10; ERR-295-06 when the three sources are
/// down; ERR-295-12 and ERR-295-14 when the events are not on disk, and then there is no block.
pub fn inject(memory: &Memory<'_>, request: &Request) -> Result<Injection> {
    let query = query::build(
        request.query.as_deref(),
        &request.title,
        request.domain.as_str(),
        request.project.as_str(),
    )?;
    search::refuse_secret(&query)?;
    let keyring = memory.keyring()?;
    keyring.current()?;
    // The lessons' index is the largest file, and hashing it the longest part: it begins first.
    let ahead = corpus::files(&memory.workspace, Source::Learning).hash_ahead();
    let vector = search::query_vector(memory, &query);

    let mut locks = memory.locks();
    let gate = locks.begin().gate()?;
    let (_learnings, gate) = gate.shared::<Learnings>()?;
    let (_scores, gate) = gate.shared::<Scores>()?;
    let (_veille, gate) = gate.shared::<Veille>()?;
    let (_clarifications, gate) = gate.shared::<Clarifications>()?;
    let (state, order) = gate.leave().exclusive::<State>()?;

    let now = memory.clock.now();
    let mut ledger = Ledger::load(&memory.workspace.idempotency_state(), &state)?;
    let limits = &memory.config.limits;
    let rate = Rate { story: limits.story_per_300s, workspace: limits.workspace_per_300s };
    let key = Key::new(&request.story, 0, OPERATION, now);
    let consume = || rate::consume(&memory.workspace.rate_state(), &request.story, now, rate, &state);
    if let Lookup::Replay(done) = ledger.lookup(&key, now) {
        consume()?;
        return replay(request, done, &query);
    }
    // The searches change nothing: they run while the two states reach the disk.
    let (sections, kept) = both(
        || search_all(memory, request, vector, ahead, now),
        || {
            consume()?;
            ledger.begin(&key, now, &state)
        },
    );
    kept?;
    let sections = sections?;
    let injection = render(memory, request, now, query, &sections);
    let (trail_lock, _) = order.exclusive::<TrailLock>()?;
    let mut trail = Trail::open(&TrailPaths::of(&memory.workspace), keyring.as_ref(), now, &trail_lock)?;
    trail.append(&events(request, &injection, &sections))?;
    if injection.unavailable.len() == Source::ALL.len() {
        return Err(all_down(&sections));
    }
    ledger.finish(&key, done(&injection)?, now, &state)?;
    Ok(injection)
}

fn render(
    memory: &Memory<'_>,
    request: &Request,
    at: Instant,
    query: String,
    sections: &[Section; 3],
) -> Injection {
    let ids = sections.each_ref().map(|section| match section {
        Section::Items(items) => items.iter().map(|i| i.id.clone()).collect(),
        Section::Unavailable(_) => Vec::new(),
    });
    let down = |s: &Source| matches!(sections[*s as usize], Section::Unavailable(_));
    let unavailable: Vec<Source> = Source::ALL.into_iter().filter(down).collect();
    let header = Header {
        story: request.story.as_str(),
        instant: at,
        complete: unavailable.is_empty(),
        replayed: false,
        first_query: None,
    };
    let limits = &memory.config.limits;
    let block = block::render(&header, sections, Caps { item: limits.item_chars, block: limits.block_chars });
    Injection { story: request.story.clone(), at, query, ids, unavailable, replayed: false, block }
}

/// What a replay needs beside the block.
#[derive(serde::Serialize, serde::Deserialize)]
struct Kept {
    ids: [Vec<String>; 3],
    unavailable: Vec<Source>,
}

fn done(injection: &Injection) -> Result<Done> {
    let kept = Kept { ids: injection.ids.clone(), unavailable: injection.unavailable.clone() };
    Ok(Done {
        query: injection.query.clone(),
        block: injection.block.clone(),
        outcome: if injection.is_complete() { Complete } else { Degraded },
        at: injection.at,
        document: serde_json::to_value(kept).map_err(|e| Error::new(Kind::Bug, e.to_string()))?,
    })
}

/// The block of an earlier call: the same sections under a first line that says so, and the first
/// query when it was another one.
fn replay(request: &Request, done: Done, query: &str) -> Result<Injection> {
    let kept: Kept = serde_json::from_value(done.document)
        .map_err(|e| Error::memory(Code::IdempotencyState, e.to_string()).hint("govmem doctor --fix"))?;
    let header = Header {
        story: request.story.as_str(),
        instant: done.at,
        complete: kept.unavailable.is_empty(),
        replayed: true,
        first_query: Some(done.query.as_str()).filter(|first| *first != query),
    };
    let block = block::with_header(&header, &done.block);
    Ok(Injection {
        story: request.story.clone(),
        at: done.at,
        query: done.query,
        ids: kept.ids,
        unavailable: kept.unavailable,
        replayed: true,
        block,
    })
}

/// The three searches, in parallel; each one that fails becomes an unavailable section.
fn search_all(
    memory: &Memory<'_>,
    request: &Request,
    vector: Result<QueryVector>,
    ahead: Ahead,
    now: Instant,
) -> [Section; 3] {
    let vector = match vector {
        Ok(vector) => vector,
        Err(e) => return std::array::from_fn(|_| unavailable(&e)),
    };
    let filter = learnings::search::Filter {
        min_score: memory.config.search.min_score_default,
        max_per_story: memory.config.limits.max_per_story,
        ..Default::default()
    };
    let scopes = [
        Scope::Learnings { filter, archived: false },
        Scope::Veille(Default::default()),
        Scope::Clarifications(clarifications::search::Filter {
            domain: request.domain.clone(),
            project: request.project.clone(),
        }),
    ];
    let today = now.date();
    let find = |i: usize, ahead| search::find(memory, &scopes[i], &vector, TOP_K[i], today, ahead);
    let (others, lessons) = both(|| (find(1, None), find(2, None)), || find(0, Some(ahead)));
    let (notes, clarifications) = others.unwrap_or_else(|e| {
        let again = Error::new(Kind::Bug, e.to_string());
        (Err(e), Err(again))
    });
    let found = [lessons, notes, clarifications];
    found.map(|found| found.map_or_else(|e| unavailable(&e), Section::Items))
}

fn unavailable(error: &Error) -> Section {
    let code = Code::SourceUnavailable;
    Section::Unavailable(format!("{code} {}: {}", code.name(), secret::mask(&error.to_string())))
}

/// One event per source, all of one instant.
fn events(request: &Request, injection: &Injection, sections: &[Section; 3]) -> Vec<Event> {
    let place = Place { story: &request.story, domain: &request.domain, project: &request.project };
    let (at, query) = (injection.at, &injection.query);
    let event = |source: Source| match &sections[source as usize] {
        Section::Items(_) => Event::step0(source, at, place, query, injection.ids[source as usize].clone()),
        Section::Unavailable(why) => Event::source_unavailable(source, at, place, query, why),
    };
    Source::ALL.into_iter().map(event).collect()
}

fn all_down(sections: &[Section; 3]) -> Error {
    let mut causes: Vec<&str> = Vec::new();
    for section in sections {
        if let Section::Unavailable(why) = section {
            causes.push(why);
        }
    }
    causes.dedup();
    Error::memory(
        Code::AllSourcesUnavailable,
        tr!(
            "les trois sources sont indisponibles : {}",
            "the three sources are down: {}",
            causes.join(" ; ")
        ),
    )
    .hint("govmem doctor")
}
