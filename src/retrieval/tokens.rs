//! An estimate of a text's length in model tokens, for cutting chunks.
//!
//! Chunks are measured by the tokens of the embedder when one is at hand at the first update, else by
//! this estimate, which costs nothing; exact limits are kept by the embedder, which cuts by its own. The estimate imitates o200k: short words one token, longer ones one
//! per four to six letters, digits by threes, punctuation mostly one each.

/// Something that measures a text in tokens.
pub type Count<'c> = &'c (dyn Fn(&str) -> usize + Sync);

/// The name of the estimate, kept in the index.
pub const METHOD: &str = "estimate-o200k-1";

/// About how many o200k tokens `text` has.
pub fn estimate(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut tokens = 0;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'a'..=b'z' | b'A'..=b'Z' => {
                while at < bytes.len() && bytes[at].is_ascii_alphabetic() {
                    at += 1;
                }
                tokens += (at - start).div_ceil(7);
            }
            b'0'..=b'9' => {
                while at < bytes.len() && bytes[at].is_ascii_digit() {
                    at += 1;
                }
                tokens += (at - start).div_ceil(3);
            }
            b' ' | b'\t' | b'\n' | b'\r' => {
                while at < bytes.len() && bytes[at].is_ascii_whitespace() {
                    at += 1;
                }
                // One space belongs to the word after it,
                // and a line's end to the sign before it.
                tokens += usize::from(
                    at - start > 1 || (bytes[start] == b'\n' && start > 0 && is_word(bytes[start - 1])),
                );
            }
            0x80.. => {
                while at < bytes.len() && bytes[at] >= 0x80 {
                    at += 1;
                }
                // Accented letters inside words cost little; other scripts about a token a letter.
                tokens += (at - start).div_ceil(3);
            }
            _ => {
                while at < bytes.len()
                    && bytes[at].is_ascii()
                    && !is_word(bytes[at])
                    && !bytes[at].is_ascii_whitespace()
                {
                    at += 1;
                }
                // Signs that often stand together (`();`, `---`, `||`) are one token.
                tokens += (at - start).div_ceil(2).min(8 + (at - start) / 16);
            }
        }
    }
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_close_to_the_real_tokenizer_on_prose() {
        let bpe = tiktoken_rs::o200k_base_singleton();
        for text in [
            "The key is read from the vault before anything is written, and the job stops without it.",
            "La clé est lue avant toute écriture ; sans elle, le travail s'arrête et rien n'est écrit.",
            "fn main() {\n    let value = compute(12345, \"text\");\n    println!(\"{value}\");\n}\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
        ] {
            let (real, ours) = (bpe.encode_ordinary(text).len(), estimate(text));
            assert!(ours * 10 >= real * 7 && ours * 10 <= real * 14, "{ours} for {real}: {text}");
        }
        assert_eq!(estimate(""), 0);
    }
}
