//! The judgement of every `impl_ref` of a base.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;

use rayon::prelude::*;
use similar::{ChangeTag, TextDiff};

use super::history::{self, Step};
use super::ids::{Identity, Ids, matcher};
use super::ledger::{Ledger, UNKNOWN};
use super::reference::{Kind, Reference};
use super::wide::{self, Since};
use super::{Changed, CommitRef, Drift, Missing, State, Unknown, Verdict};
use crate::base::{Date, Instant};
use crate::knowledge::Page;
use crate::knowledge::git::{Change, Commit, NoGit, Repo};
use crate::knowledge::load::Base;
use crate::knowledge::resolve::Resolver;
use crate::knowledge::walk::under;

/// Commits named in a verdict at most.
const SHOWN: usize = 5;

/// Files of a folder whose lines are counted at most.
const MEASURED: usize = 50;

/// Counts the lines that differ into `changed`; says whether only white space does.
fn count_lines(old: &[u8], new: &[u8], changed: &mut Changed) -> bool {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let bare = |t: &str| t.split_whitespace().collect::<String>();
    let diff = TextDiff::from_lines(&*old, &*new);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => changed.added += 1,
            ChangeTag::Delete => changed.removed += 1,
            ChangeTag::Equal => {}
        }
    }
    bare(&old) == bare(&new)
}

/// Judges the references of the pages for which `wanted` says so.
pub fn judge(base: &Base, ledger: &Ledger, wanted: impl Fn(&Page) -> bool) -> Drift {
    let home = &base.marker.home;
    let ids = Ids::new(home);
    let resolver = Resolver::new(&base.marker, []);
    let exists = |path: &str| resolver.in_home(path).is_ok();
    let mut located = Vec::new();
    for page in base.pages.iter().filter(|p| wanted(p)) {
        for item in &page.meta.impl_refs {
            let reference = Reference::parse(&item.text, exists);
            let files = ids.locate(&resolver, &reference);
            located.push((page, item, reference, files));
        }
    }
    let identities: Vec<Result<Identity, Missing>> = located
        .par_iter()
        .map(|(_, _, reference, files)| ids.identify(reference, files.as_ref().map_err(Clone::clone)?))
        .collect();
    let judge = Judge { base, ledger, ids: &ids, git: Git::new(base) };
    let verdicts = located
        .iter()
        .zip(identities)
        .map(|((page, item, reference, _), identity)| {
            let state = match &identity {
                Ok(identity) => judge.state(page, &item.text, reference, identity),
                Err(missing) => judge.missing(reference, missing.clone()),
            };
            Verdict {
                page: page.path.clone(),
                text: item.text.clone(),
                span: item.span.clone(),
                files: identity.as_ref().map_or(0, |i| i.files.len()),
                id: identity.ok().map(|i| i.id),
                state,
            }
        })
        .collect();
    Drift {
        verdicts,
        shallow: judge.git.shallow.get().copied().unwrap_or(false),
        no_git: matches!(judge.git.repo.get(), Some(Err(NoGit::Absent))),
    }
}

/// git, asked only when it is needed.
struct Git<'a> {
    base: &'a Base,
    repo: OnceCell<Result<Repo, NoGit>>,
    log: OnceCell<Result<Vec<Commit>, String>>,
    shallow: OnceCell<bool>,
    cut: OnceCell<Option<String>>,
    dirty: OnceCell<BTreeSet<String>>,
    work: OnceCell<Vec<Change>>,
    left_out: OnceCell<BTreeSet<String>>,
    prefix: String,
}

impl<'a> Git<'a> {
    fn new(base: &'a Base) -> Self {
        let prefix = match base.marker.root_from_home() {
            Some(root) if !root.is_empty() => format!("{root}/"),
            _ => String::new(),
        };
        Git {
            base,
            repo: OnceCell::new(),
            log: OnceCell::new(),
            shallow: OnceCell::new(),
            cut: OnceCell::new(),
            dirty: OnceCell::new(),
            work: OnceCell::new(),
            left_out: OnceCell::new(),
            prefix,
        }
    }

    fn repo(&self) -> Result<&Repo, &NoGit> {
        self.repo.get_or_init(|| Repo::discover(&self.base.marker.home)).as_ref()
    }

    /// The log back to the oldest `updated` of the base.
    fn log(&self) -> Result<&[Commit], String> {
        let log = self.log.get_or_init(|| {
            let since = self.base.pages.iter().filter_map(Page::updated).min();
            self.repo().map_err(ToString::to_string)?.history(since)
        });
        log.as_deref().map_err(Clone::clone)
    }

    fn is_shallow(&self) -> bool {
        *self.shallow.get_or_init(|| self.repo().is_ok_and(Repo::is_shallow))
    }

    /// Whether history is cut after `day`.
    fn is_cut_after(&self, day: Date) -> bool {
        let cut = self.cut.get_or_init(|| self.repo().ok().and_then(Repo::cut_at));
        cut.as_ref().is_none_or(|cut| *cut > day.to_string())
    }

