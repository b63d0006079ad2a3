//! The page's texts in both languages, and how it shows counts and days.

use crate::base::Date;
use crate::base::lang::Lang;
use crate::store::Source;

/// The page's language.
#[derive(Clone, Copy)]
pub(super) struct Words(pub Lang);

impl Words {
    /// The French or the English text.
    pub fn t<'a>(self, fr: &'a str, en: &'a str) -> &'a str {
        if self.0 == Lang::Fr { fr } else { en }
    }

    /// A count with its noun in the singular or plural; `fr` and `en` are pairs of both.
    pub fn count(self, n: usize, fr: (&str, &str), en: (&str, &str)) -> String {
        // French counts nought in the singular, English in the plural.
        let noun = match self.0 {
            Lang::Fr if n < 2 => fr.0,
            Lang::Fr => fr.1,
            Lang::En if n == 1 => en.0,
            Lang::En => en.1,
        };
        format!("{}\u{a0}{noun}", self.integer(n))
    }

    /// An integer with its thousands apart.
    pub fn integer(self, n: usize) -> String {
        let digits = n.to_string();
        let mark = if self.0 == Lang::Fr { '\u{202f}' } else { ',' };
        let mut out = String::new();
        for (i, c) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                out.push(mark);
            }
            out.push(c);
        }
        out
    }

    /// A source as a heading.
    pub fn source(self, source: Source) -> &'static str {
        match (source, self.0) {
            (Source::Learning, _) => "Learnings",
            (Source::Veille, Lang::Fr) => "Veille",
            (Source::Veille, Lang::En) => "Watch",
            (Source::Clarification, _) => "Clarifications",
        }
    }

    /// The month of a day, abbreviated.
    pub fn month(self, day: Date) -> &'static str {
        const FR: [&str; 12] = [
            "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
        ];
        const EN: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let names = if self.0 == Lang::Fr { FR } else { EN };
        let (_, month, _) = day.ymd();
        names.get(month as usize - 1).copied().unwrap_or("")
    }

    /// A day as people write it: `11 avr. 2026`, `11 Apr 2026`.
    pub fn day(self, day: Date) -> String {
        let (year, _, d) = day.ymd();
        format!("{d}\u{a0}{}\u{a0}{year}", self.month(day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_days() {
        let (fr, en) = (Words(Lang::Fr), Words(Lang::En));
        assert_eq!(fr.count(0, ("story", "stories"), ("story", "stories")), "0\u{a0}story");
        assert_eq!(en.count(0, ("story", "stories"), ("story", "stories")), "0\u{a0}stories");
        assert_eq!(fr.integer(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(en.integer(1234), "1,234");
        assert_eq!(en.integer(123), "123");
        let day = Date::parse("2026-12-01").unwrap();
        assert_eq!((fr.day(day), en.month(day)), ("1\u{a0}déc.\u{a0}2026".into(), "Dec"));
    }
}
