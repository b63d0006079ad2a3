//! Where code may be cut: before functions, classes, imports and their like, by syntax tree.

use tree_sitter::{Language, Node, Parser};

use super::Unit;

/// The least score of a place where a definition starts.
pub const MEMBER: u32 = 80;
const TOP: u32 = 100;

/// Scores the units of a source file; `false` when the language is unknown or does not parse.
pub fn score(text: &str, path: &str, units: &mut [Unit]) -> bool {
    let Some(language) = language(path) else { return false };
    let mut parser = Parser::new();
    if parser.set_language(&language).is_err() {
        return false;
    }
    let Some(tree) = parser.parse(text, None) else { return false };
    for (i, unit) in units.iter_mut().enumerate() {
        let blank = text[unit.start..unit.end].trim().is_empty();
        unit.score = if blank && i > 0 { 10 } else { 1 };
    }
    let mut lead: Option<usize> = None;
    visit(tree.root_node(), TOP, &mut lead, units, text);
    true
}

fn language(path: &str) -> Option<Language> {
    Some(match path.rsplit_once('.')?.1 {
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "py" | "pyi" => tree_sitter_python::LANGUAGE.into(),
        "js" | "jsx" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE.into(),
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        _ => return None,
    })
}

/// Scores the children of `node`: a definition starts at the comments and attributes before it.
fn visit(node: Node, value: u32, lead: &mut Option<usize>, units: &mut [Unit], text: &str) {
    let mut cursor = node.walk();
    let mut previous_import = false;
    for child in node.named_children(&mut cursor) {
        let start = child.start_byte();
        let kind = child.kind();
        if is_lead(kind) {
            // A comment after code on its line belongs to that code.
            if lead.is_none() && begins_line(text, start) {
                *lead = Some(start);
            }
            continue;
        }
        let from = lead.take().unwrap_or(start);
        if is_import(kind) {
            if !previous_import {
                mark(units, from, value);
            }
            previous_import = true;
            continue;
        }
        let definition = is_definition(kind);
        if definition || previous_import {
            mark(units, from, value);
        }
        previous_import = false;
        if definition || is_container(kind) {
            // Members score less than what holds them; bodies are nested nodes of their own.
            let inner = if is_container(kind) { value } else { MEMBER.min(value.saturating_sub(20)) };
            if inner >= 40 {
                visit(child, inner, &mut None, units, text);
            }
        }
    }
    *lead = None;
}

fn mark(units: &mut [Unit], byte: usize, score: u32) {
    let i = units.partition_point(|u| u.end <= byte);
    if let Some(unit) = units.get_mut(i) {
        unit.score = unit.score.max(score);
    }
}

fn begins_line(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty())
}

fn is_lead(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment" | "comment" | "attribute_item" | "decorator")
}

fn is_import(kind: &str) -> bool {
    matches!(
        kind,
        "use_declaration"
            | "extern_crate_declaration"
            | "import_statement"
            | "import_from_statement"
            | "future_import_statement"
            | "import_declaration"
            | "package_clause"
    )
}

fn is_definition(kind: &str) -> bool {
    matches!(
        kind,
        "function_item"
            | "struct_item"
            | "enum_item"
            | "union_item"
            | "trait_item"
            | "impl_item"
            | "mod_item"
            | "macro_definition"
            | "const_item"
            | "static_item"
            | "type_item"
            | "function_definition"
            | "class_definition"
            | "decorated_definition"
            | "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "abstract_class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "type_alias_declaration"
            | "method_definition"
            | "method_declaration"
            | "type_declaration"
            | "const_declaration"
            | "var_declaration"
            | "lexical_declaration"
            | "export_statement"
            | "internal_module"
            | "module"
    )
}

/// Nodes that only hold the definitions inside them.
fn is_container(kind: &str) -> bool {
    matches!(
        kind,
        "declaration_list" | "class_body" | "block" | "statement_block" | "interface_body" | "object_type"
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Strategy, cut};
    use crate::retrieval::tokens::estimate;

    /// Whether every chunk but the first starts with one of `heads`.
    fn starts(text: &str, path: &str, heads: &[&str]) {
        let chunks = cut(text, path, Strategy::Auto, &estimate);
        assert!(chunks.len() > 2, "{path}: {}", chunks.len());
        for c in &chunks[1..] {
            let chunk = text[c.range()].trim_start();
            assert!(
                heads.iter().any(|h| chunk.starts_with(h)),
                "{path}: {:?}",
                &chunk[..chunk.len().min(60)]
            );
        }
    }

    #[test]
    fn code_is_cut_at_definitions() {
        let body = |open: &str, line: &str, close: &str| format!("{open}\n{}{close}\n\n", line.repeat(25));
        let rust: String = (0..20)
            .map(|i| {
                body(
                    &format!("/// Doc {i}\nfn f{i}(a: u32) -> u32 {{"),
                    "    let b = compute(a, 12);\n\n",
                    "}",
                )
            })
            .collect();
        starts(&rust, "x.rs", &["/// Doc"]);
        let python: String = (0..20)
            .map(|i| body(&format!("@wrap\ndef f{i}(a):"), "    b = compute(a, 12)\n\n", "    return b"))
            .collect();
        starts(&python, "x.py", &["@wrap"]);
        let js: String = (0..20)
            .map(|i| body(&format!("export function f{i}(a) {{"), "  const b = compute(a, 12);\n\n", "}"))
            .collect();
        starts(&js, "x.js", &["export function"]);
        starts(&js.replace("(a)", "(a: number)"), "x.ts", &["export function"]);
        let go: String = (0..20)
            .map(|i| {
                body(&format!("// F{i} does.\nfunc F{i}(a int) int {{"), "\tb := compute(a, 12)\n\n", "}")
            })
            .collect();
        starts(&format!("package x\n\n{go}"), "x.go", &["// F"]);
    }

    #[test]
    fn a_long_class_is_cut_between_its_methods() {
        let method = |i: usize| {
            format!("    def m{i}(self):\n{}\n", "        self.a = compute(self.b, 12)\n".repeat(30))
        };
        let class: String = (0..12).map(method).collect();
        starts(&format!("class C:\n{class}"), "x.py", &["def m"]);
        let method = |i: usize| {
            format!("    fn m{i}(&self) {{\n{}    }}\n\n", "        compute(self.b, 12);\n".repeat(40))
        };
        let members: String = (0..12).map(method).collect();
        starts(&format!("impl C {{\n{members}}}\n"), "x.rs", &["fn m"]);
    }

    #[test]
    fn other_files_and_broken_code_are_cut_as_text() {
        let text = "# A\n\ntext\n".repeat(600);
        assert_eq!(
            cut(&text, "a.md", Strategy::Auto, &estimate),
            cut(&text, "a.md", Strategy::Regex, &estimate)
        );
        let broken = "fn ((( {{{ \n".repeat(2000);
        assert!(!cut(&broken, "a.rs", Strategy::Auto, &estimate).is_empty());
    }
}
