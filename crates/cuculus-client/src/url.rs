//! `valkey://[USER:PASSWORD@]HOST[:PORT]/KEY`.

use crate::error::Error;

/// A server, and the name of the filter on it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// As the client library takes it.
    pub(crate) server: String,
    pub(crate) key: String,
}

impl Target {
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let wrong = || Error::Url(url.to_owned());
        let rest = url.strip_prefix("valkey://").or_else(|| url.strip_prefix("redis://")).ok_or_else(wrong)?;
        let (server, key) = rest.split_once('/').ok_or_else(wrong)?;
        // Braces would be a hash tag of their own.
        if server.is_empty() || key.is_empty() || key.contains(['{', '}']) {
            return Err(wrong());
        }
        Ok(Target { server: format!("redis://{server}"), key: key.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let target = |server: &str, key: &str| Target { server: server.to_owned(), key: key.to_owned() };
        assert_eq!(Target::parse("valkey://h:1/k").unwrap(), target("redis://h:1", "k"));
        assert_eq!(Target::parse("redis://u:p@h/a/b:c").unwrap(), target("redis://u:p@h", "a/b:c"));
        for wrong in ["h:1/k", "valkey://h:1", "valkey://h:1/", "valkey:///k", "http://h/k", "valkey://h/{k}"] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
    }
}
