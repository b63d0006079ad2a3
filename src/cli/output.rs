//! The only printer: results on stdout, everything else on stderr.
//!
//! A closed pipe ends quietly with exit 0 of the writer's point of view: further writes are dropped.
//! Any other failed write is kept, and the command that lost its result says so and exits 74.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::base::{Error, Result};
use crate::tr;

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
    end: Mutex<End>,
}

/// How far stdout went.
#[derive(Debug)]
enum End {
    /// It takes what is written.
    Open,
    /// Nobody reads any more, or the loss was told.
    Closed,
    /// A write failed.
    Lost(io::Error),
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
            end: Mutex::new(End::Open),
        }
    }

    /// Writes result text to stdout, as is.
    pub fn text(&self, text: impl AsRef<str>) {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*end, End::Open) {
            return;
        }
        let mut out = io::stdout().lock();
        if let Err(e) = out.write_all(text.as_ref().as_bytes()).and_then(|()| out.flush()) {
            *end = if e.kind() == ErrorKind::BrokenPipe { End::Closed } else { End::Lost(e) };
        }
    }

    /// Whether every result reached stdout, or a reader who left. To be asked at the end of a command.
    ///
    /// # Errors
    /// Exit 74 when a write failed, once.
    pub fn complete(&self) -> Result<()> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *end, End::Closed) {
            End::Lost(e) => Err(lost(&e)),
            kept => {
                *end = kept;
                Ok(())
            }
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
                let word = tr!("{bold}erreur{reset} :", "{bold}error{reset}:");
                format!("{word} {}", error.message())
            }
        };
        self.stderr(&neutral(&head, self.color_err));
        if let Some(hint) = error.hint_text() {
            let hint = neutral(hint, false);
            self.stderr(&tr!("conseil : {hint}", "hint: {hint}"));
        }
    }

    fn stderr(&self, line: &str) {
        let mut err = std::io::stderr().lock();
        // Nothing is left to tell when stderr itself is gone.
        let _ = writeln!(err, "{line}");
    }
}

/// The error of a result that did not reach stdout whole.
pub fn lost(e: &io::Error) -> Error {
    Error::io("stdout", e).hint(tr!(
        "le résultat est incomplet : faites de la place ou écrivez ailleurs, et recommencez",
        "the result is incomplete: make room or write elsewhere, and run it again"
    ))
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
