//! What each leg finds for each question, so that ways of joining can be tried without asking again.

use std::path::Path;

use govmem::retrieval::faiss_file::Kept;
use govmem::retrieval::hit::Response;
use govmem::retrieval::query::{Mode, Request};

use super::sets::Question;
use super::{Local, ask, configure, each};

/// Documents of each list, as many as a leg of the hybrid query brings in.
const LEG: usize = 50;

/// Documents with their scores, best first.
pub type Ranking = Vec<(String, f64)>;

/// The lists of a question.
#[derive(serde::Serialize)]
pub struct Lists {
    /// The text, to recognise it by.
    pub question: String,
    /// Whether it belongs to the choosing half.
    pub chooses: bool,
    /// What answers it.
    pub relevant: String,
    /// By words.
    pub words: Ranking,
    /// By meaning.
    pub meaning: Ranking,
    /// By words with those of the best documents.
    pub feedback: Ranking,
}

/// The lists of every question, in their order.
pub fn collect(index: &Path, questions: &[&Question], models: &Local) -> Vec<Lists> {
    // With a weight that leaves the other legs no say, the first places are those of the feedback.
    configure(index, Some((0.0, 1000.0)));
    let kept = Kept::default();
    let lists = each(index, questions, &kept, |catalog, question| {
        let leg = |mode, name: &str| -> Ranking {
            let request = Request { limit: Some(LEG), rerank: false, explain: true, ..ask(question, mode) };
            let response: Response =
                govmem::retrieval::query::run(catalog, &request, models).expect("answer");
            let mut found: Vec<(usize, String, f64)> = Vec::new();
            for hit in response.results {
                let legs = hit.explain.map(|e| e.legs).unwrap_or_default();
                let of = legs.into_iter().find(|l| l.leg == name);
                found.extend(of.map(|l| (l.rank, hit.docid, l.score)));
            }
            found.sort_by_key(|f| f.0);
            found.into_iter().map(|(_, docid, score)| (docid, score)).collect()
        };
        Lists {
            question: question.text.clone(),
            chooses: question.chooses(),
            relevant: question.relevant.clone(),
            words: leg(Mode::Search, "lexical"),
            meaning: leg(Mode::Vsearch, "semantic"),
            feedback: leg(Mode::Query, "feedback"),
        }
    });
    configure(index, None);
    lists
}
