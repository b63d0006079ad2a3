//! The only printer: results on stdout, everything else on stderr.
//!
//! A closed pipe ends quietly with exit 0 of the writer's point of view: further writes are dropped.

use std::io::{IsTerminal, Write};

use serde::Serialize;

use crate::base::Error;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The streams of one command.
#[derive(Debug)]
pub struct Output {
    /// Machine output.
    pub json: bool,
    /// Nothing but results and errors.
    pub quiet: bool,
    /// Use colour on stdout.
    pub color: bool,
    /// Use colour on stderr.
    pub color_err: bool,
    /// Columns of the terminal, 80 when there is none.
    pub width: usize,
    closed: std::sync::atomic::AtomicBool,
}

impl Output {
    /// Streams for these choices; `no_color` is the `NO_COLOR` convention.
    pub fn new(json: bool, quiet: bool, color: ColorChoice, no_color: bool) -> Self {
        let colored = |terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !no_color,
        };
        let width = terminal_size::terminal_size().map_or(80, |(w, _)| usize::from(w.0));
        Output {
            json,
            quiet,
            color: colored(std::io::stdout().is_terminal()),
            color_err: colored(std::io::stderr().is_terminal()),
            width: width.max(20),
            closed: std::sync::atomic::AtomicBool::new(false),
        }
    }

    /// Writes result text to stdout, as is.
    pub fn text(&self, text: impl AsRef<str>) {
        use std::sync::atomic::Ordering::Relaxed;
        if self.closed.load(Relaxed) {
            return;
        }
        let mut out = std::io::stdout().lock();
        if out.write_all(text.as_ref().as_bytes()).and_then(|()| out.flush()).is_err() {
            self.closed.store(true, Relaxed);
        }
    }

    /// Writes one result line to stdout.
    pub fn line(&self, line: impl AsRef<str>) {
        self.text(format!("{}\n", line.as_ref()));
    }

    /// Writes one JSON document and a newline to stdout.
    pub fn document(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.line(text),
            Err(e) => self.note(format!("json: {e}")),
        }
    }

    /// Says something on stderr, unless `--quiet`.
    pub fn note(&self, line: impl AsRef<str>) {
        if !self.quiet {
            self.stderr(line.as_ref());
        }
    }

    /// Reports an error on stderr: code, message, hint; JSON with `--json`.
    pub fn error(&self, error: &Error) {
        if self.json {
            let document = serde_json::json!({"error": error});
            self.stderr(&document.to_string());
            return;
        }
        let (bold, reset) = if self.color_err { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let head = match error.code() {
            Some(code) => format!("{bold}{code} {}{reset}: {}", code.name(), error.message()),
            None => {
                let word = crate::tr!("{bold}erreur{reset} :", "{bold}error{reset}:");
                format!("{word} {}", error.message())
            }
        };
        self.stderr(&neutral(&head, self.color_err));
        if let Some(hint) = error.hint_text() {
            let hint = neutral(hint, false);
            self.stderr(&crate::tr!("conseil : {hint}", "hint: {hint}"));
        }
    }

    fn stderr(&self, line: &str) {
        let mut err = std::io::stderr().lock();
        // Nothing is left to tell when stderr itself is gone.
        let _ = writeln!(err, "{line}");
    }
}

/// Escapes control characters that could drive a terminal; newlines and our own colours stay.
fn neutral(text: &str, colored: bool) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => c,
            '\x1b' if colored => c,
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}
