//! Other people's clarifications: documents of several shapes → answers. Pure.
//!
//! An item either answers our four questions (`Q1` … `Q4`, or a list whose themes are ours), or is a
//! list of questions and answers of its own.

use serde_json::Value;

use super::form::{self, QUESTIONS};
use super::spec::{self, Answered};
use crate::base::Date;
use crate::base::id::{Slug, StoryId, ascii_slug};
use crate::memory::document;
use crate::memory::field_map::{FieldMap, Known};
use crate::memory::tree;
use crate::memory::veille::mapping::{day, fold};
use crate::tr;

/// The fields that `--map` may name.
pub const FIELDS: [Known; 13] = [
    ("story", &["story", "story_id"]),
    ("domain", &["domain"]),
    ("project", &["project"]),
    ("date", &["date", "created_at"]),
    ("title", &["title"]),
    ("Q1", &["Q1", "q1", "answers.Q1", "probleme"]),
    ("Q2", &["Q2", "q2", "answers.Q2", "criteres"]),
    ("Q3", &["Q3", "q3", "answers.Q3", "contraintes"]),
    ("Q4", &["Q4", "q4", "answers.Q4", "priorites"]),
    ("questions", &["questions", "clarifications", "answers"]),
    ("question", &["question", "q", "Q"]),
    ("answer", &["answer", "a", "A", "response"]),
    ("theme", &["theme", "id"]),
];

/// What items that do not say so get.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// Story.
    pub story: Option<StoryId>,
    /// Domain.
    pub domain: Option<Slug>,
    /// Project.
    pub project: Option<Slug>,
    /// Day of the answers.
    pub date: Option<Date>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Our four questions.
    Four([String; 4]),
    /// Questions of their own.
    List(Vec<Answered>),
}

/// Clarifications before they have a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// Story.
    pub story: StoryId,
    /// Domain.
    pub domain: Slug,
    /// Project.
    pub project: Slug,
    /// Day of the answers.
    pub date: Date,
    /// A name for the folder.
    pub slug: Option<Slug>,
    /// The answers.
    pub content: Content,
}

/// What a document gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The clarifications; none when nothing is answered.
    pub incoming: Option<Incoming>,
    /// Questions without an answer.
    pub unanswered: usize,
}

/// Reads an item of a JSON or YAML file; the reason when it cannot be used.
pub fn item(item: &Value, fields: &FieldMap, defaults: &Defaults) -> Result<Read, String> {
    if !item.is_object() {
        return Err(tr!("l'élément n'est pas un objet", "the item is not an object"));
    }
    let (content, unanswered) = content(item, fields)?;
    let place = |content| incoming(item, fields, defaults, content, None);
    Ok(Read { incoming: content.map(place).transpose()?, unanswered })
}

/// Reads a Markdown file: our own form, or a text with a Clarifications section. `folder` is the name
/// of its directory, which gives the story of a specification that names none.
pub fn markdown(text: &str, folder: &str, fields: &FieldMap, defaults: &Defaults) -> Result<Read, String> {
    let (front, body) = document::markdown(text)?.unwrap_or((Value::Object(Default::default()), text));
    if body.lines().any(|line| line.starts_with("## Q1")) {
        let content = Content::Four(form::answers(body)?);
        let incoming = incoming(&front, fields, defaults, content, None)?;
        return Ok(Read { incoming: Some(incoming), unanswered: 0 });
    }
    let Some(section) = spec::parse(body) else { return Ok(Read { incoming: None, unanswered: 0 }) };
    let unanswered = section.unanswered;
    if section.answered.is_empty() {
        return Ok(Read { incoming: None, unanswered });
    }
    let mut own = defaults.clone();
    own.story = own.story.or_else(|| spec::story_of(folder));
    own.date = section.date.or(own.date);
    let content = Content::List(section.answered);
    let incoming = incoming(&front, fields, &own, content, Some(folder))?;
    Ok(Read { incoming: Some(incoming), unanswered })
}

fn incoming(
    item: &Value,
    fields: &FieldMap,
    defaults: &Defaults,
    content: Content,
    folder: Option<&str>,
) -> Result<Incoming, String> {
    let missing = |name: &str| {
        tr!("champ {name} absent (--map ou --{name})", "field {name} is missing (--map or --{name})")
    };
    let story = match fields.text("story", item) {
        Some(text) => text.trim().parse::<StoryId>()?,
        None => defaults.story.clone().ok_or_else(|| missing("story"))?,
    };
    let slug = |name: &str, default: &Option<Slug>| match fields.text(name, item) {
        Some(text) => text.trim().parse::<Slug>(),
        None => default.clone().ok_or_else(|| missing(name)),
    };
    let date = match fields.text("date", item) {
        Some(text) => {
            day(&text).ok_or_else(|| tr!("date {text:?} n'est pas un jour", "date {text:?} is not a day"))?
        }
        None => defaults.date.ok_or_else(|| missing("date"))?,
    };
    let name = fields.text("title", item).or_else(|| folder.map(str::to_owned)).unwrap_or_default();
    let name = ascii_slug(&name);
    // A folder of our own begins with the story, which the new one brings itself.
    let own = format!("{}-", story.as_str().to_ascii_lowercase());
    let short: String = name.strip_prefix(&own).unwrap_or(&name).chars().take(60).collect();
    Ok(Incoming {
        story,
        domain: slug("domain", &defaults.domain)?,
        project: slug("project", &defaults.project)?,
        date,
        slug: Slug::parse(short.trim_end_matches('-')),
        content,
    })
}

