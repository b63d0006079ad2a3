//! Other people's documents as one tree: YAML, JSON, Markdown with front matter.

use std::path::Path;

use serde_json::Value;

use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::markdown::front_matter::{FrontMatter, Problem};
use crate::tr;

/// Largest file read as one document, in bytes.
const MAX_DOCUMENT: u64 = 64 << 20;

/// Reads a text file: size limit, UTF-8, no byte-order mark.
///
/// # Errors
/// I/O; usage for a file that is too large or not UTF-8, with the byte.
pub fn read_text(path: &Path) -> Result<String> {
    let size = std::fs::metadata(path).at(path)?.len();
    let shown = path.display();
    if size > MAX_DOCUMENT {
        return Err(Error::usage(tr!(
            "{shown} : {size} octets, le maximum est {MAX_DOCUMENT}",
            "{shown}: {size} bytes, the most is {MAX_DOCUMENT}"
        )));
    }
    let text = String::from_utf8(std::fs::read(path).at(path)?).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Error::usage(tr!("{shown} : UTF-8 invalide à l'octet {at}", "{shown}: invalid UTF-8 at byte {at}"))
            .hint(tr!("enregistrez le fichier en UTF-8", "save the file as UTF-8"))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A YAML document, bounded against alias bombs; the reason when it cannot be read.
pub fn yaml(text: &str) -> Result<Value, String> {
    // YAML 1.2: `y`, `no` and `on` are texts.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options::<Value>(text, options)
        .map_err(|e| e.to_string().lines().next().unwrap_or("YAML").to_owned())
}

/// The front matter of a Markdown text and the text below it; `None` without front matter.
pub fn markdown(text: &str) -> Result<Option<(Value, &str)>, String> {
    let front = FrontMatter::read(text);
    if front.split.problem == Some(Problem::Absent) {
        return Ok(None);
    }
    if let Some(fault) = &front.fault {
        return Err(fault.message.clone());
    }
    let Some(block) = &front.split.block else { return Ok(None) };
    let document = yaml(&text[block.yaml.clone()])?;
    Ok(Some((document, &text[front.split.body..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn trees() {
        assert_eq!(
            yaml("blip:\n  - date: 2019-06-30\n    ring: ADOPT\n").unwrap(),
            json!({"blip": [{"date": "2019-06-30", "ring": "ADOPT"}]})
        );
        assert_eq!(markdown("# No\n").unwrap(), None);
        let (front, body) = markdown("---\ntitle:  A  \ntags: [x, y]\n---\n\nBody\n").unwrap().unwrap();
        assert_eq!(front, json!({"title": "A", "tags": ["x", "y"]}));
        assert_eq!(body.trim(), "Body");
        assert!(markdown("---\na: 1\na: 2\n---\n").is_err());
        assert!(yaml("a: &a [*a]").is_err() || yaml("a: &a [1]\nb: *a").is_ok());
    }
}
