//! Links of a page: targets, anchors, forms.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::finding::{Finding, Repair};
use crate::knowledge::Page;
use crate::knowledge::code::{Code, Severity};
use crate::knowledge::drift::history;
use crate::knowledge::git::{Commit, Repo};
use crate::knowledge::load::Base;
use crate::knowledge::resolve::{Broken, Found, Resolver};
use crate::markdown::links::{Link, LinkKind, NotALinkKind};
use crate::markdown::target::{Local, Target, encode, relative};
use crate::markdown::{anchor, sanitize};
use crate::tr;

pub(super) struct Links<'a> {
    base: &'a Base,
    resolver: Resolver<'a>,
    anchors: FxHashMap<&'a str, &'a FxHashSet<String>>,
    /// The log, when moves are to be followed.
    log: Option<Vec<Commit>>,
    /// The root from the folder of `.rag`, with its slash.
    prefix: String,
    /// Links that only another tool can judge, of the pages checked so far.
    unjudged: AtomicUsize,
}

impl<'a> Links<'a> {
    pub(super) fn new(base: &'a Base, follow_moves: bool) -> Self {
        let log = follow_moves.then(|| Repo::discover(&base.marker.home).ok()?.history(None).ok()).flatten();
        let prefix = match base.marker.root_from_home() {
            Some(root) if !root.is_empty() => format!("{root}/"),
            _ => String::new(),
        };
        Links {
            base,
            resolver: Resolver::new(&base.marker, base.pages.iter().map(|p| p.path.as_str())),
            // The anchors of a page that cannot be read are not known.
            anchors: base
                .pages
                .iter()
                .filter(|p| p.undecodable.is_none())
                .map(|p| (p.path.as_str(), &p.body.anchors))
                .collect(),
            log,
            prefix,
            unjudged: AtomicUsize::new(0),
        }
    }

    /// Links that only another tool can judge, on the pages checked so far.
    pub(super) fn unjudged(&self) -> usize {
        self.unjudged.load(Ordering::Relaxed)
    }

    pub(super) fn check(&self, page: &Page) -> Vec<Finding> {
        let mut out = Vec::new();
        for link in &page.body.links {
            match link.target() {
                Target::Local(local) => self.local(page, link, &local, &mut out),
                Target::External(_) => self.mirror(page, link, &mut out),
                Target::Unjudged(_) if link.is_navigable() => {
                    self.unjudged.fetch_add(1, Ordering::Relaxed);
                }
                Target::Unjudged(_) => {}
            }
        }
        self.related(page, &mut out);
        self.forms(page, &mut out);
        self.orphan(page, &mut out);
        out
    }

    fn local(&self, page: &Page, link: &Link, local: &Local, out: &mut Vec<Finding>) {
        let shown = sanitize::terminal(&link.destination);
        if link.destination.trim().is_empty() {
            let message = tr!("lien vide", "an empty link");
            out.push(Finding::on(
                page,
                Code::W001,
                link.span.clone(),
                message,
                tr!("donnez-lui une cible", "give it a target"),
            ));
            return;
        }
        match self.resolver.find(&page.path, local) {
            Found::Page(to) => self.anchor(page, link, local, &to, out),
            Found::Itself => self.anchor(page, link, local, &page.path.clone(), out),
            Found::Asset(_) | Found::Code(_) => {}
            Found::Broken(why) => {
                let (message, hint) = explain(&shown, &why);
                let moved = self.correct(page, local, &why);
                let hint = match &moved {
                    Some(to) => tr!("écrivez {to}", "write {to}"),
                    None => hint,
                };
                let repair = moved.and_then(|to| replace(link, local, &to));
                let span =
                    link.destination_span.clone().filter(|s| !s.is_empty()).unwrap_or(link.span.clone());
                out.push(Finding::on(page, Code::W001, span, message, hint).repaired_by(repair));
            }
        }
    }

    /// The right destination path, where it is certain: the real case, or where git moved the target.
    fn correct(&self, page: &Page, local: &Local, why: &Broken) -> Option<String> {
        let target = match why {
            Broken::WrongCase(real) => {
                let resolved = local.resolve(&page.path)?;
                if resolved.up > 0 {
                    return None;
                }
                real.clone()
            }
            Broken::Missing => {
                let resolved = local.resolve(&page.path)?;
                let old = format!("{}{}", self.prefix, resolved.path);
                let to = history::destination(self.log.as_deref()?, &old)?;
                let to = to.strip_prefix(&self.prefix)?.to_owned();
                (resolved.up == 0 && self.base.page(&to).is_some()).then_some(to)?
            }
            _ => return None,
        };
        Some(if local.absolute { format!("/{target}") } else { relative(&page.path, &target) })
    }

