//! Facts told by the shape of a line rather than the syntax tree: routes of web frameworks and
//! environment variables.

use std::sync::LazyLock;

use regex::Regex;

use super::Route;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
    };
}

pattern!(
    EXPRESS,
    r#"\b(?:app|router|server|api|fastify)\.(get|post|put|patch|delete)\(\s*['"`](/[^'"`]*)['"`]"#
);
pattern!(AXUM, r#"\.route\(\s*"([^"]+)"\s*,\s*([^\n]*)"#);
pattern!(VERB, r"\b(get|post|put|patch|delete)\(\s*([\w:]+)\s*\)");
pattern!(
    ATTRIBUTE,
    r#"#\[(get|post|put|patch|delete)\("([^"]+)"[^\]]*\)\]\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"#
);
pattern!(DJANGO, r#"\b(?:re_)?path\(\s*r?['"]([^'"]*)['"]\s*,\s*([\w.]+)"#);
pattern!(GO, r#"\.(?:HandleFunc|Handle)\(\s*"(?:(GET|POST|PUT|PATCH|DELETE) )?(/[^"]*)"\s*,\s*([\w.]+)"#);
pattern!(
    ENVIRONMENT,
    r#"(?:os\.environ(?:\.get)?[\[\(]|os\.getenv\(|env::var(?:_os)?\(|env!\(|option_env!\(|os\.Getenv\(|Deno\.env\.get\()\s*["']([A-Z][A-Z0-9_]+)["']|(?:process\.env|import\.meta\.env)(?:\.|\[["'])([A-Z][A-Z0-9_]+)"#
);

/// Routes that the tree of the language did not give.
pub(super) fn routes(extension: &str, text: &str) -> Vec<Route> {
    let route = |method: &str, path: &str, handler: &str| Route {
        method: method.to_ascii_uppercase(),
        path: path.to_owned(),
        handler: handler.to_owned(),
    };
    let captures = |pattern: &'static LazyLock<Option<Regex>>| {
        pattern.iter().flat_map(|regex| regex.captures_iter(text)).map(|c| {
            let group = |n: usize| c.get(n).map_or("", |m| m.as_str()).to_owned();
            [group(1), group(2), group(3)]
        })
    };
    match extension {
        "js" | "ts" | "mjs" | "cjs" | "mts" => {
            captures(&EXPRESS).map(|[verb, path, _]| route(&verb, &path, "")).collect()
        }
        "rs" => {
            let axum = captures(&AXUM).flat_map(|[path, rest, _]| {
                let verbs = VERB.iter().flat_map(|regex| regex.captures_iter(&rest));
                verbs.map(|c| route(&c[1], &path, &c[2])).collect::<Vec<_>>()
            });
            axum.chain(captures(&ATTRIBUTE).map(|[verb, path, handler]| route(&verb, &path, &handler)))
                .collect()
        }
        "py" if text.contains("urlpatterns") => {
            captures(&DJANGO).map(|[path, view, _]| route("ANY", &format!("/{path}"), &view)).collect()
        }
        "go" => captures(&GO)
            .map(|[verb, path, handler]| route(if verb.is_empty() { "ANY" } else { &verb }, &path, &handler))
            .collect(),
        _ => Vec::new(),
    }
}

/// Environment variables named in a call that reads them.
pub(super) fn environment(text: &str) -> Vec<String> {
    let found = ENVIRONMENT.iter().flat_map(|regex| regex.captures_iter(text));
    found.filter_map(|c| c.get(1).or_else(|| c.get(2)).map(|m| m.as_str().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(extension: &str, text: &str) -> Vec<String> {
        routes(extension, text).iter().map(|r| format!("{} {} {}", r.method, r.path, r.handler)).collect()
    }

    #[test]
    fn frameworks() {
        assert_eq!(told("ts", "router.post('/a/:id', f)\nmap.get('x')"), ["POST /a/:id "]);
        assert_eq!(told("rs", ".route(\"/a\", get(list).post(add))"), ["GET /a list", "POST /a add"]);
        assert_eq!(told("rs", "#[get(\"/b\")]\nasync fn b() {}"), ["GET /b b"]);
        assert_eq!(told("py", "urlpatterns = [path('c/', views.c)]"), ["ANY /c/ views.c"]);
        assert_eq!(told("go", "mux.HandleFunc(\"GET /d\", d)"), ["GET /d d"]);
    }

    #[test]
    fn variables() {
        let text = "os.getenv('A_KEY') process.env.B_URL env::var(\"C_DIR\") os.environ[\"D\"] os.environ.get(\"E_2\")";
        assert_eq!(environment(text), ["A_KEY", "B_URL", "C_DIR", "E_2"]);
    }
}
