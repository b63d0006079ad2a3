//! Help and usage errors in French: one pass over the argument table, which is written in English.
//!
//! Each tool has its table of texts, keyed by the English one. A text that is missing stays English;
//! the tests fail on one, and on a row that nothing uses.

mod common;
mod errors;
mod knowledge;
mod memory;
mod retrieval;

use clap::builder::PossibleValue;
use clap::{Arg, Command};

pub use errors::error;

/// English and French.
type Table = [(&'static str, &'static str)];

const TABLES: [&Table; 4] = [common::TEXTS, knowledge::TEXTS, memory::TEXTS, retrieval::TEXTS];

/// The French of an English text; final full stops do not count, as the argument table drops them.
fn french(english: &str) -> Option<&'static str> {
    let plain = |text: &str| text.trim_end().trim_end_matches('.').to_owned();
    let wanted = plain(english);
    TABLES.iter().flat_map(|t| t.iter()).find(|(en, _)| plain(en) == wanted).map(|(_, fr)| *fr)
}

fn text(english: &str) -> String {
    french(english).map_or_else(|| english.to_owned(), str::to_owned)
}

/// The command with its whole help in French.
pub fn command(mut command: Command) -> Command {
    command.build();
    pass(command)
}

fn pass(command: Command) -> Command {
    let about = command.get_about().map(ToString::to_string);
    let long = command.get_long_about().map(ToString::to_string);
    let after = command.get_after_help().map(ToString::to_string);
    let arguments = command.get_arguments().next().is_some() || command.has_subcommands();
    let all = if arguments { "\n\n{all-args}" } else { "" };
    let mut command = command
        .help_template(format!(
            "{{before-help}}{{about-with-newline}}\nUtilisation : {{usage}}{all}{{after-help}}"
        ))
        .subcommand_help_heading("Commandes")
        .subcommand_value_name("COMMANDE");
    if let Some(about) = about {
        command = command.about(text(&about));
    }
    if let Some(long) = long {
        command = command.long_about(text(&long));
    }
    if let Some(after) = after {
        command = command.after_help(text(&after));
    }
    command.mut_args(argument).mut_subcommands(pass)
}

fn argument(arg: Arg) -> Arg {
    let values: Vec<PossibleValue> =
        arg.get_possible_values().into_iter().filter(|v| !v.is_hide_set()).collect();
    let takes = arg.get_action().takes_values();
    let mut notes = String::new();
    if takes && !arg.is_hide_default_value_set() && !arg.get_default_values().is_empty() {
        let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
        notes.push_str(&format!(" [défaut : {}]", defaults.join(" ")));
    }
    let listed = takes && !arg.is_hide_possible_values_set() && !values.is_empty();
    let names = || values.iter().map(PossibleValue::get_name).collect::<Vec<_>>().join(", ");
    let help = arg.get_help().map(ToString::to_string);
    let long = arg.get_long_help().map(ToString::to_string).or_else(|| help.clone());
    let heading = arg.get_help_heading().and_then(french);
    let mut arg = arg.hide_default_value(true).hide_possible_values(true);
    if let Some(help) = help {
        let list = if listed { format!(" [valeurs : {}]", names()) } else { String::new() };
        arg = arg.help(format!("{}{notes}{list}", text(&help)));
    }
    if listed && let Some(long) = long {
        let lines: String = values
            .iter()
            .map(|value| match value.get_help() {
                Some(help) => format!("\n- {} : {}", value.get_name(), text(&help.to_string())),
                None => format!("\n- {}", value.get_name()),
            })
            .collect();
        arg = arg.long_help(format!("{}{notes}\n\nValeurs possibles :{lines}", text(&long)));
    } else if let Some(long) = arg.get_long_help().map(ToString::to_string) {
        arg = arg.long_help(format!("{}{notes}", text(&long)));
    }
    match heading {
        Some(heading) => arg.help_heading(heading),
        None => arg,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every text of a command that a reader can see.
    fn texts(command: &Command, out: &mut BTreeSet<String>) {
        let shown = [command.get_about(), command.get_long_about(), command.get_after_help()];
        out.extend(shown.into_iter().flatten().map(ToString::to_string));
        for arg in command.get_arguments() {
            let shown = [arg.get_help(), arg.get_long_help()];
            out.extend(shown.into_iter().flatten().map(ToString::to_string));
            out.extend(arg.get_help_heading().map(str::to_owned));
            let values = arg.get_possible_values();
            out.extend(values.iter().filter_map(PossibleValue::get_help).map(ToString::to_string));
        }
        command.get_subcommands().for_each(|sub| texts(sub, out));
    }

    fn all() -> Vec<Command> {
        let tools = [crate::cli::knowledge::arguments(), crate::cli::retrieval::arguments()];
        tools.into_iter().chain(crate::cli::memory::arguments()).collect()
    }

    #[test]
    fn every_text_is_translated_and_every_translation_used() {
        let mut shown = BTreeSet::new();
        for mut command in all() {
            command.build();
            texts(&command, &mut shown);
        }
        let missing: Vec<&String> =
            shown.iter().filter(|t| !t.trim().is_empty() && french(t).is_none()).collect();
        assert!(missing.is_empty(), "no French: {missing:#?}");
        let plain = |t: &str| t.trim_end().trim_end_matches('.').to_owned();
        let shown: BTreeSet<String> = shown.iter().map(|t| plain(t)).collect();
        let unused: Vec<&str> = TABLES
            .iter()
            .flat_map(|t| t.iter())
            .map(|(en, _)| *en)
            .filter(|en| !shown.contains(&plain(en)))
            .collect();
        assert!(unused.is_empty(), "nothing says: {unused:#?}");
    }

    #[test]
    fn help_is_french_throughout_and_the_arguments_stay() {
        for tool in all() {
            let french = command(tool.clone());
            french.clone().debug_assert();
            let mut stack = vec![french];
            while let Some(mut command) = stack.pop() {
                for help in [command.render_help().to_string(), command.render_long_help().to_string()] {
                    for english in ["Usage:", "Commands:", "Print ", "[default", "ossible values:", "Example"]
                    {
                        assert!(!help.contains(english), "{english}: {help}");
                    }
                    assert!(help.contains("Utilisation : "), "{help}");
                }
                stack.extend(command.get_subcommands().cloned());
            }
        }
        let parsed = command(crate::cli::knowledge::arguments())
            .try_get_matches_from(["govrag", "check", "--fix", "--strict=all", "--json"])
            .expect("arguments");
        let (name, check) = parsed.subcommand().expect("subcommand");
        assert!(name == "check" && check.get_flag("fix") && check.get_flag("json"));
    }
}
