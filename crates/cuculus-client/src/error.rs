//! What can go wrong.

use std::fmt;

/// Why a call failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Not `valkey://[USER:PASSWORD@]HOST[:PORT]/KEY`.
    Url(String),
    /// The number of shards is not between 1 and 16,384.
    Shards(u32),
    /// The server refused, or cannot be reached.
    Server(redis::RedisError),
    /// A key of the filter is not there: the filter was not made, or with another number of shards.
    Missing(String),
    /// A key of the filter is there already.
    Exists(String),
    /// Items were refused: the filter is full, or its server allows no more.
    Full {
        /// How many of the call's items.
        refused: usize,
    },
    /// Fewer replicas than asked for have the items.
    Unacknowledged {
        /// Replicas asked for.
        wanted: u32,
        /// Replicas that have them.
        got: u32,
    },
    /// A removal was cut off: nobody knows whether it was made. Repeating it could take another item's copy.
    RemovalUnknown(redis::RedisError),
    /// The server answered something else than the module does.
    Reply(&'static str),
}

impl From<redis::RedisError> for Error {
    fn from(error: redis::RedisError) -> Self {
        Error::Server(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Url(url) => write!(f, "{url} is not valkey://HOST:PORT/KEY"),
            Error::Shards(shards) => write!(f, "{shards} shards; allowed are 1 to 16384"),
            Error::Server(error) => write!(f, "the server: {error}"),
            Error::Missing(key) => write!(f, "there is no filter {key}: build it, with the same number of shards"),
            Error::Exists(key) => write!(f, "{key} exists already"),
            Error::Full { refused } => write!(f, "the filter is full: {refused} keys were refused"),
            Error::Unacknowledged { wanted, got } => write!(f, "{got} of {wanted} replicas have the keys"),
            Error::RemovalUnknown(error) => {
                write!(f, "the connection broke during a removal, which may or may not have been made: {error}")
            }
            Error::Reply(what) => write!(f, "the server's answer is not {what}: has it the module?"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Server(error) | Error::RemovalUnknown(error) => Some(error),
            _ => None,
        }
    }
}