    fn anchor(&self, page: &Page, link: &Link, local: &Local, to: &str, out: &mut Vec<Finding>) {
        let Some(fragment) = local.fragment.as_deref().filter(|f| !f.is_empty() && *f != "top") else {
            return;
        };
        let Some(anchors) = self.anchors.get(to).filter(|_| link.kind != LinkKind::Image) else { return };
        let key = anchor::key(fragment);
        // A text fragment is the browser's business.
        if anchors.contains(&key) || fragment.starts_with(":~:") {
            return;
        }
        let lower = key.to_lowercase();
        let known = anchors.contains(&lower);
        let message = tr!(
            "l'ancre #{} n'existe pas dans {to}",
            "there is no anchor #{} in {to}",
            sanitize::terminal(fragment)
        );
        let hint = match known.then_some(lower.clone()).or_else(|| nearest(&key, anchors)) {
            Some(near) => tr!("essayez #{near}", "try #{near}"),
            None => tr!("liez un titre de la page", "link to a heading of the page"),
        };
        let repair = if known { fragment_repair(page, link, &lower) } else { None };
        let span = link.destination_span.clone().filter(|s| !s.is_empty()).unwrap_or(link.span.clone());
        out.push(Finding::on(page, Code::W001, span, message, hint).repaired_by(repair));
    }

    fn related(&self, page: &Page, out: &mut Vec<Finding>) {
        for item in &page.meta.related {
            let shown = sanitize::terminal(&item.text);
            let Target::Local(local) = Target::parse(&item.text) else {
                let message =
                    tr!("related : « {shown} » n'est pas un chemin", "related: '{shown}' is not a path");
                let hint =
                    tr!("donnez le chemin d'une page depuis la racine", "give a page's path from the root");
                out.push(Finding::on(page, Code::W001, item.span.clone(), message, hint));
                continue;
            };
            let why = match self.resolver.page_from_root(&local) {
                Found::Page(_) => continue,
                Found::Broken(why) => why,
                _ => Broken::Missing,
            };
            let to = match &why {
                Broken::WrongCase(real) => Some(real.clone()),
                Broken::Missing => self.log.as_deref().and_then(|log| {
                    let to =
                        history::destination(log, &format!("{}{}", self.prefix, local.segments.join("/")))?;
                    let to = to.strip_prefix(&self.prefix)?.to_owned();
                    self.base.page(&to).is_some().then_some(to)
                }),
                _ => None,
            };
            let (message, hint) = explain(&shown, &why);
            let hint = to.as_ref().map_or(hint, |to| tr!("écrivez {to}", "write {to}"));
            let old = page.source.get(item.span.clone()).unwrap_or_default();
            let repair = to.map(|to| {
                let quote = old.chars().next().filter(|c| matches!(c, '"' | '\''));
                let text = quote.map_or(to.clone(), |q| format!("{q}{to}{q}"));
                Repair::Replace { span: item.span.clone(), text }
            });
            let message = format!("related: {message}");
            out.push(Finding::on(page, Code::W001, item.span.clone(), message, hint).repaired_by(repair));
        }
    }

    fn forms(&self, page: &Page, out: &mut Vec<Finding>) {
        for not in &page.body.not_links {
            let text = sanitize::terminal(&not.text);
            let (message, hint) = match not.kind {
                NotALinkKind::UndefinedReference => (
                    tr!("la référence [{text}] n'est pas définie", "the reference [{text}] is not defined"),
                    tr!(
                        "ajoutez [{text}]: chemin.md hors de tout commentaire",
                        "add [{text}]: path.md outside any comment"
                    ),
                ),
                NotALinkKind::RawSpace => (
                    tr!(
                        "({text}) contient des espaces : ce n'est pas un lien",
                        "({text}) holds spaces: it is no link"
                    ),
                    tr!("écrivez <{text}> ou %20", "write <{text}> or %20"),
                ),
                NotALinkKind::WikiLink => (
                    tr!("[[{text}]] n'est pas un lien Markdown", "[[{text}]] is no Markdown link"),
                    tr!("écrivez [texte](chemin.md)", "write [text](path.md)"),
                ),
                NotALinkKind::UnusedDefinition => (
                    tr!("la définition [{text}] ne sert à rien", "nothing uses the definition [{text}]"),
                    tr!("supprimez-la", "remove it"),
                ),
            };
            let severity = match not.kind {
                NotALinkKind::UnusedDefinition => Severity::Info,
                _ => Severity::Warning,
            };
            out.push(Finding::on(page, Code::W007, not.span.clone(), message, hint).graded(severity));
        }
    }

    fn orphan(&self, page: &Page, out: &mut Vec<Finding>) {
        let alone = self
            .base
            .graph
            .nodes
            .get(&page.path)
            .is_none_or(|n| n.links.is_empty() && n.related.is_empty() && n.linked_by.is_empty());
        // Where a page leads that cannot be read is not known.
        if alone && page.undecodable.is_none() {
            out.push(Finding::on(
                page,
                Code::W002,
                0..0,
                tr!(
                    "rien ne mène à cette page et elle ne mène à rien",
                    "nothing leads to this page and it leads nowhere"
                ),
                tr!(
                    "liez-la, ou nommez-la dans related d'une page voisine",
                    "link it, or name it in related of a neighbour"
                ),
            ));
        }
    }

