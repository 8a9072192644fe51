//! What commands answer when they refuse: RedisBloom's words where it has some, since clients compare them.

use cuculus_cf::{CreateError, LoadError, MergeError, Refusal};
use std::borrow::Cow;
use std::ffi::{CStr, CString};

/// Why a command was refused.
pub(crate) enum Failure {
    /// The server's own text.
    WrongArity,
    Text(Cow<'static, CStr>),
}

const fn text(text: &'static CStr) -> Failure {
    Failure::Text(Cow::Borrowed(text))
}

pub(crate) const WRONG_TYPE: Failure = text(c"WRONGTYPE Operation against a key holding the wrong kind of value");
pub(crate) const NOT_FOUND: Failure = text(c"ERR not found");
pub(crate) const NOTHING_TO_DELETE: Failure = text(c"Not found");
pub(crate) const NOTHING_TO_COMPACT: Failure = text(c"Cuckoo filter was not found");
pub(crate) const EXISTS: Failure = text(c"ERR item exists");
pub(crate) const STILL_LOADING: Failure = text(c"ERR this filter is still being loaded: chunks are missing");
pub(crate) const BAD_CAPACITY: Failure = text(c"Bad capacity");
pub(crate) const CAPACITY_RANGE: Failure = text(c"Capacity must be in the range [2 * BUCKETSIZE, 1073741824]");
pub(crate) const CAPACITY_RANGE_OF_INSERT: Failure =
    text(c"Capacity must be in the range [cf-bucket-size * 2, 1073741824]");
pub(crate) const FULL: &CStr = c"Filter is full";
pub(crate) const NO_GROWTH: &CStr = c"Maximum expansions reached";
pub(crate) const BAD_POSITION: Failure = text(c"Invalid position");
pub(crate) const BAD_HEADER: Failure = text(c"Invalid header");
pub(crate) const BAD_CHUNK: Failure = text(c"Couldn't load chunk!");
pub(crate) const PANIC: &CStr = c"ERR internal error of the module, please report it";

/// An error with words of its own.
pub(crate) fn error(words: impl AsRef<str>) -> Failure {
    // A text from outside may hold zeros and line ends, which replies cannot.
    let words: String = words.as_ref().chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    Failure::Text(CString::new(words).map_or(Cow::Borrowed(c"ERR"), Cow::Owned))
}

/// An argument in an error text: at most its first characters.
pub(crate) fn shown(argument: &[u8]) -> String {
    String::from_utf8_lossy(argument).chars().take(64).collect()
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        text(match refusal {
            Refusal::Limit => NO_GROWTH,
            _ => FULL,
        })
    }
}

impl From<CreateError> for Failure {
    fn from(reason: CreateError) -> Self {
        error(format!("ERR {reason}"))
    }
}

impl From<MergeError> for Failure {
    fn from(reason: MergeError) -> Self {
        error(format!("ERR {reason}"))
    }
}

/// A refused first chunk.
pub(crate) fn header_failure(reason: LoadError) -> Failure {
    match reason {
        LoadError::NotAHeader | LoadError::Truncated | LoadError::Parameter(_) => BAD_HEADER,
        other => error(format!("ERR {other}")),
    }
}
