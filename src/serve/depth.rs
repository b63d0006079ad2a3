//! How deep a JSON text nests, counted before anything parses it.

/// Deepest nesting accepted.
pub const DEEPEST: usize = 32;

/// Whether arrays and objects nest deeper than [`DEEPEST`]. Brackets inside strings do not count;
/// what is no JSON is left to the parser.
pub fn too_deep(text: &[u8]) -> bool {
    let (mut depth, mut string, mut escaped) = (0usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if string => escaped = true,
            b'"' => string = !string,
            b'[' | b'{' if !string => {
                depth += 1;
                if depth > DEEPEST {
                    return true;
                }
            }
            b']' | b'}' if !string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_brackets_outside_strings() {
        let nested = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n));
        assert!(!too_deep(nested(32).as_bytes()));
        assert!(too_deep(nested(33).as_bytes()));
        assert!(!too_deep(format!("\"{}\"", "[".repeat(99)).as_bytes()));
        assert!(!too_deep(format!("\"\\\"{}\"", "{".repeat(99)).as_bytes()));
        assert!(too_deep(format!("\"\\\\\",{}", "{".repeat(33)).as_bytes()));
        assert!(!too_deep("[]".repeat(99).as_bytes()));
        assert!(!too_deep(b"]]]]\xff"));
    }
}
