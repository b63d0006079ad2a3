//! Refusing records that hold a secret, before a byte of them is written.

use crate::base::secret;
use crate::tr;

/// Refuses a record one of whose named fields holds a secret.
///
/// # Errors
/// The reason: field, line and rule, never the value.
pub fn refuse(fields: &[(&str, &str)]) -> Result<(), String> {
    for (field, text) in fields {
        if let Some(found) = secret::scan(text).first() {
            let (line, rule) = (found.line, found.rule);
            return Err(tr!(
                "un secret dans {field}, ligne {line} ({rule})",
                "a secret in {field}, line {line} ({rule})"
            ));
        }
    }
    Ok(())
}
