//! Where each assistant looks for skills and commands, and in which form. Pure.
//!
//! | tool | skills | commands | instructions |
//! |---|---|---|---|
//! | Claude Code | `.claude/skills` | `.claude/commands/*.md` | `CLAUDE.md` |
//! | Kilo | `.kilo/skills` | `.kilo/commands/*.md` | `AGENTS.md` |
//! | OpenCode | `.opencode/skills` | `.opencode/commands/*.md` | `AGENTS.md` |
//! | Codex | `.agents/skills` | skills in a project, `prompts/*.md` for a user | `AGENTS.md` |
//! | Gemini | `.gemini/skills` | `.gemini/commands/*.toml` | `GEMINI.md` |

use std::path::{Path, PathBuf};

use super::source::{Command, Skill};
use crate::base::env::Env;
use crate::knowledge::managed::{Comment, stamp};
use crate::markdown::front_matter::quoted;

/// An assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cli {
    /// Claude Code.
    Claude,
    /// Kilo.
    Kilo,
    /// OpenCode.
    Opencode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
}

impl Cli {
    /// Every assistant.
    pub const ALL: [Cli; 5] = [Cli::Claude, Cli::Kilo, Cli::Opencode, Cli::Codex, Cli::Gemini];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Cli::Claude => "claude",
            Cli::Kilo => "kilo",
            Cli::Opencode => "opencode",
            Cli::Codex => "codex",
            Cli::Gemini => "gemini",
        }
    }

    /// The assistant of this name.
    pub fn parse(name: &str) -> Option<Cli> {
        Cli::ALL.into_iter().find(|cli| cli.name() == name)
    }

    /// The file of instructions it reads at every start, where that is not `AGENTS.md`.
    pub fn instructions(self) -> Option<&'static str> {
        match self {
            Cli::Claude => Some("CLAUDE.md"),
            Cli::Gemini => Some("GEMINI.md"),
            Cli::Kilo | Cli::Opencode | Cli::Codex => None,
        }
    }
}

/// The folders of one assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Where its skills lie.
    pub skills: PathBuf,
    /// Where its commands lie; `None` when commands are skills.
    pub commands: Option<PathBuf>,
    /// Where one copy of the skills for all assistants lies.
    pub shared: PathBuf,
}

/// The folders in a repository.
pub fn project(cli: Cli, home: &Path) -> Folders {
    let (skills, commands) = match cli {
        Cli::Claude => (".claude/skills", Some(".claude/commands")),
        Cli::Kilo => (".kilo/skills", Some(".kilo/commands")),
        Cli::Opencode => (".opencode/skills", Some(".opencode/commands")),
        Cli::Codex => (".agents/skills", None),
        Cli::Gemini => (".gemini/skills", Some(".gemini/commands")),
    };
    Folders {
        skills: home.join(skills),
        commands: commands.map(|c| home.join(c)),
        shared: home.join(".agents/skills"),
    }
}

/// The folders of a user; `None` without a home directory.
pub fn global(cli: Cli, env: &Env) -> Option<Folders> {
    let home = env.home()?;
    let config = env.xdg("CONFIG", ".config")?;
    let own = |name: &str, fallback: &str| env.get(name).map_or_else(|| home.join(fallback), PathBuf::from);
    let (skills, commands) = match cli {
        Cli::Claude => {
            let dir = own("CLAUDE_CONFIG_DIR", ".claude");
            (dir.join("skills"), dir.join("commands"))
        }
        Cli::Kilo => (home.join(".kilo/skills"), config.join("kilo/commands")),
        Cli::Opencode => (config.join("opencode/skills"), config.join("opencode/commands")),
        Cli::Codex => (home.join(".agents/skills"), own("CODEX_HOME", ".codex").join("prompts")),
        Cli::Gemini => (home.join(".gemini/skills"), home.join(".gemini/commands")),
    };
    Some(Folders { skills, commands: Some(commands), shared: home.join(".agents/skills") })
}

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
pub fn files(cli: Cli, folders: &Folders, skills: &[Skill], commands: &[Command]) -> Vec<Planned> {
    let skill = |skill: &Skill| Planned {
        path: folders.skills.join(&skill.name).join("SKILL.md"),
        text: skill_text(&skill.name, &skill.description, &skill.body),
        skill: Some(skill.name.clone()),
    };
    let mut out: Vec<Planned> = skills.iter().map(skill).collect();
    for command in commands {
        out.push(match &folders.commands {
            None => Planned {
                path: folders.skills.join(&command.name).join("SKILL.md"),
                text: skill_text(&command.name, &command.description, &command.filled("$ARGUMENTS")),
                skill: Some(command.name.clone()),
            },
            Some(folder) if cli == Cli::Gemini => Planned {
                path: folder.join(format!("{}.toml", command.name)),
                text: toml(command),
                skill: None,
            },
            Some(folder) => Planned {
                path: folder.join(format!("{}.md", command.name)),
                text: markdown(cli, command),
                skill: None,
            },
        });
    }
    out
}

fn skill_text(name: &str, description: &str, body: &str) -> String {
    stamp(
        &format!("---\nname: {name}\ndescription: {}\n---\n\n{body}", quoted(description)),
        Comment::Markdown,
    )
}

fn markdown(cli: Cli, command: &Command) -> String {
    let mut head = format!("---\ndescription: {}\n", quoted(&command.description));
    match cli {
        Cli::Claude | Cli::Codex => head.push_str(&format!("argument-hint: {}\n", quoted(&command.hint))),
        Cli::Kilo => head.push_str("agent: code\n"),
        Cli::Opencode | Cli::Gemini => {}
    }
    stamp(&format!("{head}---\n\n{}", command.filled("$ARGUMENTS")), Comment::Markdown)
}

/// A literal string holds backslashes and quotes as they are; the bodies hold no three quotes.
fn toml(command: &Command) -> String {
    let prompt = command.filled("{{args}}");
    stamp(
        &format!("description = {}\nprompt = '''\n{}\n'''", quoted(&command.description), prompt.trim_end()),
        Comment::Hash,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lang::Lang;
    use crate::knowledge::install::source;
    use crate::knowledge::managed::is_ours;

    #[test]
    fn every_file_has_the_form_of_its_tool() {
        for lang in [Lang::Fr, Lang::En] {
            for cli in Cli::ALL {
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

    #[test]
    fn a_user_s_folders_follow_the_environment() {
        let env = Env::from_pairs([("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("CODEX_HOME", "/x")]);
        assert_eq!(global(Cli::Opencode, &env).unwrap().skills, Path::new("/c/opencode/skills"));
        assert_eq!(global(Cli::Codex, &env).unwrap().commands.unwrap(), Path::new("/x/prompts"));
        assert_eq!(global(Cli::Claude, &env).unwrap().skills, Path::new("/h/.claude/skills"));
        assert_eq!(global(Cli::Claude, &Env::default()), None);
    }
}
