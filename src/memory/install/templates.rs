//! The files of each assistant, from one source in two languages.

use std::path::{Path, PathBuf};

use crate::assistants::forms::{self, Comment, Piece};
use crate::assistants::{Assistant, project};
use crate::base::lang::Lang;

/// One file to install.
pub(super) struct Template {
    /// Relative to the repository.
    pub path: PathBuf,
    pub text: String,
    /// How a comment opens and closes in this file.
    pub comment: (&'static str, &'static str),
    pub executable: bool,
}

const HTML: (&str, &str) = ("<!--", " -->");
const SHELL: (&str, &str) = ("#", "");
/// The story-close hook, which all assistants share.
pub(super) const HOOK: &str = "scripts/on-story-close.sh";

/// The files of `assistant` in `lang`.
pub(super) fn of(assistant: Assistant, lang: Lang) -> Vec<Template> {
    let (gov, morning, hook) = match lang {
        Lang::Fr => (
            include_str!("templates/gov.fr.md"),
            include_str!("templates/morning.fr.md"),
            include_str!("templates/on-story-close.fr.sh"),
        ),
        Lang::En => (
            include_str!("templates/gov.en.md"),
            include_str!("templates/morning.en.md"),
            include_str!("templates/on-story-close.en.sh"),
        ),
    };
    vec![
        command(assistant, "gov", gov),
        command(assistant, "morning", morning),
        // The hook serves whoever closes a story, with or without an assistant.
        Template { path: HOOK.into(), text: hook.to_owned(), comment: SHELL, executable: true },
    ]
}

/// Claude's form is the source; the others get its description, hint and body in their own.
fn command(assistant: Assistant, name: &str, source: &str) -> Template {
    let folders = project(assistant, Path::new(""));
    let (front, body) =
        source.strip_prefix("---\n").and_then(|t| t.split_once("\n---\n")).unwrap_or(("", source));
    let field =
        |key: &str| front.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(": ")).unwrap_or_default();
    let (description, hint) = (field("description"), field("argument-hint"));
    let command = forms::Command { name, description, hint, body: body.trim_start() };
    let Piece { path, text, comment, .. } = forms::command(assistant, &folders, &command);
    let text = match assistant {
        Assistant::Claude => source.to_owned(),
        _ if text.ends_with('\n') => text,
        _ => text + "\n",
    };
    let comment = match comment {
        Comment::Markdown => HTML,
        Comment::Hash => SHELL,
    };
    Template { path, text, comment, executable: false }
}