    /// What the work tree changes against the last commit.
    fn work(&self) -> &[Change] {
        self.work.get_or_init(|| {
            self.repo().ok().and_then(|repo| repo.changed_since("HEAD", false).ok()).unwrap_or_default()
        })
    }

    fn dirty(&self) -> &BTreeSet<String> {
        self.dirty.get_or_init(|| self.repo().map(Repo::uncommitted).unwrap_or_default())
    }

    /// Whether git keeps something that the reference names out of the work tree.
    fn leaves_out(&self, reference: &Reference) -> bool {
        let left_out = self.left_out.get_or_init(|| self.repo().map(Repo::left_out).unwrap_or_default());
        if left_out.is_empty() {
            return false;
        }
        let path = format!("{}/", reference.path.trim_end_matches('/'));
        if left_out.iter().any(|entry| entry.ends_with('/') && path.starts_with(entry)) {
            return true;
        }
        if reference.kind == Kind::Glob {
            let Some(glob) = matcher(&reference.path) else { return false };
            return left_out.iter().any(|file| glob.is_match(file));
        }
        let below = format!("{}/", reference.path);
        left_out.contains(&reference.path) || left_out.iter().any(|file| file.starts_with(&below))
    }

    fn page_path(&self, page: &Page) -> String {
        format!("{}{}", self.prefix, page.path)
    }
}

struct Judge<'a> {
    base: &'a Base,
    ledger: &'a Ledger,
    ids: &'a Ids,
    git: Git<'a>,
}

