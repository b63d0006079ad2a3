//! `embed`.

use super::Session;
use super::args::EmbedArgs;
use super::models::Lazy;
use super::progress;
use crate::base::Result;
use crate::retrieval::embedding::{Settings, embed};
use crate::retrieval::query::Models as _;
use crate::tr;

/// Computes the vectors that are missing.
pub fn run(session: &Session, args: &EmbedArgs) -> Result<u8> {
    let mut catalog = session.write()?;
    let mut models = catalog.models()?;
    if let Some(model) = &args.model {
        let dir = session.cli.cwd.join(model);
        let name = dir.to_str().filter(|_| dir.is_dir());
        models.set(if name.is_some() { "embedder-dir" } else { "embedder" }, Some(name.unwrap_or(model)))?;
    }
    let lazy = Lazy::new(models.clone(), &session.cli.env);
    let embedder = lazy.embedder()?;
    let settings = Settings {
        collections: args.collection.clone(),
        force: args.force,
        factory: models.factory.clone(),
        asked: args.model.clone(),
        configure: args.model.is_some().then_some(models),
    };
    let out = &session.cli.out;
    let bar = progress::bar(&tr!("vecteurs", "embedding"), out.quiet);
    let report =
        embed(&mut catalog, embedder, &settings, &mut |done, total| progress::show(&bar, done, total));
    bar.finish_and_clear();
    let report = report?;
    if out.json {
        out.document(&serde_json::json!({"schema": 1, "embedding": report}));
        return Ok(0);
    }
    out.line(tr!(
        "{} : {} segments calculés ({} plus longs que la fenêtre), {} gardés, {} en attente",
        "{}: {} chunks embedded ({} longer than the window), {} kept, {} pending",
        report.model,
        report.embedded,
        report.windowed,
        report.kept,
        report.pending
    ));
    Ok(0)
}
