//! Our own clarification file: front matter and the four answers, byte for byte. Pure.
//!
//! The answer of a question is the run of quoted lines below its heading. Rendering and reading are
//! inverse, whatever the answer holds: a `## Q2` inside an answer is a quoted line, not a heading.

use crate::base::id::{Slug, StoryId};
use crate::base::lang::{self, Lang};
use crate::base::{Date, Result};
use crate::tr;

/// A step-0 question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// `Q1` … `Q4`.
    pub id: &'static str,
    /// The theme in records.
    pub theme: &'static str,
    /// The word of the heading.
    pub heading: &'static str,
    fr: &'static str,
    en: &'static str,
}

/// The four questions, in order.
pub const QUESTIONS: [Question; 4] = [
    Question {
        id: "Q1",
        theme: "probleme",
        heading: "Problème",
        fr: "Quel problème cette story résout-elle, et pour qui ?",
        en: "Which problem does this story solve, and for whom?",
    },
    Question {
        id: "Q2",
        theme: "criteres",
        heading: "Critères",
        fr: "À quels critères observables verra-t-on qu'elle est réussie ?",
        en: "By which observable criteria will its success be seen?",
    },
    Question {
        id: "Q3",
        theme: "contraintes",
        heading: "Contraintes",
        fr: "Quelles contraintes (techniques, légales, délais) doit-elle respecter ?",
        en: "Which constraints (technical, legal, time) must it respect?",
    },
    Question {
        id: "Q4",
        theme: "priorites",
        heading: "Priorités",
        fr: "Qu'est-ce qui passe d'abord si tout ne peut pas être fait ?",
        en: "What comes first if not everything can be done?",
    },
];

impl Question {
    /// The question in the current language.
    pub fn text(&self) -> &'static str {
        if lang::current() == Lang::Fr { self.fr } else { self.en }
    }

    fn title(&self) -> String {
        format!("## {} — {}", self.id, self.heading)
    }
}

/// What a clarification file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Story.
    pub story: StoryId,
    /// Domain.
    pub domain: Slug,
    /// Project.
    pub project: Slug,
    /// Day of the answers.
    pub date: Date,
    /// The four answers, in question order, verbatim.
    pub answers: [String; 4],
}

/// Renders the file.
pub fn render(form: &Form) -> String {
    let mut out = format!(
        "---\nstory: {}\ndomain: {}\nproject: {}\ndate: {}\n---\n",
        form.story, form.domain, form.project, form.date
    );
    for (question, answer) in QUESTIONS.iter().zip(&form.answers) {
        out.push_str(&format!("\n{}\n\n{}\n\n", question.title(), question.text()));
        for line in answer.split('\n') {
            out.push_str(if line.is_empty() { ">" } else { "> " });
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// Reads the four answers from the text below the front matter. Exactly Q1 to Q4, once each and in
/// order, none empty; otherwise the reason.
pub fn answers(body: &str) -> Result<[String; 4], String> {
    let mut found: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut ended = false;
    for line in body.split('\n') {
        let plain = line.strip_suffix('\r').unwrap_or(line);
        if let Some(rest) = plain.strip_prefix("## ") {
            let label = rest.split([' ', '—', '-', ':']).next().unwrap_or("");
            let at = QUESTIONS
                .iter()
                .position(|q| q.id == label)
                .ok_or_else(|| tr!("titre inattendu {rest:?}", "unexpected heading {rest:?}"))?;
            found.push((at, Vec::new()));
            ended = false;
        } else if let Some((_, lines)) = found.last_mut() {
            match line.strip_prefix('>') {
                Some(quoted) if !ended => lines.push(quoted.strip_prefix(' ').unwrap_or(quoted)),
                Some(_) => return Err(tr!("réponse en deux morceaux", "answer in two pieces")),
                None => ended = !lines.is_empty(),
            }
        }
    }
    let order: Vec<usize> = found.iter().map(|(at, _)| *at).collect();
    if order != [0, 1, 2, 3] {
        let ids: Vec<&str> = order.iter().map(|at| QUESTIONS[*at].id).collect();
        return Err(tr!(
            "questions {ids:?}, attendu Q1 à Q4 dans l'ordre",
            "questions {ids:?}, expected Q1 to Q4 in order"
        ));
    }
    let mut answers: [String; 4] = Default::default();
    for (slot, (at, lines)) in answers.iter_mut().zip(found) {
        *slot = lines.join("\n");
        if slot.trim().is_empty() {
            let id = QUESTIONS[at].id;
            return Err(tr!("réponse {id} vide", "answer {id} is empty"));
        }
    }
    Ok(answers)
}

/// Refuses an answer that the form cannot hold: empty, or with a NUL or another control character.
pub fn accept(question: &Question, answer: &str) -> Result<String, String> {
    let answer = answer.trim_end_matches(['\n', '\r']);
    let id = question.id;
    if answer.trim().is_empty() {
        return Err(tr!("réponse {id} vide", "answer {id} is empty"));
    }
    if let Some(c) = answer.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(tr!(
            "réponse {id} : caractère de contrôle {c:?}",
            "answer {id}: control character {c:?}"
        ));
    }
    Ok(answer.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(answers: [&str; 4]) -> Form {
        Form {
            story: StoryId::parse("PD-42").unwrap(),
            domain: Slug::parse("auth-identity").unwrap(),
            project: Slug::parse("backend").unwrap(),
            date: Date::parse("2026-03-15").unwrap(),
            answers: answers.map(str::to_owned),
        }
    }

    fn body(text: &str) -> &str {
        text.splitn(3, "---\n").nth(2).unwrap()
    }

    #[test]
    fn hostile_answers_come_back_byte_for_byte() {
        let answers = [
            "## Q2 — Critères\n> quoted\n---\n",
            "é\r\nlone cr \r and tab\t end ",
            "  indented\n\n\n```\nfence",
            ">",
        ];
        let expected = answers.map(|a| a.to_owned());
        let text = render(&form(answers));
        assert_eq!(super::answers(body(&text)).unwrap(), expected);
    }

    #[test]
    fn counts_order_and_emptiness() {
        let text = render(&form(["a", "b", "c", "d"]));
        let good = body(&text);
        assert!(super::answers(good).is_ok());
        assert!(super::answers(&good.replace("## Q2", "## Q1")).is_err());
        assert!(super::answers(&good.replace("## Q4", "## Q5")).is_err());
        assert!(super::answers(&good.replace("> b\n", ">\n")).is_err());
        let cut = good.find("## Q4").unwrap();
        assert!(super::answers(&good[..cut]).is_err());
        assert!(super::answers(&good.replace("> b\n", "> b\n\n> c\n")).is_err());
        assert!(super::answers(&good.replace('\n', "\r\n")).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn rendering_and_reading_are_inverse(a in "[\\PC\n\t]{1,40}", b in "(> |## Q[1-5]|---|\n|x){1,20}") {
            let clean = |s: &str| accept(&QUESTIONS[0], s).ok();
            if let (Some(a), Some(b)) = (clean(&a), clean(&b)) {
                let text = render(&form([a.as_str(), b.as_str(), "c", "d"]));
                let read = super::answers(body(&text)).unwrap();
                proptest::prop_assert_eq!(&read[0], &a);
                proptest::prop_assert_eq!(&read[1], &b);
            }
        }
    }
}
