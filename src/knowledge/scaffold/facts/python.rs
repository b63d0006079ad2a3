//! Python: docstrings, public functions and classes, decorated routes, constants, tests.

use tree_sitter::{Node, Tree};

use super::{Facts, Item, Route, children, of, signature};

pub(super) fn read(tree: &Tree, text: &str) -> Facts {
    let mut facts = Facts { doc: docstring(tree.root_node(), text), ..Facts::default() };
    for node in children(tree.root_node()) {
        match node.kind() {
            "import_statement" | "import_from_statement" => {
                for field in ["module_name", "name"] {
                    if let Some(module) = node.child_by_field_name(field) {
                        facts.imports.push(of(module, text).to_owned());
                    }
                }
            }
            "decorated_definition" => {
                let Some(inner) = node.child_by_field_name("definition") else { continue };
                for decorator in children(node).into_iter().filter(|c| c.kind() == "decorator") {
                    facts.routes.extend(routes(of(decorator, text), &name(inner, text)));
                }
                definition(inner, text, &mut facts);
            }
            "function_definition" | "class_definition" => definition(node, text, &mut facts),
            "expression_statement" => {
                let assigned = node.child(0).filter(|c| c.kind() == "assignment");
                let left = assigned.and_then(|a| a.child_by_field_name("left")).map(|l| of(l, text));
                if left.is_some_and(is_constant) {
                    let line = super::super::text::flat(of(node, text));
                    facts.constants.push(super::super::text::cut(&line, 100));
                }
            }
            _ => {}
        }
    }
    facts
}

fn is_constant(name: &str) -> bool {
    name.len() > 1 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn name(node: Node<'_>, text: &str) -> String {
    node.child_by_field_name("name").map_or_else(String::new, |n| of(n, text).to_owned())
}

fn definition(node: Node<'_>, text: &str, facts: &mut Facts) {
    let name = name(node, text);
    if name.starts_with("test_") || name.starts_with("Test") {
        if node.kind() == "class_definition" {
            let body = node.child_by_field_name("body").map(children).unwrap_or_default();
            let methods = body.into_iter().filter(|c| c.kind() == "function_definition");
            facts.tests.extend(methods.map(|m| self::name(m, text)).filter(|n| n.starts_with("test_")));
        } else {
            facts.tests.push(name);
        }
        return;
    }
    if name.is_empty() || name.starts_with('_') {
        return;
    }
    let doc = node.child_by_field_name("body").map_or_else(String::new, |body| docstring(body, text));
    facts.items.push(Item { name, signature: signature(node, text), doc });
}

/// The docstring that starts a module or a body.
fn docstring(block: Node<'_>, text: &str) -> String {
    let first = children(block).into_iter().find(|c| c.kind() != "comment");
    let string = first.filter(|c| c.kind() == "expression_statement").and_then(|c| c.child(0));
    let Some(string) = string.filter(|c| c.kind() == "string") else { return String::new() };
    let raw = of(string, text).trim_start_matches(['r', 'R', 'u', 'U']);
    let quoted = raw.trim_start_matches(['"', '\'']).trim_end_matches(['"', '\'']);
    quoted.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// `@app.get("/x")`, `@bp.route("/x", methods=["GET", "POST"])`.
fn routes(decorator: &str, handler: &str) -> Vec<Route> {
    let call = decorator.trim_start_matches('@');
    let Some((callee, arguments)) = call.split_once('(') else { return Vec::new() };
    let verb = callee.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let mut quotes = arguments.splitn(3, ['"', '\'']);
    let (before, path) = (quotes.next().unwrap_or(""), quotes.next().unwrap_or(""));
    if !callee.contains('.') || !before.trim().is_empty() || !path.starts_with('/') {
        return Vec::new();
    }
    let route = |method: &str| Route {
        method: method.to_owned(),
        path: path.to_owned(),
        handler: handler.to_owned(),
    };
    match verb.as_str() {
        "get" | "post" | "put" | "patch" | "delete" | "head" | "options" => {
            vec![route(&verb.to_ascii_uppercase())]
        }
        "route" => {
            let methods = arguments.split_once("methods").map_or("", |(_, rest)| rest);
            let named: Vec<Route> = ["GET", "POST", "PUT", "PATCH", "DELETE"]
                .into_iter()
                .filter(|m| methods.contains(m))
                .map(route)
                .collect();
            // Flask answers GET when no method is named.
            if named.is_empty() { vec![route("GET")] } else { named }
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_service_says() {
        let text = "\"\"\"Accounts of the shop.\n\nLogin and logout.\n\"\"\"\nimport os\nfrom .store import Users\n\nMAX_ATTEMPTS = 5\n\n@app.post(\"/login\")\ndef login(user: str) -> bool:\n    \"\"\"Opens a session.\"\"\"\n    return os.environ[\"SHOP_KEY\"] == user\n\n@bp.route('/x', methods=['GET', 'POST'])\ndef x():\n    pass\n\ndef _hidden():\n    pass\n\ndef test_login():\n    pass\n";
        let facts = crate::knowledge::scaffold::facts::read("a.py", text);
        assert_eq!(facts.doc, "Accounts of the shop.\n\nLogin and logout.");
        let routes: Vec<_> =
            facts.routes.iter().map(|r| format!("{} {} {}", r.method, r.path, r.handler)).collect();
        assert_eq!(routes, ["POST /login login", "GET /x x", "POST /x x"]);
        assert_eq!(facts.items[0].signature, "def login(user: str) -> bool");
        assert_eq!(facts.items[0].doc, "Opens a session.");
        assert_eq!(
            (facts.items.len(), facts.env, facts.tests),
            (2, vec!["SHOP_KEY".to_owned()], vec!["test_login".to_owned()])
        );
        assert_eq!(facts.constants, ["MAX_ATTEMPTS = 5"]);
        assert!(facts.imports.contains(&".store".to_owned()));
    }
}
