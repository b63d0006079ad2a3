//! Results in every format, the same results in each.

mod documents;
mod results;

pub use documents::{listed, many, one};
pub use results::response;

use super::args::Format;
use crate::cli::context::Context as Cli;

/// The format in force: the one that was asked for, else `--json`, else text.
fn format(cli: &Cli, chosen: Option<Format>) -> Format {
    chosen.unwrap_or(if cli.out.json { Format::Json } else { Format::Text })
}

/// A field of a CSV line. Fields that a spreadsheet would compute are marked as text.
fn csv(text: &str) -> String {
    let text = match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{text}"),
        _ => text.to_owned(),
    };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// A CSV line.
fn csv_line<S: AsRef<str>>(fields: &[S]) -> String {
    fields.iter().map(|f| csv(f.as_ref())).collect::<Vec<_>>().join(",")
}

/// Text as XML content or attribute; characters XML cannot hold become U+FFFD.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Lines with their numbers.
fn numbered(text: &str, first: usize) -> String {
    let last = first + text.lines().count();
    let width = last.to_string().len();
    text.lines().enumerate().map(|(i, line)| format!("{:>width$}  {line}\n", first + i)).collect()
}

/// A fence longer than any run of backticks in `text`.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(csv_line(&["a", "b,c", "d\"e", "=1+1", "x\ny"]), "a,\"b,c\",\"d\"\"e\",'=1+1,\"x\ny\"");
        assert_eq!(xml("a<b>&\"\u{1}\n"), "a&lt;b&gt;&amp;&quot;\u{fffd}\n");
        assert_eq!(numbered("a\nb", 9), " 9  a\n10  b\n");
        assert_eq!(fence("x ```` y"), "`````");
        assert_eq!(fence(""), "```");
    }
}
