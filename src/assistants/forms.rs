//! The form in which each assistant reads a skill or a command. Pure; who writes a file adds the line
//! that makes it theirs, in the comment form given here.

use std::path::PathBuf;

use super::{Assistant, Folders};
use crate::markdown::front_matter::quoted;

/// How a comment is written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comment {
    /// `<!-- … -->`
    Markdown,
    /// `# …`
    Hash,
}

/// A command, the argument's place marked by [`ARGUMENT`].
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does.
    pub description: &'a str,
    /// What its argument is; empty when it takes none.
    pub hint: &'a str,
    /// Its instructions.
    pub body: &'a str,
}

/// The mark for what the user writes after a command's name, as four of the five tools know it.
pub const ARGUMENT: &str = "$ARGUMENTS";

/// A file to be put in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where.
    pub path: PathBuf,
    /// What.
    pub text: String,
    /// How a comment is written in it.
    pub comment: Comment,
    /// The skill it is, for linking.
    pub skill: Option<String>,
}

/// A skill: the same form for every assistant.
pub fn skill(folders: &Folders, name: &str, description: &str, body: &str) -> Piece {
    Piece {
        path: folders.skills.join(name).join("SKILL.md"),
        text: format!("---\nname: {name}\ndescription: {}\n---\n\n{body}", quoted(description)),
        comment: Comment::Markdown,
        skill: Some(name.to_owned()),
    }
}

/// A command in the form and at the place of `assistant`.
pub fn command(assistant: Assistant, folders: &Folders, command: &Command<'_>) -> Piece {
    let Command { name, description, body, .. } = command;
    match &folders.commands {
        None => skill(folders, name, description, body),
        Some(folder) if assistant == Assistant::Gemini => Piece {
            path: folder.join(format!("{name}.toml")),
            text: toml(description, &body.replace(ARGUMENT, "{{args}}")),
            comment: Comment::Hash,
            skill: None,
        },
        Some(folder) => Piece {
            path: folder.join(format!("{name}.md")),
            text: markdown(assistant, command),
            comment: Comment::Markdown,
            skill: None,
        },
    }
}

fn markdown(assistant: Assistant, command: &Command<'_>) -> String {
    let mut head = format!("---\ndescription: {}\n", quoted(command.description));
    match assistant {
        Assistant::Claude | Assistant::Codex if !command.hint.is_empty() => {
            head.push_str(&format!("argument-hint: {}\n", quoted(command.hint)));
        }
        Assistant::Kilo => head.push_str("agent: code\n"),
        _ => {}
    }
    format!("{head}---\n\n{}", command.body)
}

/// A literal string holds backslashes and quotes as they are; a body with three single quotes, which
/// would end it, is written as a basic string.
fn toml(description: &str, prompt: &str) -> String {
    let prompt = prompt.trim_end();
    let text = if prompt.contains("'''") { quoted(prompt) } else { format!("'''\n{prompt}\n'''") };
    format!("description = {}\nprompt = {text}", quoted(description))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistants::project;
    use std::path::Path;

    fn of(assistant: Assistant, body: &str) -> Piece {
        let folders = project(assistant, Path::new(""));
        command(assistant, &folders, &Command { name: "go", description: "Goes: \"now\"", hint: "[x]", body })
    }

    #[test]
    fn each_tool_has_its_place_and_form() {
        let places = Assistant::ALL.map(|a| of(a, "# $ARGUMENTS\n").path.display().to_string());
        assert_eq!(
            places,
            [
                ".claude/commands/go.md",
                ".kilo/commands/go.md",
                ".opencode/commands/go.md",
                ".agents/skills/go/SKILL.md",
                ".gemini/commands/go.toml"
            ]
        );
        assert!(of(Assistant::Claude, "x").text.contains("argument-hint: \"[x]\"\n"));
        assert!(of(Assistant::Kilo, "x").text.contains("agent: code\n"));
        assert!(of(Assistant::Codex, "x").text.starts_with("---\nname: go\ndescription: "));
    }

    #[test]
    fn toml_holds_any_body() {
        for body in ["a \\ \"b\" $ARGUMENTS", "it's ''' here\n\ttab"] {
            let table: toml::Table = of(Assistant::Gemini, body).text.parse().expect("toml");
            assert_eq!(table["prompt"].as_str().unwrap().trim_end(), body.replace(ARGUMENT, "{{args}}"));
            assert_eq!(table["description"].as_str(), Some("Goes: \"now\""));
        }
    }
}
