//! The bytes of a named symbol in a source file, by its syntax tree.

use std::ops::Range;

use tree_sitter::{Language, Node, Parser};

/// The node that declares `name` in the file at `path`: `Type::method` and `Type.method` look for the
/// method inside the type. `None` for unknown languages and names.
pub(super) fn find(path: &str, bytes: &[u8], name: &str) -> Option<Range<usize>> {
    let language: Language = match path.rsplit_once('.')?.1 {
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "py" | "pyi" => tree_sitter_python::LANGUAGE.into(),
        "js" | "jsx" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE.into(),
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        _ => return None,
    };
    let mut parser = Parser::new();
    parser.set_language(&language).ok()?;
    let tree = parser.parse(bytes, None)?;
    let parts: Vec<&str> = name.split("::").flat_map(|p| p.split('.')).filter(|p| !p.is_empty()).collect();
    let mut scopes = vec![tree.root_node()];
    for part in &parts {
        let mut next = Vec::new();
        for scope in scopes {
            declarations(scope, bytes, part, &mut next);
        }
        scopes = next;
    }
    let node = scopes.into_iter().find(|n| n.parent().is_some())?;
    Some(node.start_byte()..node.end_byte())
}

/// Nodes below `scope` that declare `name`, outermost first; what they hold is not searched again.
fn declarations<'t>(scope: Node<'t>, bytes: &[u8], name: &str, out: &mut Vec<Node<'t>>) {
    let mut stack = vec![scope];
    while let Some(node) = stack.pop() {
        if node != scope && declares(node, bytes, name) {
            out.push(node);
            continue;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        stack.extend(children.into_iter().rev());
    }
}

/// A node with this name, or an `impl` block of this type.
fn declares(node: Node<'_>, bytes: &[u8], name: &str) -> bool {
    let field = match node.kind() {
        "impl_item" => "type",
        kind if kind.contains("call") || kind.contains("argument") || kind.contains("parameter") => {
            return false;
        }
        _ => "name",
    };
    node.child_by_field_name(field)
        .and_then(|n| bytes.get(n.start_byte()..n.end_byte()))
        .is_some_and(|text| text == name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str, source: &str, name: &str) -> Option<String> {
        find(path, source.as_bytes(), name).map(|r| source[r].to_owned())
    }

    #[test]
    fn symbols_of_each_language() {
        let rust = "struct A;\nimpl A {\n    fn go(&self) {}\n}\nfn go() {}\n";
        assert_eq!(text("a.rs", rust, "A::go").as_deref(), Some("fn go(&self) {}"));
        assert_eq!(text("a.rs", rust, "go").as_deref(), Some("fn go(&self) {}"));
        assert_eq!(text("a.rs", rust, "A").as_deref(), Some("struct A;"));
        assert_eq!(text("a.rs", rust, "none"), None);
        let python = "class A:\n    def go(self):\n        pass\n";
        assert_eq!(text("a.py", python, "A.go").as_deref(), Some("def go(self):\n        pass"));
        assert_eq!(
            text("a.ts", "export function go(): void {}\n", "go").as_deref(),
            Some("function go(): void {}")
        );
        assert_eq!(text("a.go", "package a\nfunc Go() {}\n", "Go").as_deref(), Some("func Go() {}"));
        assert_eq!(text("a.js", "const go = () => 1;\n", "go").as_deref(), Some("go = () => 1"));
        assert_eq!(text("a.txt", "go", "go"), None);
    }
}
