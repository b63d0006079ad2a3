//! Rust: `//!`, `///`, `pub` items, tests.

use tree_sitter::{Node, Tree};

use super::{Facts, Item, children, of, signature, uncommented};

pub(super) fn read(tree: &Tree, text: &str) -> Facts {
    let mut facts = Facts { doc: module_doc(text), ..Facts::default() };
    let (mut comments, mut is_test) = (Vec::new(), false);
    for node in children(tree.root_node()) {
        match node.kind() {
            "line_comment" | "block_comment" => {
                let comment = of(node, text);
                if comment.starts_with("///") || comment.starts_with("/**") {
                    comments.push(uncommented(comment));
                }
                continue;
            }
            "attribute_item" => {
                is_test |= of(node, text).contains("test");
                continue;
            }
            "use_declaration" => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    facts.imports.push(of(argument, text).to_owned());
                }
            }
            "mod_item" => tests_of(node, text, &mut facts.tests),
            "function_item" if is_test => facts.tests.extend(name(node, text)),
            "const_item" | "static_item" if is_public(node, text) => {
                facts.constants.push(super::super::text::cut(&super::super::text::flat(of(node, text)), 100));
            }
            kind if is_item(kind) && is_public(node, text) => {
                if let Some(name) = name(node, text) {
                    let doc = comments.join("\n");
                    facts.items.push(Item { name, signature: signature(node, text), doc });
                }
            }
            "impl_item" => methods(node, text, &mut facts.items),
            _ => {}
        }
        (comments, is_test) = (Vec::new(), false);
    }
    facts
}

fn module_doc(text: &str) -> String {
    let lines = text.lines().map(str::trim).skip_while(|l| l.is_empty() || l.starts_with("#!["));
    let doc: Vec<String> = lines
        .take_while(|l| l.starts_with("//!"))
        .map(|l| {
            l.trim_start_matches("//!").strip_prefix(' ').unwrap_or(l.trim_start_matches("//!")).to_owned()
        })
        .collect();
    doc.join("\n").trim().to_owned()
}

fn is_item(kind: &str) -> bool {
    matches!(kind, "function_item" | "struct_item" | "enum_item" | "trait_item" | "type_item" | "union_item")
}

fn is_public(node: Node<'_>, text: &str) -> bool {
    children(node).iter().any(|c| c.kind() == "visibility_modifier" && of(*c, text) == "pub")
}

fn name(node: Node<'_>, text: &str) -> Option<String> {
    node.child_by_field_name("name").map(|n| of(n, text).to_owned())
}

/// Public methods of an inherent `impl`, as `Type::method`.
fn methods(node: Node<'_>, text: &str, out: &mut Vec<Item>) {
    if node.child_by_field_name("trait").is_some() {
        return;
    }
    let Some(of_type) = node.child_by_field_name("type").map(|n| of(n, text)) else { return };
    let Some(body) = node.child_by_field_name("body") else { return };
    let mut comments = Vec::new();
    for child in children(body) {
        match child.kind() {
            "line_comment" if of(child, text).starts_with("///") => {
                comments.push(uncommented(of(child, text)));
                continue;
            }
            "attribute_item" => continue,
            "function_item" if is_public(child, text) => {
                if let Some(name) = name(child, text) {
                    let name = format!("{of_type}::{name}");
                    out.push(Item { name, signature: signature(child, text), doc: comments.join("\n") });
                }
            }
            _ => {}
        }
        comments.clear();
    }
}

fn tests_of(node: Node<'_>, text: &str, out: &mut Vec<String>) {
    let Some(body) = node.child_by_field_name("body") else { return };
    let mut is_test = false;
    for child in children(body) {
        match child.kind() {
            "attribute_item" => is_test |= of(child, text).contains("test"),
            "line_comment" => {}
            "function_item" => {
                if is_test {
                    out.extend(name(child, text));
                }
                is_test = false;
            }
            _ => is_test = false,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_crate_says() {
        let text = "//! Locks accounts.\n//!\n//! After failures.\n\nuse crate::store::Users;\n\n/// Most failures.\npub const MOST: u8 = 5;\n\n/// A lock.\n#[derive(Debug)]\npub struct Lock { n: u8 }\n\nimpl Lock {\n    /// Opens it.\n    pub fn open(&mut self) -> bool { true }\n    fn hidden(&self) {}\n}\n\nfn private() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn opens_once() {}\n    fn helper() {}\n}\n";
        let facts = crate::knowledge::scaffold::facts::read("a.rs", text);
        assert_eq!(facts.doc, "Locks accounts.\n\nAfter failures.");
        let items: Vec<_> =
            facts.items.iter().map(|i| (i.name.as_str(), i.signature.as_str(), i.doc.as_str())).collect();
        assert_eq!(
            items,
            [
                ("Lock", "pub struct Lock", "A lock."),
                ("Lock::open", "pub fn open(&mut self) -> bool", "Opens it.")
            ]
        );
        assert_eq!(facts.constants, ["pub const MOST: u8 = 5;"]);
        assert_eq!(
            (facts.tests, facts.imports),
            (vec!["opens_once".to_owned()], vec!["crate::store::Users".to_owned()])
        );
    }
}