fn content(item: &Value, fields: &FieldMap) -> Result<(Option<Content>, usize), String> {
    let four: Vec<Option<String>> = QUESTIONS.iter().map(|q| fields.text(q.id, item)).collect();
    if four.iter().any(Option::is_some) {
        let mut answers: [String; 4] = Default::default();
        for ((slot, answer), question) in answers.iter_mut().zip(four).zip(QUESTIONS) {
            let id = question.id;
            *slot = answer.ok_or_else(|| tr!("réponse {id} absente", "answer {id} is missing"))?;
        }
        return Ok((Some(Content::Four(answers)), 0));
    }
    let entries: Vec<(Option<usize>, String, Option<String>)> = match fields.value("questions", item) {
        Some(Value::Array(list)) => list.iter().map(|e| entry(e, fields)).collect(),
        Some(Value::Object(map)) => {
            map.iter().map(|(q, a)| (place(q), one_line(q), answered(tree::text(a)))).collect()
        }
        _ => return Err(tr!("ni Q1 à Q4 ni questions (--map)", "neither Q1 to Q4 nor questions (--map)")),
    };
    let unanswered = entries.iter().filter(|(.., answer)| answer.is_none()).count();
    let answered: Vec<(Option<usize>, Answered)> = entries
        .into_iter()
        .filter_map(|(place, question, answer)| Some((place, Answered { question, answer: answer? })))
        .collect();
    if answered.is_empty() {
        return Ok((None, unanswered));
    }
    let mut four: [Vec<String>; 4] = Default::default();
    for (place, a) in &answered {
        if let Some(slot) = place.and_then(|p| four.get_mut(p)) {
            let own = a.question.is_empty() || place == &self::place(&a.question);
            slot.push(if own { a.answer.clone() } else { format!("{} → {}", a.question, a.answer) });
        }
    }
    let ours = answered.iter().all(|(place, _)| place.is_some()) && four.iter().all(|f| !f.is_empty());
    let content = if ours {
        Content::Four(four.map(|texts| texts.join("\n\n")))
    } else {
        Content::List(answered.into_iter().map(|(_, a)| a).collect())
    };
    Ok((Some(content), unanswered))
}

/// An entry of a list: which of our questions it answers, its question, its answer.
fn entry(entry: &Value, fields: &FieldMap) -> (Option<usize>, String, Option<String>) {
    if !entry.is_object() {
        return (None, String::new(), answered(tree::text(entry)));
    }
    let theme = fields.text("theme", entry);
    let question = one_line(&fields.text("question", entry).unwrap_or_default());
    let place = theme.as_deref().and_then(place).or_else(|| place(&question));
    let answer = answered(fields.text("answer", entry));
    // Our own records hold a foreign question before its answer.
    if question.is_empty()
        && let Some((first, rest)) = answer.as_deref().and_then(|a| a.split_once(" → "))
        && !first.contains('\n')
    {
        return (place, one_line(first), answered(Some(rest.to_owned())));
    }
    (place, question, answer)
}

/// Which of our questions `text` names: `Q1`, `probleme`, `Problème`.
fn place(text: &str) -> Option<usize> {
    let folded = fold(text);
    QUESTIONS.iter().position(|q| fold(q.id) == folded || q.theme == folded)
}

