//! What the figures are laid out with: scales, ticks, widths of text. Pure arithmetic.
//!
//! A figure is drawn once per width of the page; style rules show the one that fits, so that text
//! keeps its size on a telephone and on a wide screen.

use maud::{Markup, html};

/// A drawing's width in its own units, and the class under which style rules show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    /// `s`, `m`, `l` or `h`.
    pub class: &'static str,
    /// Units, close to pixels.
    pub width: f64,
}

/// Telephones.
pub(super) const SMALL: Size = Size { class: "s", width: 340.0 };
/// Tablets, and print.
pub(super) const MEDIUM: Size = Size { class: "m", width: 620.0 };
/// Screens, over the whole width.
pub(super) const LARGE: Size = Size { class: "l", width: 960.0 };
/// Screens, over half the width.
pub(super) const HALF: Size = Size { class: "h", width: 460.0 };

/// A figure over the whole width: `draw` gives the drawing and its height.
pub(super) fn full(label: &str, draw: impl Fn(Size) -> (f64, Markup)) -> Markup {
    html! { figure.full { @for size in [SMALL, MEDIUM, LARGE] { (frame(label, size, &draw)) } } }
}

/// A figure over half the width on screens.
pub(super) fn half(label: &str, draw: impl Fn(Size) -> (f64, Markup)) -> Markup {
    html! { figure.half { @for size in [SMALL, MEDIUM, HALF] { (frame(label, size, &draw)) } } }
}

fn frame(label: &str, size: Size, draw: &impl Fn(Size) -> (f64, Markup)) -> Markup {
    let (height, drawing) = draw(size);
    html! {
        svg class=(size.class) viewBox=(format!("0 0 {} {}", n(size.width), n(height))) role="group"
            aria-label=(label) { (drawing) }
    }
}

/// A coordinate with at most one decimal.
pub(super) fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// A count as a coordinate; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts of a report stay far below 2^53")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

/// The top of an axis that holds `max`: an even or unit step of 1, 2, 4, 10, 20, 40 …
pub(super) fn ceiling(max: usize) -> usize {
    let mut step = 1;
    loop {
        for factor in [1, 2, 4, 6, 8] {
            if factor * step >= max {
                return factor * step;
            }
        }
        step *= 10;
    }
}

/// The values marked on an axis that ends at `top`: the half, if it is whole, and the top.
pub(super) fn ticks(top: usize) -> Vec<usize> {
    if top > 1 && top.is_multiple_of(2) { vec![top / 2, top] } else { vec![top] }
}

/// Width of `text` at `px` pixels a line, estimated on the wide side.
pub(super) fn width(text: &str, px: f64) -> f64 {
    real(text.chars().map(|c| if c.is_ascii() { 10 } else { 13 }).sum::<usize>()) / 10.0 * px * 0.58
}

/// `text` cut with an ellipsis so that it fits into `room` at `px` pixels a line.
pub(super) fn fitted(text: &str, room: f64, px: f64) -> String {
    if width(text, px) <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if width(&cut, px) + px > room {
            cut.pop();
            break;
        }
    }
    format!("{}…", cut.trim_end())
}

/// A bar with rounded upper corners, standing on `base`.
pub(super) fn bar(class: &str, x: f64, base: f64, width: f64, height: f64, title: &str) -> Markup {
    let r = (width / 2.0).min(height).min(2.5);
    let d = format!(
        "M{} {}v{}q0 {} {} {}h{}q{} 0 {} {}v{}z",
        n(x),
        n(base),
        n(r - height),
        n(-r),
        n(r),
        n(-r),
        n(width - 2.0 * r),
        n(r),
        n(r),
        n(r),
        n(height - r),
    );
    html! { path class=(class) d=(d) { title { (title) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes() {
        assert_eq!(
            [0, 1, 2, 3, 5, 7, 9, 11, 45, 61, 100].map(ceiling),
            [1, 1, 2, 4, 6, 8, 10, 20, 60, 80, 100]
        );
        assert_eq!(ticks(1), [1]);
        assert_eq!(ticks(6), [3, 6]);
    }

    #[test]
    fn texts_fit() {
        for text in ["", "a", "a longer title that will not fit", "日本語の長い題名です"] {
            let cut = fitted(text, 60.0, 12.0);
            assert!(width(&cut, 12.0) <= 66.0, "{cut}");
            assert!(text.starts_with(cut.trim_end_matches('…').trim_end()));
        }
        assert_eq!(fitted("short", 60.0, 12.0), "short");
        assert_eq!((n(1.0), n(1.25), n(-0.04)), ("1".into(), "1.2".into(), "-0".into()));
    }
}
