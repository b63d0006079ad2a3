//! The files of each assistant: the one source in the forms and places of [`crate::assistants`], each
//! with the line that makes it ours. Pure.

use std::path::PathBuf;

use super::source::{Command, Skill};
use crate::assistants::forms::{self, ARGUMENT, Piece};
use crate::assistants::{Assistant, Folders};
use crate::knowledge::managed::stamp;

/// A file to be put in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Where.
    pub path: PathBuf,
    /// What, with the line that makes it ours.
    pub text: String,
    /// The skill it is, for linking.
    pub skill: Option<String>,
}

/// The files of one assistant.
pub fn files(
    assistant: Assistant,
    folders: &Folders,
    skills: &[Skill],
    commands: &[Command],
) -> Vec<Planned> {
    let skills = skills.iter().map(|s| forms::skill(folders, &s.name, &s.description, &s.body));
    let commands = commands.iter().map(|c| {
        let body = c.filled(ARGUMENT);
        let command =
            forms::Command { name: &c.name, description: &c.description, hint: &c.hint, body: &body };
        forms::command(assistant, folders, &command)
    });
    skills.chain(commands).map(planned).collect()
}

fn planned(piece: Piece) -> Planned {
    Planned { text: stamp(&piece.text, piece.comment), path: piece.path, skill: piece.skill }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::assistants::project;
    use crate::base::lang::Lang;
    use crate::knowledge::install::source;
    use crate::knowledge::managed::is_ours;

    #[test]
    fn every_file_has_the_form_of_its_tool() {
        for lang in [Lang::Fr, Lang::En] {
            for cli in Assistant::ALL {
                let folders = project(cli, Path::new("/r"));
                let files = files(cli, &folders, &source::skills(lang), &source::commands(lang));
                assert_eq!(files.len(), 6, "{cli:?}");
                for file in files {
                    assert!(is_ours(&file.text), "{:?}", file.path);
                    if file.path.extension().is_some_and(|e| e == "toml") {
                        let table: toml::Table = file.text.parse().expect("toml");
                        assert!(table["prompt"].as_str().unwrap().contains("{{args}}"));
                        assert!(table["description"].as_str().is_some());
                        continue;
                    }
                    let front = crate::markdown::FrontMatter::read(&file.text);
                    assert!(front.is_readable(), "{:?}", file.path);
                    let description = front.text("description").expect("description");
                    assert!((1..=1024).contains(&description.chars().count()));
                    assert!(file.text.lines().count() < 500);
                    if let Some(skill) = &file.skill {
                        assert_eq!(front.text("name"), Some(skill.as_str()));
                        let name_ok =
                            skill.len() <= 64 && skill.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
                        assert!(name_ok && file.path.parent().unwrap().ends_with(skill));
                    }
                }
            }
        }
    }
}
