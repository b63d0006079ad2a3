//! Go: package comment, exported declarations, tests.

use tree_sitter::Tree;

use super::{Facts, Item, children, of, signature, uncommented};

pub(super) fn read(tree: &Tree, text: &str) -> Facts {
    let mut facts = Facts::default();
    let mut comments: Vec<String> = Vec::new();
    for node in children(tree.root_node()) {
        match node.kind() {
            "comment" => {
                comments.push(uncommented(of(node, text)));
                continue;
            }
            "package_clause" => facts.doc = comments.join("\n"),
            "import_declaration" => {
                let paths = of(node, text).split('"').skip(1).step_by(2);
                facts.imports.extend(paths.map(str::to_owned));
            }
            "function_declaration" | "method_declaration" | "type_declaration" => {
                let named = node
                    .child_by_field_name("name")
                    .or_else(|| children(node).into_iter().find_map(|c| c.child_by_field_name("name")));
                let name = named.map_or("", |n| of(n, text));
                if name.starts_with("Test") && node.kind() == "function_declaration" {
                    facts.tests.push(name.to_owned());
                } else if name.starts_with(char::is_uppercase) {
                    let mut line = signature(node, text);
                    if node.kind() == "type_declaration" {
                        line = line.split(" {").next().unwrap_or(&line).to_owned();
                    }
                    facts.items.push(Item {
                        name: name.to_owned(),
                        signature: line,
                        doc: comments.join("\n"),
                    });
                }
            }
            _ => {}
        }
        comments.clear();
    }
    facts
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_package_says() {
        let text = "// Package cart holds lines.\npackage cart\n\nimport \"fmt\"\n\n// Add adds.\nfunc Add(n int) error { return nil }\n\n// Line is one.\ntype Line struct { N int }\n\nfunc hidden() {}\n";
        let facts = crate::knowledge::scaffold::facts::read("cart.go", text);
        assert_eq!(facts.doc, "Package cart holds lines.");
        let items: Vec<_> = facts.items.iter().map(|i| (i.signature.as_str(), i.doc.as_str())).collect();
        assert_eq!(items, [("func Add(n int) error", "Add adds."), ("type Line struct", "Line is one.")]);
        assert_eq!(facts.imports, ["fmt"]);
    }
}