fn answered(answer: Option<String>) -> Option<String> {
    answer.map(|a| a.trim().to_owned()).filter(|a| !a.is_empty() && !spec::is_placeholder(a))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value, pairs: &[&str]) -> Result<Read, String> {
        let pairs: Vec<String> = pairs.iter().map(|p| (*p).to_owned()).collect();
        let defaults =
            Defaults { domain: Slug::parse("auth"), project: Slug::parse("api"), ..Defaults::default() };
        item(&value, &FieldMap::parse(&FIELDS, &pairs).unwrap(), &defaults)
    }

    fn content_of(value: Value, pairs: &[&str]) -> Content {
        read(value, pairs).unwrap().incoming.unwrap().content
    }

    #[test]
    fn four_answers_in_several_shapes() {
        let four = Content::Four(["a".into(), "b".into(), "c".into(), "d".into()]);
        let base = |more: Value| {
            let mut base = json!({"story": "PD-1", "date": "2026-01-02T10:00:00Z"});
            base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            base
        };
        let with = |more: Value| content_of(base(more), &[]);
        assert_eq!(with(json!({"Q1": "a", "Q2": "b", "Q3": "c", "Q4": "d"})), four);
        assert_eq!(with(json!({"answers": {"Q4": "d", "Q1": "a", "Q2": "b", "Q3": "c"}})), four);
        // Our own records.
        let own = json!({"questions": [
            {"id": "Q1", "theme": "probleme", "answer": "a"}, {"id": "Q2", "theme": "criteres", "answer": "b"},
            {"id": "Q3", "theme": "contraintes", "answer": "c"}, {"id": "Q4", "theme": "priorites", "answer": "d"}]});
        assert_eq!(with(own), four);
        assert_eq!(content_of(base(json!({"pb": "a", "Q2": "b", "Q3": "c", "Q4": "d"})), &["Q1=pb"]), four);
        assert!(read(base(json!({"Q1": "a", "Q2": "b", "Q3": "c"})), &[]).unwrap_err().contains("Q4"));
        assert!(read(base(json!({"other": 1})), &[]).is_err());
        assert!(read(json!([1]), &[]).is_err());
        assert!(
            read(
                json!({"story": "pd 1", "date": "2026-01-02", "Q1": "a", "Q2": "b", "Q3": "c", "Q4": "d"}),
                &[]
            )
            .is_err()
        );
        assert!(
            read(json!({"story": "PD-1", "Q1": "a", "Q2": "b", "Q3": "c", "Q4": "d"}), &[])
                .unwrap_err()
                .contains("date")
        );
    }

    #[test]
    fn lists_of_their_own_and_unanswered_ones() {
        let qa = json!({"story": "PD-1", "date": "2026-01-02", "questions": [
            {"question": "Who?", "answer": "All"}, {"q": "When?", "a": " "}, {"question": "Why?", "answer": "TBD"}]});
        let got = read(qa, &[]).unwrap();
        assert_eq!(got.unanswered, 2);
        let list = Content::List(vec![Answered { question: "Who?".into(), answer: "All".into() }]);
        assert_eq!(got.incoming.unwrap().content, list);
        let none = json!({"story": "PD-1", "date": "2026-01-02", "questions": {"Who?": null}});
        assert_eq!(read(none, &[]).unwrap(), Read { incoming: None, unanswered: 1 });
        // Several answers of one theme, one of each other: the four, foreign questions kept.
        let themed = json!({"story": "PD-1", "date": "2026-01-02", "questions": [
            {"theme": "Problème", "question": "P?", "answer": "a"}, {"theme": "criteres", "answer": "b"},
            {"theme": "contraintes", "answer": "c"}, {"theme": "contraintes", "answer": "c2"},
            {"theme": "priorites", "answer": "d"}]});
        let four = Content::Four(["P? → a".into(), "b".into(), "c\n\nc2".into(), "d".into()]);
        assert_eq!(content_of(themed, &[]), four);
    }

    #[test]
    fn markdown_of_both_kinds() {
        let fields = FieldMap::parse(&FIELDS, &[]).unwrap();
        let defaults =
            Defaults { domain: Slug::parse("auth"), project: Slug::parse("api"), ..Defaults::default() };
        let read = |text: &str| markdown(text, "012-user-auth", &fields, &defaults);
        let spec =
            read("# S\n\n## Clarifications\n\n### Session 2025-11-02\n- Q: One? → A: Yes\n- Q: Two?\n")
                .unwrap();
        assert_eq!(spec.unanswered, 1);
        let incoming = spec.incoming.unwrap();
        assert_eq!((incoming.story.as_str(), incoming.date.to_string().as_str()), ("SPEC-12", "2025-11-02"));
        assert_eq!(incoming.slug, Slug::parse("012-user-auth"));
        let own = "---\nstory: PD-1\ndomain: d\nproject: p\ndate: 2026-01-02\n---\n## Q1 — P\n> a\n## Q2\n> b\n## Q3\n> c\n## Q4\n> d\n";
        let incoming = read(own).unwrap().incoming.unwrap();
        assert_eq!((incoming.story.as_str(), incoming.domain.as_str()), ("PD-1", "d"));
        assert_eq!(incoming.content, Content::Four(["a".into(), "b".into(), "c".into(), "d".into()]));
        assert!(read(&own.replace("## Q3\n> c\n", "")).is_err());
        assert_eq!(read("# nothing\n").unwrap().incoming, None);
        assert!(read("## Clarifications\n- Q: One? → A: Yes\n").unwrap_err().contains("date"));
    }
}