impl Judge<'_> {
    fn state(&self, page: &Page, text: &str, reference: &Reference, now: &Identity) -> State {
        match self.ledger.get(&page.path, text) {
            Some(entry) if entry.ids.contains(&now.id) => State::Fresh,
            // A folder that is here in part has another identity, and nothing changed.
            _ if reference.is_wide() && self.git.leaves_out(reference) => State::Unknown(Unknown::Sparse),
            Some(entry) if entry.ids.iter().any(|i| i != UNKNOWN) => {
                let before = entry.ids.iter().find(|i| *i != UNKNOWN).cloned().unwrap_or_default();
                State::Changed(self.since_id(page, reference, now, before))
            }
            _ => self.since_updated(page, reference, now),
        }
    }

    /// Changed since the ledger's id: which commits, and how much.
    fn since_id(&self, page: &Page, reference: &Reference, now: &Identity, before: String) -> Changed {
        let mut changed = Changed { before: Some(before.clone()), ..Changed::default() };
        let Ok(log) = self.git.log() else { return changed };
        if reference.kind == Kind::Whole && now.files.len() == 1 && now.files[0] == reference.path {
            let steps = history::of(log, &reference.path);
            match steps.first().filter(|s| s.change.submodule) {
                // Of a file in a submodule the log tells no blobs: the newest commit that moved it.
                Some(step) => {
                    changed.uncommitted = self.git.dirty().contains(&step.change.new);
                    let committed = (!changed.uncommitted).then(|| history::short(step.commit));
                    changed.commits = committed.into_iter().collect();
                }
                None => {
                    let newer = steps.iter().take_while(|s| s.change.new_blob != before);
                    changed.commits = newer.take(SHOWN).map(|s| history::short(s.commit)).collect();
                    changed.uncommitted = steps.first().is_none_or(|s| s.change.new_blob != now.id);
                }
            }
        } else if let Some(since) = self.since_wide(reference, now, &before, log) {
            changed.commits = since.commits.into_iter().take(SHOWN).collect();
            changed.uncommitted = since.uncommitted;
            changed.files = since.files.iter().map(|(path, _)| path.clone()).collect();
            self.measure_files(&since.files, &mut changed);
            return changed;
        } else {
            changed.commits = self.commits_after(page, &now.files, log);
        }
        self.measure(reference, &before, &mut changed);
        changed
    }

    /// The way back of a folder or glob to its acknowledged identity.
    fn since_wide(
        &self,
        reference: &Reference,
        now: &Identity,
        before: &str,
        log: &[Commit],
    ) -> Option<Since> {
        if !reference.is_wide() {
            return None;
        }
        let state = self.ids.blobs(&now.files).ok()?;
        let below = format!("{}/", reference.path.trim_end_matches('/'));
        let glob = if reference.kind == Kind::Glob { Some(matcher(&reference.path)?) } else { None };
        let covers = |path: &str| match &glob {
            Some(glob) => glob.is_match(path),
            None => path.starts_with(&below),
        };
        wide::since(&state, before, self.git.work(), self.git.dirty(), log, covers)
    }

    /// Lines added and removed against the blob `before`, where git has it.
    fn measure(&self, reference: &Reference, before: &str, changed: &mut Changed) {
        let Ok(repo) = self.git.repo() else { return };
        let Some(old) = repo.blobs(&[before.to_owned()]).remove(before) else { return };
        let Some(new) = self.ids.content(reference) else { return };
        changed.whitespace_only = count_lines(&old, &new, changed);
    }

    /// Lines added and removed in all of `files` against the blobs that they had, where git has them.
    fn measure_files(&self, files: &[(String, Option<String>)], changed: &mut Changed) {
        let Ok(repo) = self.git.repo() else { return };
        if files.len() > MEASURED {
            return;
        }
        let ids: Vec<String> = files.iter().filter_map(|(_, id)| id.clone()).collect();
        let old = repo.blobs(&ids);
        changed.whitespace_only = true;
        for (path, id) in files {
            let before = match id {
                Some(id) => old.get(id).map(Vec::as_slice),
                None => Some(&[][..]),
            };
            let after = self.ids.bytes(path);
            let both = id.is_some() && after.is_some();
            let same = before.is_some_and(|b| count_lines(b, &after.unwrap_or_default(), changed));
            changed.whitespace_only &= both && same;
        }
    }

    /// Commits after the page's `updated` that touch one of `files`, but not the page with them.
    fn commits_after(&self, page: &Page, files: &[String], log: &[Commit]) -> Vec<CommitRef> {
        let Some(updated) = page.updated() else { return Vec::new() };
        let (updated, own) = (updated.to_string(), self.git.page_path(page));
        log.iter()
            .take_while(|c| c.day > updated)
            .filter(|c| c.changes.iter().any(|ch| files.binary_search(&ch.new).is_ok()))
            .filter(|c| c.changes.iter().all(|ch| ch.new != own))
            .take(SHOWN)
            .map(history::short)
            .collect()
    }

    /// No entry in the ledger: the history since the page's `updated` decides.
    fn since_updated(&self, page: &Page, reference: &Reference, now: &Identity) -> State {
        let Some(updated) = page.updated() else { return State::Unknown(Unknown::NoDate) };
        match self.git.repo() {
            Err(NoGit::Absent) => return self.by_time(updated, now),
            Err(NoGit::Failed(text)) => return State::Unknown(Unknown::Git(text.clone())),
            Ok(_) => {}
        }
        let log = match self.git.log() {
            Ok(log) => log,
            Err(text) => return State::Unknown(Unknown::Git(text)),
        };
        if self.git.is_shallow() && self.git.is_cut_after(updated) {
            return State::Unknown(Unknown::Shallow);
        }
        let own = self.git.page_path(page);
        let dirty: Vec<&String> = now.files.iter().filter(|f| self.git.dirty().contains(*f)).collect();
        let uncommitted = !dirty.is_empty()
            && !self.git.dirty().contains(&own)
            && dirty.iter().any(|f| self.modified(f).is_none_or(|day| day > updated));
        let mut changed = Changed { uncommitted, ..Changed::default() };
        if let [file] = now.files.as_slice() {
            let steps = history::of(log, file);
            let after: Vec<&Step<'_>> =
                steps.iter().take_while(|s| s.commit.day > updated.to_string()).collect();
            // A commit that changes page and code together speaks for both up to there.
            let news: Vec<&&Step<'_>> =
                after.iter().take_while(|s| s.commit.changes.iter().all(|c| c.new != own)).collect();
            let whole = reference.kind == Kind::Whole;
            if let Some(first) = news.last() {
                let written_later =
                    first.change.status == b'A' && page.meta.kind.as_deref() == Some("decision");
                let reverted = whole && first.change.old_blob == now.id;
                if !written_later && !reverted {
                    changed.commits = news.iter().take(SHOWN).map(|s| history::short(s.commit)).collect();
                    if whole && first.change.status != b'A' {
                        changed.before = Some(first.change.old_blob.clone());
                        self.measure(reference, &first.change.old_blob.clone(), &mut changed);
                    }
                }
            }
        } else {
            changed.commits = self.commits_after(page, &now.files, log);
        }
        if changed.commits.is_empty() && !changed.uncommitted {
            State::Fresh
        } else {
            State::Changed(changed)
        }
    }

    /// Without git: by the day of the last modification.
    fn by_time(&self, updated: Date, now: &Identity) -> State {
        let later = now.files.iter().any(|f| self.modified(f).is_some_and(|day| day > updated));
        if later { State::Changed(Changed { by_time: true, ..Changed::default() }) } else { State::Fresh }
    }

    fn modified(&self, file: &str) -> Option<Date> {
        let time = fs::metadata(under(&self.base.marker.home, file)).ok()?.modified().ok()?;
        let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        Some(Instant::from_unix(i64::try_from(seconds).ok()?).date())
    }

    fn missing(&self, reference: &Reference, missing: Missing) -> State {
        if let Missing::Unreadable(why) = missing {
            return State::Unknown(Unknown::Unreadable(why));
        }
        if missing == Missing::Gone
            && reference.kind != Kind::Glob
            && let Ok(log) = self.git.log()
        {
            let to = history::destination(log, &reference.path)
                .or_else(|| history::folder_destination(log, &reference.path))
                .filter(|to| under(&self.base.marker.home, to).exists());
            if let Some(to) = to {
                return State::Missing(Missing::Renamed(reference.with_path(&to)));
            }
        }
        if missing == Missing::Gone && self.git.leaves_out(reference) {
            return State::Unknown(Unknown::Sparse);
        }
        State::Missing(missing)
    }
}
