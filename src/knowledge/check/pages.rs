//! What one page shows by itself: its name, fields, size, status, secrets.

use std::fs;

use super::Options;
use super::finding::{Finding, Repair};
use crate::base::secret;
use crate::knowledge::Page;
use crate::knowledge::code::{Code, Severity};
use crate::knowledge::drift::Ledger;
use crate::knowledge::load::Base;
use crate::knowledge::tokens::estimate;
use crate::knowledge::walk::under;
use crate::markdown::decode::Undecodable;
use crate::markdown::slug;
use crate::tr;

/// Longest page, in lines.
const LINES: usize = 300;
/// Deepest folder.
const DEPTH: usize = 3;
/// Days after which a stable page is old.
const STALE_DAYS: i64 = 90;

pub(super) fn check(base: &Base, page: &Page, options: &Options, ledger: &Ledger) -> Vec<Finding> {
    let mut out = Vec::new();
    if page.is_link() {
        out.push(link(base, page));
        return out;
    }
    name(base, page, &mut out);
    fields(page, &mut out);
    size(base, page, &mut out);
    status(page, options, ledger, &mut out);
    if options.secrets {
        for found in secret::scan(&page.source) {
            out.push(Finding::on(
                page,
                Code::E005,
                found.range,
                tr!("un secret semble écrit ici ({})", "a secret seems to be written here ({})", found.rule),
                tr!(
                    "retirez-le et changez-le : il est dans l'historique",
                    "remove it and change it: history has it"
                ),
            ));
        }
    }
    out
}

/// A page, or a folder that may hold some, behind a symbolic link.
fn link(base: &Base, page: &Page) -> Finding {
    let at = under(&base.marker.root, &page.path);
    let target = fs::read_link(&at).map_or_else(|_| "?".to_owned(), |t| t.to_string_lossy().into_owned());
    let message = if at.exists() {
        tr!(
            "lien symbolique vers {target}, non suivi : ce qui est derrière n'est pas lu",
            "a symbolic link to {target}, not followed: what lies behind it is not read"
        )
    } else {
        tr!(
            "lien symbolique vers {target}, qui n'existe pas",
            "a symbolic link to {target}, which does not exist"
        )
    };
    let hint = tr!(
        "mettez les pages elles-mêmes à cette place, ou dans .rag : check: {{ignore: [\"I005:{}\"]}}",
        "put the pages themselves in this place, or into .rag: check: {{ignore: [\"I005:{}\"]}}",
        page.path
    );
    Finding::on(page, Code::I005, 0..0, message, hint)
}

fn name(base: &Base, page: &Page, out: &mut Vec<Finding>) {
    let (folder, file) = page.path.rsplit_once('/').unwrap_or(("", &page.path));
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let good_extension = extension == extension.to_ascii_lowercase();
    if !slug::is_conforming(stem) || !good_extension {
        let slash = if folder.is_empty() { "" } else { "/" };
        let extension = extension.to_ascii_lowercase();
        let hint = match slug::slug(stem, base.marker.lang) {
            Ok(slug) => format!("govrag mv {} {folder}{slash}{slug}.{extension}", quoted(&page.path)),
            Err(refused) => match refused.proposal() {
                Some(p) => tr!("{refused} ; par exemple {p}", "{refused}; {p}, for example"),
                None => refused.to_string(),
            },
        };
        let message = tr!(
            "« {file} » ne suit pas la règle de nommage (a-z, 0-9, tirets)",
            "'{file}' does not follow the naming rule (a-z, 0-9, hyphens)"
        );
        out.push(Finding::on(page, Code::E001, 0..0, message, hint));
    }
    let depth = folder.split('/').filter(|s| !s.is_empty()).count();
    if depth > DEPTH {
        out.push(Finding::on(
            page,
            Code::W008,
            0..0,
            tr!("{depth} niveaux de dossiers, 3 recommandés", "{depth} levels of folders, 3 are recommended"),
            tr!("remontez la page d'un niveau", "move the page up"),
        ));
    }
}

/// A path as a shell argument.
pub(super) fn quoted(path: &str) -> String {
    let plain = path.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'-' | b'_'));
    // A leading hyphen would read as an option.
    let path = if path.starts_with('-') { &format!("./{path}") } else { path };
    if plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

