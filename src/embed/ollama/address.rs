//! Where the server listens, in all the forms `OLLAMA_HOST` takes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::base::{Error, Result};
use crate::tr;

/// The server's port when none is given.
const PORT: u16 = 11_434;

/// A server's address, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    url: String,
    loopback: bool,
}

impl Default for Address {
    fn default() -> Self {
        Address { url: format!("http://127.0.0.1:{PORT}"), loopback: true }
    }
}

impl Address {
    /// Reads `host`, `:port`, `host:port`, `[::1]:port`, with or without scheme and path. Port
    /// 11434 unless given (443 with `https`); `0.0.0.0` and `::` mean this machine.
    ///
    /// # Errors
    /// Exit 2 for another scheme, a malformed port, or credentials inside the address.
    pub fn parse(text: &str) -> Result<Address> {
        let text = text.trim();
        let refuse = |what: String| {
            Err(Error::usage(tr!("adresse d'Ollama refusée : {what}", "Ollama address refused: {what}"))
                .hint(tr!(
                    "formes lues : hôte, hôte:port, :port, http://hôte:port/chemin",
                    "forms read: host, host:port, :port, http://host:port/path"
                )))
        };
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let scheme = scheme.to_ascii_lowercase();
        let default_port = match scheme.as_str() {
            "http" => PORT,
            "https" => 443,
            _ => return refuse(tr!("schéma « {scheme} »", "scheme {scheme:?}")),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if rest.contains('@') {
            // Not repeated in the message: it may hold a password.
            return refuse(tr!("elle contient des identifiants", "it holds credentials"));
        }
        let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '?' | '#' | '\\' | '"' | '<' | '>');
        if !rest.chars().all(plain) {
            return refuse(tr!("caractère interdit", "forbidden character"));
        }
        let (host, port) = match authority.parse::<Ipv6Addr>() {
            Ok(_) => (authority, None),
            Err(_) => match authority.rsplit_once(':') {
                Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
                _ => (authority, None),
            },
        };
        let port = match port {
            None | Some("") => default_port,
            Some(port) => match port.parse::<u16>() {
                Ok(port) if port > 0 => port,
                _ => return refuse(tr!("port « {port} »", "port {port:?}")),
            },
        };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let ip = match bare {
            "" => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            _ => bare.parse::<IpAddr>().ok(),
        };
        let ip = ip.map(|ip| match ip {
            IpAddr::V4(v4) if v4.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(v6) if v6.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            other => other,
        });
        let host = match ip {
            Some(IpAddr::V6(v6)) => format!("[{v6}]"),
            Some(IpAddr::V4(v4)) => v4.to_string(),
            None if bare.len() == host.len() && !bare.contains(':') => bare.to_ascii_lowercase(),
            None => return refuse(tr!("hôte « {host} »", "host {host:?}")),
        };
        let loopback = ip.map_or(host == "localhost", |ip| ip.is_loopback());
        let path = path.trim_end_matches('/');
        let slash = if path.is_empty() { "" } else { "/" };
        Ok(Address { url: format!("{scheme}://{host}:{port}{slash}{path}"), loopback })
    }

    /// Scheme, host, port and path, without a final slash.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Whether the server is on this machine, so that no text leaves it.
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Whether the connection needs TLS.
    pub(super) fn is_https(&self) -> bool {
        self.url.starts_with("https")
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_ollama_host() {
        for (text, url, loopback) in [
            ("", "http://127.0.0.1:11434", true),
            ("  localhost ", "http://localhost:11434", true),
            (":8080", "http://127.0.0.1:8080", true),
            ("0.0.0.0", "http://127.0.0.1:11434", true),
            ("0.0.0.0:1234", "http://127.0.0.1:1234", true),
            ("::", "http://[::1]:11434", true),
            ("[::]:1234", "http://[::1]:1234", true),
            ("::1", "http://[::1]:11434", true),
            ("[::1]", "http://[::1]:11434", true),
            ("127.9.9.9:1", "http://127.9.9.9:1", true),
            ("gpu-box", "http://gpu-box:11434", false),
            ("GPU-box:99", "http://gpu-box:99", false),
            ("http://gpu-box", "http://gpu-box:11434", false),
            ("https://ai.example.org", "https://ai.example.org:443", false),
            ("https://ai.example.org:8443/ollama/", "https://ai.example.org:8443/ollama", false),
            ("gpu-box/path", "http://gpu-box:11434/path", false),
            ("[2001:db8::1]:99", "http://[2001:db8::1]:99", false),
            ("10.0.0.5", "http://10.0.0.5:11434", false),
            ("localhost.example.org", "http://localhost.example.org:11434", false),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.as_str(), address.is_loopback()), (url, loopback), "{text:?}");
        }
        assert_eq!(Address::parse("").unwrap(), Address::default());
    }

    #[test]
    fn malformed_addresses_are_refused_and_secrets_not_repeated() {
        for text in
            ["ftp://x", "x:0", "x:70000", "x:abc", "a b", "http://x?y", "[::1", "a:b:c", "[x]", "x\\y"]
        {
            assert_eq!(Address::parse(text).unwrap_err().exit(), 2, "{text:?}");
        }
        let error = Address::parse("http://user:hunter2@host").unwrap_err();
        assert!(!error.message().contains("hunter2"));
    }
}
