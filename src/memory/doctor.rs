//! Examining a workspace, and repairing what can be repaired without guessing.
//!
//! A repair never throws bytes away: torn tails and unreadable state files are moved aside.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::base::{Error, Instant, Result};
use crate::guard::{Ledger, rate};
use crate::memory::{Memory, corpus, init};
use crate::store::Source;
use crate::store::jsonl::{self, Snapshot};
use crate::store::lock::{Clarifications, Learnings, Reindex, Scores, State, Veille, Writing};
use crate::store::schema::{self, Clarification, Exclusion, Learning, Metric, Record, Score};
use crate::tr;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Sound.
    Ok,
    /// Worth a look.
    Warning,
    /// Something does not work.
    Error,
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// How bad.
    pub level: Level,
    /// What it is about: a file relative to the workspace, or `keyring`, `embedder`.
    pub subject: String,
    /// What was found.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// Repaired by this run.
    pub fixed: bool,
}

struct Exam<'e, 'm> {
    memory: &'e Memory<'m>,
    fix: bool,
    findings: Vec<Finding>,
}

/// Examines everything; with `fix` repairs and says which file.
///
/// # Errors
/// ERR-295-09 while repairing; I/O.
pub fn run(memory: &Memory<'_>, fix: bool) -> Result<Vec<Finding>> {
    let mut exam = Exam { memory, fix, findings: Vec::new() };
    exam.git_files();
    exam.stores()?;
    exam.indexes()?;
    exam.state()?;
    exam.services();
    Ok(exam.findings)
}

impl Exam<'_, '_> {
    fn say(&mut self, level: Level, subject: impl Into<String>, message: String, hint: Option<String>) {
        self.findings.push(Finding { level, subject: subject.into(), message, hint, fixed: false });
    }

    fn repaired(&mut self, subject: impl Into<String>, message: String) {
        let subject = subject.into();
        self.findings.push(Finding { level: Level::Ok, subject, message, hint: None, fixed: true });
    }

    fn git_files(&mut self) {
        let root = self.memory.workspace.root();
        if !root.join(".git").exists() {
            return;
        }
        for (name, lines) in [(".gitignore", &init::IGNORED[..]), (".gitattributes", &init::ATTRIBUTES[..])] {
            let text = std::fs::read_to_string(root.join(name)).unwrap_or_default();
            let missing = lines.iter().filter(|l| !text.lines().any(|t| t.trim() == **l)).count();
            if missing == 0 {
                continue;
            }
            if self.fix && init::complete_git_files(root).is_ok() {
                self.repaired(name, tr!("{missing} lignes ajoutées", "{missing} lines added"));
            } else {
                let message =
                    tr!("{missing} lignes de govmem manquent", "{missing} lines of govmem are missing");
                self.say(Level::Warning, name, message, Some("govmem doctor --fix".into()));
            }
        }
    }

    fn stores(&mut self) -> Result<()> {
        let ws = self.memory.workspace.clone();
        self.store::<Learning>(&ws.learnings())?;
        self.store::<Score>(&ws.scores())?;
        self.store::<Metric>(&ws.metrics())?;
        self.store::<crate::store::schema::Veille>(&ws.veille())?;
        self.store::<Clarification>(&ws.clarifications())?;
        if !self.fix {
            return Ok(());
        }
        let mut locks = self.memory.locks();
        let gate = locks.begin().gate()?;
        let (learnings, gate) = gate.exclusive::<Learnings>()?;
        let (scores, gate) = gate.exclusive::<Scores>()?;
        let (veille, gate) = gate.exclusive::<Veille>()?;
        let (clarifications, _) = gate.exclusive::<Clarifications>()?;
        let now = self.memory.clock.now();
        self.repair_tail(&ws.learnings(), now, &learnings)?;
        self.repair_tail(&ws.scores(), now, &scores)?;
        self.repair_tail(&ws.metrics(), now, &scores)?;
        self.repair_tail(&ws.veille(), now, &veille)?;
        self.repair_tail(&ws.clarifications(), now, &clarifications)
    }

