//! `ack`: a page was read against its code; only here does it become stable.

use crate::base::{Error, Kind, Result};
use crate::knowledge::Page;
use crate::knowledge::check::repair::Change;
use crate::knowledge::drift::{self, Ledger, State, Unknown};
use crate::knowledge::load::Base;
use crate::knowledge::schema::STATUSES;
use crate::knowledge::walk::under;
use crate::markdown::front_matter::{Value, set_field};
use crate::store::atomic;
use crate::tr;

/// A planned acknowledgement.
#[derive(Clone, Debug)]
pub struct Ack {
    /// The page with its new status, when it changes.
    pub change: Option<Change>,
    /// The ledger afterwards.
    pub ledger: Ledger,
    /// References recorded.
    pub recorded: usize,
    /// References that are missing, and so not recorded.
    pub missing: Vec<String>,
}

/// Plans the acknowledgement of `page`; with `status`, the page takes it.
///
/// # Errors
/// [`Kind::Usage`] (exit 2) for `stable` while a reference is missing, for an unknown status, and for a
/// page whose front matter does not parse.
pub fn plan(base: &Base, page: &Page, status: Option<&str>) -> Result<Ack> {
    let mut ledger = Ledger::read(&base.marker.home)?;
    if !page.is_readable() {
        return Err(Error::usage(tr!(
            "{} : le front matter ne se lit pas",
            "{}: the front matter does not parse",
            page.path
        ))
        .hint(format!("govrag check {}", page.path)));
    }
    if let Some(status) = status.filter(|s| !STATUSES.contains(s)) {
        return Err(Error::usage(tr!("statut inconnu : {status}", "unknown status: {status}"))
            .hint(STATUSES.join(" | ")));
    }
    let drift = drift::judge(base, &ledger, |p| p.path == page.path);
    let missing: Vec<String> = drift
        .verdicts
        .iter()
        .filter(|v| matches!(v.state, State::Missing(_) | State::Unknown(Unknown::Unreadable(_))))
        .map(|v| v.text.clone())
        .collect();
    if status == Some("stable") && !missing.is_empty() {
        let list = missing.join(", ");
        return Err(Error::new(
            Kind::Usage,
            tr!(
                "{} ne peut pas devenir stable : impl_refs introuvables : {list}",
                "{} cannot become stable: missing impl_refs: {list}",
                page.path
            ),
        )
        .hint(tr!("corrigez impl_refs, ou : govrag update", "correct impl_refs, or: govrag update")));
    }
    let texts: Vec<&str> = page.meta.impl_refs.iter().map(|i| i.text.as_str()).collect();
    ledger.retain(|p, r| p != page.path || texts.contains(&r));
    let mut recorded = 0;
    for v in &drift.verdicts {
        if let Some(id) = &v.id {
            ledger.acknowledge(&page.path, &v.text, id);
            recorded += 1;
        }
    }
    let change = match status {
        Some(status) if page.status() != status => {
            let after = set_field(&page.source, "status", Value::Text(status))
                .map_err(|e| Error::usage(format!("{}: {e}", page.path)))?;
            Some(Change { path: page.path.clone(), before: page.source.clone(), after })
        }
        _ => None,
    };
    Ok(Ack { change, ledger, recorded, missing })
}

impl Ack {
    /// Puts it on disk.
    ///
    /// # Errors
    /// An output error that names the file.
    pub fn write(&self, base: &Base) -> Result<()> {
        if let Some(change) = &self.change {
            atomic::replace_unlocked(&under(&base.marker.root, &change.path), change.after.as_bytes())?;
        }
        self.ledger.write(&base.marker.home)?;
        Ok(())
    }
}
