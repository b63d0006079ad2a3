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
    /// Every assistant.
    pub const ALL: [Assistant; 2] = [Assistant::Claude, Assistant::Kilo];

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
const SHELL: (&str, &str) = ("#", "");
/// The story-close hook, which both assistants share.
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
    vec![
        command(".claude/commands/gov.md", ".kilocode/workflows/gov.md", gov),
        command(".claude/commands/morning.md", ".kilocode/workflows/morning.md", morning),
        // The hook serves whoever closes a story, with or without an assistant.
        Template { path: HOOK, text: hook.to_owned(), comment: SHELL, executable: true },
    ]
}

fn without_front_matter(text: &str) -> &str {
    text.strip_prefix("---\n")
        .and_then(|t| t.split_once("\n---\n"))
        .map_or(text, |(_, body)| body.trim_start())
}
