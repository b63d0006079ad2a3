//! Bytes of a page to text: UTF-8 only, with the place of what is wrong.

use crate::tr;

/// The largest page that is read, in bytes.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Why the bytes are not the text of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecodable {
    /// Not UTF-8, from this byte on.
    NotUtf8(usize),
    /// UTF-16 or UTF-32, by its byte order mark.
    Utf16,
    /// A NUL at this byte: not a text file.
    Nul(usize),
    /// Larger than [`MAX_BYTES`].
    TooLarge(u64),
    /// A symbolic link, which is not followed.
    Link,
    /// No regular file, or one that cannot be read; the system's words.
    Unreadable(String),
}

impl std::fmt::Display for Undecodable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&match self {
            Undecodable::NotUtf8(at) => {
                tr!("octets invalides en UTF-8 à partir de l'octet {at}", "not UTF-8 from byte {at} on")
            }
            Undecodable::Utf16 => {
                tr!("fichier UTF-16 ou UTF-32, UTF-8 attendu", "UTF-16 or UTF-32 where UTF-8 is expected")
            }
            Undecodable::Nul(at) => {
                tr!("octet nul à la position {at} : fichier binaire", "a NUL at byte {at}: a binary file")
            }
            Undecodable::TooLarge(n) => {
                tr!("{n} octets, limite {MAX_BYTES}", "{n} bytes, the limit is {MAX_BYTES}")
            }
            Undecodable::Link => tr!("lien symbolique, non suivi", "a symbolic link, not followed"),
            Undecodable::Unreadable(why) => why.clone(),
        })
    }
}

/// The text of `bytes`; a byte order mark stays in it, [`super::front_matter::split`] reports it.
///
/// # Errors
/// [`Undecodable`], with the first wrong byte.
pub fn text(bytes: Vec<u8>) -> Result<String, Undecodable> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Undecodable::TooLarge(bytes.len() as u64));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Undecodable::Utf16);
    }
    let nul = memchr::memchr(0, &bytes);
    match (String::from_utf8(bytes), nul) {
        (_, Some(at)) => Err(Undecodable::Nul(at)),
        (Ok(text), None) => Ok(text),
        (Err(e), None) => Err(Undecodable::NotUtf8(e.utf8_error().valid_up_to())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_text_is_named() {
        assert_eq!(text(b"ok".to_vec()), Ok("ok".to_owned()));
        assert_eq!(text(vec![]), Ok(String::new()));
        assert_eq!(text(b"ab\xffc".to_vec()), Err(Undecodable::NotUtf8(2)));
        assert_eq!(text(b"a\xc0\xafb".to_vec()), Err(Undecodable::NotUtf8(1)), "overlong");
        assert_eq!(text(b"\xff\xfea\0".to_vec()), Err(Undecodable::Utf16));
        assert_eq!(text(b"a\0b".to_vec()), Err(Undecodable::Nul(1)));
        assert_eq!(text(vec![0x1f, 0x8b, 8, 0]), Err(Undecodable::Nul(3)), "gzip");
    }
}
