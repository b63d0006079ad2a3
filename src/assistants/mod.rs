//! The assistants whose folders are known, and where each looks for skills, commands and instructions.
//! One table for everything that is ever installed; pure.
//!
//! | tool | skills | commands | instructions |
//! |---|---|---|---|
//! | Claude Code | `.claude/skills` | `.claude/commands/*.md` | `CLAUDE.md` |
//! | Kilo | `.kilo/skills` | `.kilo/commands/*.md` | `AGENTS.md` |
//! | OpenCode | `.opencode/skills` | `.opencode/commands/*.md` | `AGENTS.md` |
//! | Codex | `.agents/skills` | skills in a project, `prompts/*.md` for a user | `AGENTS.md` |
//! | Gemini | `.gemini/skills` | `.gemini/commands/*.toml` | `GEMINI.md` |
//!
//! Kilo's earlier `.kilocode/workflows` are moved to `.kilo/commands` by Kilo itself.

pub mod forms;

use std::path::{Path, PathBuf};

use crate::base::env::Env;

/// An assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assistant {
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

impl Assistant {
    /// Every assistant.
    pub const ALL: [Assistant; 5] =
        [Assistant::Claude, Assistant::Kilo, Assistant::Opencode, Assistant::Codex, Assistant::Gemini];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Assistant::Claude => "claude",
            Assistant::Kilo => "kilo",
            Assistant::Opencode => "opencode",
            Assistant::Codex => "codex",
            Assistant::Gemini => "gemini",
        }
    }

    /// The assistant of this name.
    pub fn parse(name: &str) -> Option<Assistant> {
        Assistant::ALL.into_iter().find(|a| a.name() == name)
    }

    /// Every name, for a message.
    pub fn names() -> String {
        Assistant::ALL.map(Assistant::name).join(", ")
    }

    /// The file of instructions it reads at every start, where that is not `AGENTS.md`.
    pub fn instructions(self) -> Option<&'static str> {
        match self {
            Assistant::Claude => Some("CLAUDE.md"),
            Assistant::Gemini => Some("GEMINI.md"),
            Assistant::Kilo | Assistant::Opencode | Assistant::Codex => None,
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

/// The folders in the repository at `home`; an empty `home` gives relative paths.
pub fn project(assistant: Assistant, home: &Path) -> Folders {
    let (skills, commands) = match assistant {
        Assistant::Claude => (".claude/skills", Some(".claude/commands")),
        Assistant::Kilo => (".kilo/skills", Some(".kilo/commands")),
        Assistant::Opencode => (".opencode/skills", Some(".opencode/commands")),
        Assistant::Codex => (".agents/skills", None),
        Assistant::Gemini => (".gemini/skills", Some(".gemini/commands")),
    };
    Folders {
        skills: home.join(skills),
        commands: commands.map(|c| home.join(c)),
        shared: home.join(".agents/skills"),
    }
}

/// The folders of a user; `None` without a home directory.
pub fn global(assistant: Assistant, env: &Env) -> Option<Folders> {
    let home = env.home()?;
    let config = env.xdg("CONFIG", ".config")?;
    let own = |name: &str, fallback: &str| env.get(name).map_or_else(|| home.join(fallback), PathBuf::from);
    let (skills, commands) = match assistant {
        Assistant::Claude => {
            let dir = own("CLAUDE_CONFIG_DIR", ".claude");
            (dir.join("skills"), dir.join("commands"))
        }
        Assistant::Kilo => (home.join(".kilo/skills"), config.join("kilo/commands")),
        Assistant::Opencode => (config.join("opencode/skills"), config.join("opencode/commands")),
        Assistant::Codex => (home.join(".agents/skills"), own("CODEX_HOME", ".codex").join("prompts")),
        Assistant::Gemini => (home.join(".gemini/skills"), home.join(".gemini/commands")),
    };
    Some(Folders { skills, commands: Some(commands), shared: home.join(".agents/skills") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_s_folders_follow_the_environment() {
        let env = Env::from_pairs([("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("CODEX_HOME", "/x")]);
        assert_eq!(global(Assistant::Opencode, &env).unwrap().skills, Path::new("/c/opencode/skills"));
        assert_eq!(global(Assistant::Codex, &env).unwrap().commands.unwrap(), Path::new("/x/prompts"));
        assert_eq!(global(Assistant::Claude, &env).unwrap().skills, Path::new("/h/.claude/skills"));
        assert_eq!(global(Assistant::Kilo, &env).unwrap().commands.unwrap(), Path::new("/c/kilo/commands"));
        assert_eq!(global(Assistant::Claude, &Env::default()), None);
    }

    #[test]
    fn names_are_read_back() {
        for assistant in Assistant::ALL {
            assert_eq!(Assistant::parse(assistant.name()), Some(assistant));
        }
        assert_eq!(Assistant::parse("Claude"), None);
    }
}