    /// `https://…/securite/mfa.md` where `securite/mfa.md` is a page.
    fn mirror(&self, page: &Page, link: &Link, out: &mut Vec<Finding>) {
        let Some((_, rest)) = link.destination.split_once("://") else { return };
        let path = rest.split(['?', '#']).next().unwrap_or(rest);
        let parts: Vec<&str> = path.split('/').skip(1).filter(|s| !s.is_empty()).collect();
        let root = self.base.marker.root.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        for start in 0..parts.len() {
            let long_enough = parts.len() - start >= 2 || start > 0 && parts[start - 1] == root;
            let suffix = parts[start..].join("/");
            if !long_enough {
                continue;
            }
            for candidate in [suffix.clone(), format!("{suffix}.md")] {
                if self.base.page(&candidate).is_some() && candidate != page.path {
                    let to = relative(&page.path, &candidate);
                    let message = tr!(
                        "cette URL est celle d'une page de la base",
                        "this URL is that of a page of the base"
                    );
                    let hint = tr!("écrivez {to}", "write {to}");
                    out.push(Finding::on(page, Code::W010, link.span.clone(), message, hint));
                    return;
                }
            }
        }
    }
}

/// The sentence and the advice for a broken link.
fn explain(shown: &str, why: &Broken) -> (String, String) {
    match why {
        Broken::Missing => (
            tr!("{shown} n'existe pas", "{shown} does not exist"),
            tr!("corrigez le chemin ou retirez le lien", "correct the path or remove the link"),
        ),
        Broken::WrongCase(real) => (
            tr!("{shown} s'écrit {real}", "{shown} is spelled {real}"),
            tr!(
                "écrivez le nom exact : d'autres systèmes distinguent la casse",
                "write the exact name: other systems tell case apart"
            ),
        ),
        Broken::Folder => (
            tr!("{shown} est un dossier, pas une page", "{shown} is a folder, not a page"),
            tr!("liez une de ses pages", "link to one of its pages"),
        ),
        Broken::NoExtension(to) => (
            tr!("{shown} n'existe pas, {to} existe", "{shown} does not exist, {to} does"),
            tr!("ajoutez l'extension", "add the extension"),
        ),
        Broken::FileAsFolder => (
            tr!("{shown} traverse un fichier comme un dossier", "{shown} uses a file as a folder"),
            tr!("retirez ce qui suit le fichier", "remove what follows the file"),
        ),
        Broken::Outside => (
            tr!("{shown} sort de la base et du dépôt", "{shown} leaves the base and the repository"),
            tr!("restez sous le dossier de .rag", "stay below the folder of .rag"),
        ),
        Broken::Backslash(to) => (
            tr!("{shown} est écrit avec des barres inverses", "{shown} is written with backslashes"),
            tr!("écrivez {to}", "write {to}"),
        ),
        Broken::Skipped => (
            tr!(
                "{shown} est un brouillon, un fichier caché ou ignoré : hors de la base",
                "{shown} is a draft, hidden or ignored: not of the base"
            ),
            tr!("liez une page de la base", "link to a page of the base"),
        ),
        Broken::Impossible => (
            tr!("{shown} contient un séparateur encodé", "{shown} holds an encoded separator"),
            tr!("écrivez / en clair", "write / plainly"),
        ),
    }
}

/// Replaces the path of a destination; its query and fragment stay.
fn replace(link: &Link, local: &Local, to: &str) -> Option<Repair> {
    let span = link.destination_span.clone()?;
    let written = &link.destination;
    let tail = written.find(['?', '#']).map_or("", |i| &written[i..]);
    // Only where the source is the destination, byte for byte, is the place certain.
    (span.len() == written.len() && !local.segments.is_empty())
        .then(|| Repair::Replace { span, text: format!("{}{tail}", encode(to)) })
}

fn fragment_repair(page: &Page, link: &Link, to: &str) -> Option<Repair> {
    let span = link.destination_span.clone()?;
    let text = page.source.get(span.clone())?;
    let hash = text.find('#')?;
    Some(Repair::Replace { span: span.start + hash + 1..span.end, text: encode(to) })
}

/// The anchor that shares the longest beginning, at least three characters.
fn nearest(key: &str, anchors: &FxHashSet<String>) -> Option<String> {
    let shared = |a: &str| a.chars().zip(key.chars()).take_while(|(x, y)| x == y).count();
    anchors
        .iter()
        .map(|a| (shared(a), a))
        .filter(|(n, _)| *n >= 3)
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, a)| a.clone())
}
