//! The files of each assistant, from one source in two languages.

use crate::base::lang::Lang;

/// An assistant whose layout is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assistant {
    /// Claude Code: `.claude/commands/`.
    Claude,
    /// Kilo Code: `.kilocode/workflows/`.
    Kilo,
}

impl Assistant {
    /// Reads `claude` or `kilo`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "claude" => Some(Assistant::Claude),
            "kilo" => Some(Assistant::Kilo),
            _ => None,
        }
    }
}

/// One file to install.
pub(super) struct Template {
    pub path: &'static str,
    pub text: String,
    /// How a comment opens and closes in this file.
    pub comment: (&'static str, &'static str),
    pub executable: bool,
}

const HTML: (&str, &str) = ("<!--", " -->");

/// The files of `assistant` in `lang`.
pub(super) fn of(assistant: Assistant, lang: Lang) -> Vec<Template> {
    let gov = match lang {
        Lang::Fr => include_str!("templates/gov.fr.md"),
        Lang::En => include_str!("templates/gov.en.md"),
    };
    let command = |claude: &'static str, kilo: &'static str, text: &str| match assistant {
        Assistant::Claude => {
            Template { path: claude, text: text.to_owned(), comment: HTML, executable: false }
        }
        // Kilo's workflows are plain Markdown: the front matter is Claude's, and `$ARGUMENTS` is
        // what the user types after the workflow's name.
        Assistant::Kilo => Template {
            path: kilo,
            text: without_front_matter(text).replace(" $ARGUMENTS", ""),
            comment: HTML,
            executable: false,
        },
    };
    vec![command(".claude/commands/gov.md", ".kilocode/workflows/gov.md", gov)]
}

fn without_front_matter(text: &str) -> &str {
    text.strip_prefix("---\n")
        .and_then(|t| t.split_once("\n---\n"))
        .map_or(text, |(_, body)| body.trim_start())
}
