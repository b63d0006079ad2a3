//! The one source of what is installed: two skills, four commands, one pointer, in two languages.
//! Pure.

use crate::base::lang::Lang;

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its name, also its folder's.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Its instructions.
    pub body: String,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What its argument is.
    pub hint: String,
    /// Its instructions, the argument's place marked.
    body: String,
}

impl Command {
    /// The instructions with the tool's own mark for the argument.
    pub fn filled(&self, argument: &str) -> String {
        self.body.replace("{{ARGUMENTS}}", argument)
    }
}

/// The skills in a language.
pub fn skills(lang: Lang) -> Vec<Skill> {
    let texts = match lang {
        Lang::Fr => [
            ("rag", include_str!("templates/rag.fr.md")),
            ("rag-sync", include_str!("templates/rag-sync.fr.md")),
        ],
        Lang::En => [
            ("rag", include_str!("templates/rag.en.md")),
            ("rag-sync", include_str!("templates/rag-sync.en.md")),
        ],
    };
    texts
        .into_iter()
        .filter_map(|(name, text)| {
            let (description, body) = text.split_once("\n===\n")?;
            let (name, description) = (name.to_owned(), description.trim().to_owned());
            Some(Skill { name, description, body: body.trim().to_owned() })
        })
        .collect()
}

/// The commands in a language.
pub fn commands(lang: Lang) -> Vec<Command> {
    let text = match lang {
        Lang::Fr => include_str!("templates/commands.fr.md"),
        Lang::En => include_str!("templates/commands.en.md"),
    };
    text.split("=== ")
        .filter_map(|part| {
            let mut lines = part.splitn(4, '\n').map(str::trim_end);
            let (name, description, hint) = (lines.next()?, lines.next()?, lines.next()?);
            let body = lines.next()?.to_owned();
            Some(Command {
                name: name.to_owned(),
                description: description.to_owned(),
                hint: hint.to_owned(),
                body,
            })
        })
        .collect()
}

/// The pointer for the file of instructions.
pub fn pointer(lang: Lang) -> &'static str {
    match lang {
        Lang::Fr => include_str!("templates/pointer.fr.md"),
        Lang::En => include_str!("templates/pointer.en.md"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_is_whole() {
        for lang in [Lang::Fr, Lang::En] {
            let names: Vec<String> = skills(lang).into_iter().map(|s| s.name).collect();
            assert_eq!(names, ["rag", "rag-sync"]);
            let names: Vec<String> = commands(lang).into_iter().map(|c| c.name).collect();
            assert_eq!(names, ["rag-init", "rag-update", "rag-query", "rag-check"]);
            // The manual protocol, for when the tool is away.
            let all: String = skills(lang).into_iter().map(|s| s.body).collect();
            for word in ["Phase 0", "Phase 4", "## C.", "a-z0-9-", "summary_max", "needs-review", "`.rag`"] {
                assert!(all.contains(word), "{word}");
            }
            assert!(commands(lang).iter().all(|c| c.filled("$ARGUMENTS").contains("$ARGUMENTS")));
        }
    }

    #[test]
    fn the_pointer_is_cheap_and_names_the_command() {
        for lang in [Lang::Fr, Lang::En] {
            let text = crate::knowledge::install::pointer::block(lang);
            assert!(
                crate::knowledge::tokens::estimate(&text) <= 150,
                "{}",
                crate::knowledge::tokens::estimate(&text)
            );
            assert!(text.contains("govrag query") && text.contains("`.rag`"));
        }
    }
}