fn fields(page: &Page, out: &mut Vec<Finding>) {
    if let Some(why) = &page.undecodable {
        let hint = match why {
            Undecodable::TooLarge(_) => tr!("scindez la page", "split the page"),
            Undecodable::Unreadable(_) => {
                tr!("mettez-y un fichier lisible", "put a file there that can be read")
            }
            _ => tr!("enregistrez la page en UTF-8", "save the page as UTF-8"),
        };
        out.push(Finding::on(page, Code::E002, 0..0, why.to_string(), hint));
        return;
    }
    for o in &page.objections {
        let repair = o.fix.as_ref().map(|f| Repair::Replace { span: f.span.clone(), text: f.text.clone() });
        out.push(
            Finding::on(page, o.code, o.span.clone(), o.message.clone(), o.hint.clone()).repaired_by(repair),
        );
    }
    for w in &page.front.warnings {
        // Only the mark can go without asking: a cut value may be a comment.
        let repair = w
            .fix
            .as_ref()
            .filter(|f| f.text.is_empty())
            .map(|f| Repair::Replace { span: f.span.clone(), text: f.text.clone() });
        out.push(
            Finding::on(page, Code::E002, w.span.clone(), w.message.clone(), w.hint.clone())
                .graded(Severity::Warning)
                .repaired_by(repair),
        );
    }
}

fn size(base: &Base, page: &Page, out: &mut Vec<Finding>) {
    let lines = page.lines().count();
    if lines > LINES {
        out.push(Finding::on(
            page,
            Code::W008,
            0..0,
            tr!("{lines} lignes, 300 recommandées", "{lines} lines, 300 are recommended"),
            tr!("scindez la page : un sujet par page", "split the page: one subject a page"),
        ));
    }
    let tokens = estimate(page.front_text());
    let limit = base.marker.limits.front_matter;
    if tokens > limit {
        out.push(Finding::on(
            page,
            Code::W009,
            0..0,
            tr!(
                "front matter de {tokens} tokens, limite {limit}",
                "{tokens} tokens of front matter, the limit is {limit}"
            ),
            tr!("raccourcissez les listes ou le résumé", "shorten the lists or the summary"),
        ));
    }
}

fn status(page: &Page, options: &Options, ledger: &Ledger, out: &mut Vec<Finding>) {
    let span = |key: &str| page.front.get(key).map_or(0..0, |e| e.value.span.clone());
    let mut push =
        |code, key: &str, message, hint| out.push(Finding::on(page, code, span(key), message, hint));
    if let Some(updated) = page.updated() {
        let age = options.today.days_since(updated);
        if age < 0 {
            out.push(
                Finding::on(
                    page,
                    Code::E003,
                    span("updated"),
                    tr!("updated ({updated}) est dans le futur", "updated ({updated}) lies in the future"),
                    tr!("mettez la date du jour", "set today's date"),
                )
                .graded(Severity::Warning),
            );
        } else if page.status() == "stable" && age > STALE_DAYS {
            push(
                Code::W004,
                "updated",
                tr!(
                    "page stable non mise à jour depuis {age} jours",
                    "a stable page not updated for {age} days"
                ),
                tr!("relisez-la, puis changez updated", "read it again, then set updated"),
            );
        }
    }
    match page.status() {
        "needs-review" => {
            let reasons: Vec<String> =
                ledger.reasons(&page.path).map(|(r, why)| format!("{r} : {why}")).collect();
            let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(" ; ")) };
            let path = &page.path;
            out.push(Finding::on(
                page,
                Code::W011,
                span("status"),
                tr!("page à revoir{why}", "the page needs review{why}"),
                tr!(
                    "relisez-la, puis : govrag ack {path} --status stable",
                    "read it again, then: govrag ack {path} --status stable"
                ),
            ));
        }
        "draft" => out.push(Finding::on(
            page,
            Code::I004,
            span("status"),
            tr!("brouillon", "a draft"),
            tr!(
                "validez-la, puis : govrag ack {} --status stable",
                "validate it, then: govrag ack {} --status stable",
                page.path
            ),
        )),
        _ => {}
    }
}
