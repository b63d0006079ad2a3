//! What a source file says of itself: its comment, its public items, routes, settings, tests, imports.
//!
//! Rust, Python, JavaScript, TypeScript and Go are read by their syntax trees; other languages give
//! their leading comment. Only what stands in the file is reported, in its order.

mod go;
mod other;
mod python;
mod rust;
mod script;
mod shape;

use tree_sitter::{Language, Node, Parser, Tree};

/// A public item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its declaration on one line, without body.
    pub signature: String,
    /// Its comment, empty when it has none.
    pub doc: String,
}

/// A route of a web service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// `GET`, `POST` …; `ANY` when the code does not say.
    pub method: String,
    /// The path as written.
    pub path: String,
    /// The function that answers, where it is named.
    pub handler: String,
}

/// The facts of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The comment of the file itself.
    pub doc: String,
    /// Public items.
    pub items: Vec<Item>,
    /// Routes.
    pub routes: Vec<Route>,
    /// Environment variables it reads.
    pub env: Vec<String>,
    /// Constants, as written.
    pub constants: Vec<String>,
    /// Names of tests.
    pub tests: Vec<String>,
    /// Modules it names, as written.
    pub imports: Vec<String>,
}

impl Facts {
    /// Whether the file says nothing of itself.
    pub fn is_empty(&self) -> bool {
        self.doc.is_empty() && self.items.is_empty() && self.routes.is_empty() && self.constants.is_empty()
    }
}

/// Reads the facts of the file at `path`.
pub fn read(path: &str, text: &str) -> Facts {
    let extension = path.rsplit_once('.').map_or("", |(_, e)| e);
    let mut facts = match extension {
        "rs" => with_tree(tree_sitter_rust::LANGUAGE.into(), text, rust::read),
        "py" => with_tree(tree_sitter_python::LANGUAGE.into(), text, python::read),
        "ts" | "mts" => with_tree(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), text, script::read),
        "tsx" => with_tree(tree_sitter_typescript::LANGUAGE_TSX.into(), text, script::read),
        "js" | "jsx" | "mjs" | "cjs" => {
            with_tree(tree_sitter_javascript::LANGUAGE.into(), text, script::read)
        }
        "go" => with_tree(tree_sitter_go::LANGUAGE.into(), text, go::read),
        _ => other::read(text),
    };
    facts.routes.extend(shape::routes(extension, text));
    facts.env.extend(shape::environment(text));
    for list in [&mut facts.env, &mut facts.tests, &mut facts.imports, &mut facts.constants] {
        let mut seen = std::collections::BTreeSet::new();
        list.retain(|entry| seen.insert(entry.clone()));
    }
    let mut seen = std::collections::BTreeSet::new();
    facts.routes.retain(|route| seen.insert(route.clone()));
    facts
}

fn with_tree(language: Language, text: &str, read: impl FnOnce(&Tree, &str) -> Facts) -> Facts {
    let mut parser = Parser::new();
    if parser.set_language(&language).is_err() {
        return Facts::default();
    }
    parser.parse(text, None).map(|tree| read(&tree, text)).unwrap_or_default()
}

/// The text of a node.
fn of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or("")
}

/// The children of a node.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The declaration up to its body, on one line, without the mark that opens the body.
fn signature(node: Node<'_>, text: &str) -> String {
    let end = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
    let head = text.get(node.start_byte()..end).unwrap_or("");
    let line = super::text::flat(head.split('\n').take(12).collect::<Vec<_>>().join(" ").as_str());
    super::text::cut(line.trim_end_matches(['{', ':', ';', ' ']), 120)
}

/// The lines of a `/** … */` or `# …` comment, its marks taken away.
fn uncommented(comment: &str) -> String {
    let inner = comment.trim().trim_start_matches("/**").trim_start_matches("/*").trim_end_matches("*/");
    let lines = inner.lines().map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).unwrap_or(line);
        let line = line.strip_prefix("//").or_else(|| line.strip_prefix('*')).unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).trim_end()
    });
    // A tag line (`@param`) ends the prose.
    lines.take_while(|l| !l.starts_with('@')).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The first paragraph of a comment, headings left out.
pub fn first_paragraph(doc: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for line in doc.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') || line.starts_with("```") {
            if out.is_empty() && !line.starts_with("```") {
                continue;
            }
            break;
        }
        out.push(line);
    }
    out.join(" ")
}