    /// Reads a record file and reports its lines that do not count.
    fn store<T: Record + 'static>(&mut self, path: &Path) -> Result<()> {
        let name = self.name(path);
        let snapshot = match Snapshot::read(path) {
            Ok(snapshot) => snapshot,
            Err(e) => {
                self.say(Level::Error, name, e.to_string(), e.hint_text().map(str::to_owned));
                return Ok(());
            }
        };
        let mut loaded = schema::load::<T>(&snapshot);
        if let Some(learnings) =
            (&mut loaded as &mut dyn std::any::Any).downcast_mut::<schema::Loaded<Learning>>()
        {
            learnings.exclude_drift(&snapshot);
            learnings.exclude_duplicates(&snapshot);
        }
        for exclusion in loaded.excluded.iter().take(20) {
            self.exclusion(&name, exclusion);
        }
        if let Some(torn) = &loaded.torn
            && !self.fix
        {
            let (line, offset) = (torn.number, torn.offset);
            let message =
                tr!("ligne {line} inachevée à l'octet {offset}", "unfinished line {line} at byte {offset}");
            self.say(Level::Warning, &name, message, Some("govmem doctor --fix".into()));
        }
        let (kept, out) = (loaded.records.len(), loaded.excluded.len());
        self.say(
            Level::Ok,
            name,
            tr!("{kept} enregistrements, {out} exclus", "{kept} records, {out} excluded"),
            None,
        );
        Ok(())
    }

    fn exclusion(&mut self, name: &str, exclusion: &Exclusion) {
        let hint = tr!(
            "corrigez la ligne {} de {name} ; rien n'est supprimé",
            "correct line {} of {name}; nothing is removed",
            exclusion.line
        );
        self.say(Level::Warning, name, exclusion.to_string(), Some(hint));
    }

    fn repair_tail(&mut self, path: &Path, now: Instant, guard: &impl Writing) -> Result<()> {
        if !path.exists() || Snapshot::read(path).is_ok_and(|s| s.torn().is_none()) {
            return Ok(());
        }
        let done = jsonl::append::<&str>(path, &[], now, guard)?;
        if let Some(kept) = done.torn {
            let kept = self.name(&kept);
            self.repaired(
                self.name(path),
                tr!("fin inachevée déplacée vers {kept}", "unfinished end moved to {kept}"),
            );
        }
        Ok(())
    }

    fn indexes(&mut self) -> Result<()> {
        for source in Source::ALL {
            let files = corpus::files(&self.memory.workspace, source);
            let name = self.name(&files.manifest());
            if self.fix && files.manifest().exists() {
                let mut locks = self.memory.locks();
                let (guard, _) = locks.begin().exclusive::<Reindex>()?;
                if files.finish(&guard).is_err() {
                    // What cannot be finished shows up when the set is opened below.
                    tracing::debug!(%name, "commit not finished");
                }
            }
            match files.open() {
                Ok(set) => {
                    let rows = set.manifest().rows.len();
                    let model = &set.manifest().model.name;
                    self.say(
                        Level::Ok,
                        name,
                        tr!("{rows} lignes, modèle {model}", "{rows} rows, model {model}"),
                        None,
                    );
                }
                Err(e) => self.say(Level::Error, name, e.to_string(), Some("govmem reindex".into())),
            }
        }
        Ok(())
    }

    /// Files of the guards: an unreadable one blocks step 0 until it is moved aside.
    fn state(&mut self) -> Result<()> {
        let ws = self.memory.workspace.clone();
        let (window, ledger) = (ws.rate_state(), ws.idempotency_state());
        if !window.exists() && !ledger.exists() {
            return Ok(());
        }
        let mut locks = self.memory.locks();
        let guard = match locks.begin().exclusive::<State>() {
            Ok((guard, _)) => guard,
            // An examination goes on; a repair that cannot be made is an error.
            Err(e) if !self.fix => {
                let hint = e.hint_text().map(str::to_owned);
                self.say(Level::Error, self.name(&ledger), e.to_string(), hint);
                return Ok(());
            }
            Err(e) => return Err(e),
        };
        let now = self.memory.clock.now();
        match Ledger::load(&ledger, &guard) {
            Ok(runs) => match runs.expired(now) {
                0 => {}
                n if self.fix => {
                    Ledger::sweep(&ledger, now, false, |_| true, &guard)?;
                    self.repaired(
                        self.name(&ledger),
                        tr!("{n} blocs échus retirés", "{n} expired blocks removed"),
                    );
                }
                n => self.say(
                    Level::Warning,
                    self.name(&ledger),
                    tr!("{n} blocs échus y sont encore", "{n} expired blocks are still there"),
                    Some("govmem doctor --fix".into()),
                ),
            },
            Err(fault) => self.state_file(&ledger, Some(fault)),
        }
        self.state_file(&window, rate::load(&window, &guard).err());
        Ok(())
    }

    fn state_file(&mut self, path: &Path, fault: Option<Error>) {
        let Some(fault) = fault else { return };
        let name = self.name(path);
        if !self.fix {
            self.say(Level::Error, name, fault.to_string(), Some("govmem doctor --fix".to_owned()));
            return;
        }
        let aside = aside(path, self.memory.clock.now());
        match std::fs::rename(path, &aside) {
            Ok(()) => {
                let aside = self.name(&aside);
                self.repaired(
                    name,
                    tr!("état illisible déplacé vers {aside}", "unreadable state moved to {aside}"),
                );
            }
            Err(e) => self.say(Level::Error, name, e.to_string(), None),
        }
    }

    fn services(&mut self) {
        match self.memory.keyring().and_then(|k| k.current().map(|c| (k.describe(), c.version))) {
            Ok((what, version)) => {
                self.say(
                    Level::Ok,
                    "keyring",
                    tr!("{what}, clé version {version}", "{what}, key version {version}"),
                    None,
                );
            }
            Err(e) => self.say(Level::Error, "keyring", e.to_string(), e.hint_text().map(str::to_owned)),
        }
        match self.memory.embedder() {
            Ok(embedder) => {
                let id = embedder.identity();
                let (provider, name, width) = (&id.provider, &id.name, id.width);
                self.say(Level::Ok, "embedder", format!("{provider} {name} ({width})"), None);
            }
            Err(e) => self.say(Level::Error, "embedder", e.to_string(), e.hint_text().map(str::to_owned)),
        }
    }

    fn name(&self, path: &Path) -> String {
        self.memory.workspace.relative(path).unwrap_or_else(|| path.display().to_string())
    }
}

fn aside(path: &Path, now: Instant) -> PathBuf {
    let name = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".torn-{}{}", now.compact(), if n == 0 { String::new() } else { format!("-{n}") }));
        PathBuf::from(name)
    };
    (0..).map(name).find(|p| p.symlink_metadata().is_err()).unwrap_or_else(|| name(u32::MAX))
}
