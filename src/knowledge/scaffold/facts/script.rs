//! JavaScript and TypeScript: JSDoc, exports, tests.

use tree_sitter::{Node, Tree};

use super::{Facts, Item, children, of, signature, uncommented};

pub(super) fn read(tree: &Tree, text: &str) -> Facts {
    let mut facts = Facts::default();
    let mut comment: Option<String> = None;
    let mut first = true;
    for node in children(tree.root_node()) {
        match node.kind() {
            "comment" => {
                let raw = of(node, text);
                let doc = uncommented(raw);
                // The first comment speaks of the file when nothing is declared right after it.
                let next = node.next_sibling();
                let apart = next.is_none_or(|n| n.start_position().row > node.end_position().row + 1);
                let names_file =
                    raw.contains("@module") || raw.contains("@file") || raw.contains("@packageDocumentation");
                if first && (apart || names_file || next.is_some_and(|n| n.kind() == "import_statement")) {
                    facts.doc = doc;
                } else if raw.starts_with("/**") {
                    comment = Some(doc);
                }
                first = false;
                continue;
            }
            "import_statement" => {
                if let Some(source) = node.child_by_field_name("source") {
                    facts.imports.push(of(source, text).trim_matches(['"', '\'']).to_owned());
                }
            }
            "export_statement" => exported(node, text, comment.take().unwrap_or_default(), &mut facts),
            "expression_statement" => tests(node, text, &mut facts.tests),
            _ => {}
        }
        first = false;
        comment = None;
    }
    facts
}

fn exported(node: Node<'_>, text: &str, doc: String, facts: &mut Facts) {
    let inner = node.child_by_field_name("declaration").or_else(|| node.child_by_field_name("value"));
    let Some(inner) = inner else { return };
    let named = |n: Node<'_>| n.child_by_field_name("name").map(|name| of(name, text).to_owned());
    if matches!(inner.kind(), "lexical_declaration" | "variable_declaration") {
        for declarator in children(inner).into_iter().filter(|c| c.kind() == "variable_declarator") {
            let Some(name) = named(declarator) else { continue };
            let value = declarator.child_by_field_name("value");
            let function = value.is_some_and(|v| v.kind().contains("function"));
            if !function && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
                let line = super::super::text::flat(of(declarator, text));
                facts.constants.push(super::super::text::cut(&line, 100));
                continue;
            }
            let end = value.and_then(|v| v.child_by_field_name("body").or(Some(v))).map_or(
                declarator.end_byte(),
                |b| {
                    if function { b.start_byte() } else { declarator.end_byte() }
                },
            );
            let head = super::super::text::flat(text.get(declarator.start_byte()..end).unwrap_or(&name));
            let head = head.trim_end_matches(['{', ' ']).trim_end_matches("=>").trim_end();
            let signature = super::super::text::cut(head, 120);
            facts.items.push(Item { name, signature, doc: doc.clone() });
        }
        return;
    }
    let Some(name) = named(inner) else { return };
    let signature = signature(inner, text);
    facts.items.push(Item { name, signature, doc });
}

/// `describe("…")`, `it("…")`, `test("…")`, at any depth.
fn tests(node: Node<'_>, text: &str, out: &mut Vec<String>) {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if node.kind() == "call_expression" {
            let callee = node.child_by_field_name("function").map_or("", |f| of(f, text));
            let argument = node.child_by_field_name("arguments").and_then(|a| a.named_child(0));
            let is_test = matches!(callee.split('.').next(), Some("it" | "test" | "describe"));
            if let (true, Some(argument)) = (is_test, argument)
                && argument.kind().contains("string")
            {
                out.push(of(argument, text).trim_matches(['"', '\'', '`']).to_owned());
            }
        }
        stack.extend(children(node).into_iter().rev());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_front_end_says() {
        let text = "/**\n * Cart of the shop.\n */\n\nimport { api } from './api';\n\n/** Adds a line. */\nexport function add(id: string, n = 1): void {\n  api(id, n);\n}\n\nexport const MAX_LINES = 99;\n\n/** The total. */\nexport const total = (lines: number[]): number => {\n  return 0;\n};\n\nexport interface Line { id: string }\n\nfunction hidden() {}\n";
        let facts = crate::knowledge::scaffold::facts::read("cart.ts", text);
        assert_eq!(
            (facts.doc.as_str(), facts.imports.as_slice()),
            ("Cart of the shop.", &["./api".to_owned()][..])
        );
        let items: Vec<_> =
            facts.items.iter().map(|i| (i.name.as_str(), i.signature.as_str(), i.doc.as_str())).collect();
        assert_eq!(
            items,
            [
                ("add", "function add(id: string, n = 1): void", "Adds a line."),
                ("total", "total = (lines: number[]): number", "The total."),
                ("Line", "interface Line", ""),
            ]
        );
        assert_eq!(facts.constants, ["MAX_LINES = 99"]);
        let tests = "describe('cart', () => {\n  it('adds a line', () => {});\n});\n";
        assert_eq!(
            crate::knowledge::scaffold::facts::read("a.test.ts", tests).tests,
            ["cart", "adds a line"]
        );
    }
}
