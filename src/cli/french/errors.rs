//! Wrong usage, said in French: what is wrong, then what to do.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::base::Error;

/// The error in French; `None` where there is nothing to say but the library's own words.
pub fn error(e: &clap::Error) -> Option<Error> {
    let one = |kind| match e.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        Some(ContextValue::Number(n)) => Some(n.to_string()),
        _ => None,
    };
    let argument = one(ContextKind::InvalidArg).unwrap_or_default();
    let value = one(ContextKind::InvalidValue).unwrap_or_default();
    let message = match e.kind() {
        ErrorKind::UnknownArgument => format!("argument inconnu : {argument}"),
        ErrorKind::InvalidSubcommand => {
            format!("commande inconnue : {}", one(ContextKind::InvalidSubcommand)?)
        }
        ErrorKind::MissingSubcommand => "il manque une commande".to_owned(),
        ErrorKind::MissingRequiredArgument => format!("il manque {argument}"),
        ErrorKind::ArgumentConflict => match one(ContextKind::PriorArg) {
            Some(prior) if prior == argument => format!("{argument} ne se donne qu'une fois"),
            Some(prior) => format!("{argument} ne va pas avec {prior}"),
            None => format!("{argument} ne va pas avec un autre argument"),
        },
        ErrorKind::NoEquals => format!("{argument} veut le signe ="),
        ErrorKind::InvalidValue if value.is_empty() => format!("{argument} veut une valeur"),
        ErrorKind::InvalidValue => format!("{argument} n'admet pas « {value} »"),
        ErrorKind::ValueValidation => match std::error::Error::source(e) {
            Some(why) => format!("{argument} n'admet pas « {value} » : {why}"),
            None => format!("{argument} n'admet pas « {value} »"),
        },
        ErrorKind::TooManyValues => format!("« {value} » est de trop pour {argument}"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("{argument} n'a pas le bon nombre de valeurs")
        }
        ErrorKind::InvalidUtf8 => "un argument n'est pas de l'Unicode".to_owned(),
        _ => return None,
    };
    let error = Error::usage(message);
    let valid = [ContextKind::ValidValue, ContextKind::ValidSubcommand].into_iter().find_map(one);
    let near = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(one);
    Some(match (near, valid) {
        (Some(near), _) => error.hint(format!("peut-être {near}")),
        (None, Some(valid)) => error.hint(valid),
        (None, None) => error.hint(match e.get(ContextKind::Usage) {
            Some(ContextValue::StyledStr(usage)) => usage.to_string().replacen("Usage: ", "", 1),
            _ => "--help".to_owned(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(arguments: &[&str]) -> String {
        let command = crate::cli::french::command(crate::cli::knowledge::arguments());
        let e = command.try_get_matches_from(arguments).expect_err("an error");
        let error = error(&e).expect("French");
        assert_eq!(error.exit(), 2);
        format!("{} | {}", error.message(), error.hint_text().unwrap_or_default())
    }

    #[test]
    fn wrong_usage_in_french() {
        assert_eq!(said(&["govrag", "check", "--fixx"]), "argument inconnu : --fixx | peut-être --fix");
        let near = said(&["govrag", "chek"]);
        assert!(
            near.starts_with("commande inconnue : chek | peut-être ") && near.contains("check"),
            "{near}"
        );
        assert!(said(&["govrag", "ack"]).starts_with("il manque <DOC> | govrag ack"));
        assert!(said(&["govrag", "check", "--dry-run"]).starts_with("il manque --fix | "));
        assert!(said(&["govrag", "check", "--fix", "--write-baseline"]).contains(" ne va pas avec "));
        let value = said(&["govrag", "check", "--format", "xml"]);
        assert!(value.contains("n'admet pas « xml »") && value.contains("sarif"), "{value}");
    }
}
