//! One small error type an operation.

use core::fmt;
use cuculus::FormatError;

/// Why an item was refused. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The filter has no expansion and holds what it was made for.
    Full,
    /// The item is stored as often as one item may be.
    TooManyCopies,
    /// The server's limits allow no further growth.
    Limit,
}

/// Why a filter was not made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CreateError {
    /// It would be larger than the limit.
    TooLarge {
        /// Bytes that it needs.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The library does not build it.
    Build(cuculus::BuildError),
}

/// Why bytes are no filter, or a chunk was refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes end too early.
    Truncated,
    /// Something follows the end.
    TrailingBytes,
    /// Not a header of this program or of RedisBloom.
    NotAHeader,
    /// Written by a newer version.
    Version(u8),
    /// A parameter is out of range, or contradicts another.
    Parameter(&'static str),
    /// A checksum is wrong: the bytes were changed.
    Checksum,
    /// A chunk that does not come next.
    OutOfOrder {
        /// Bytes that are there.
        expected: u64,
        /// Where the chunk begins.
        found: u64,
    },
    /// A chunk of another dump, or of another state of the filter.
    AnotherDump,
    /// The table holds another number of items than the header says.
    Count {
        /// The header's number.
        expected: u64,
        /// Slots that are taken.
        found: u64,
    },
    /// The filter is larger than the limit.
    TooLarge {
        /// Bytes that it needs.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The filter's own bytes are wrong.
    Format(FormatError),
    /// The filter cannot be built.
    Build(cuculus::BuildError),
    /// The system has not got the memory.
    Allocation,
}

/// Why filters were not merged. All are unchanged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MergeError {
    /// The filters differ in something that merging needs equal.
    Mismatch(String),
    /// Together they hold more than fits.
    Full,
    /// The server's limits do not allow it.
    Limit,
}

impl From<FormatError> for LoadError {
    fn from(error: FormatError) -> Self {
        LoadError::Format(error)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Full => "the filter is full",
            Refusal::TooManyCopies => "this item is stored as often as one item may be",
            Refusal::Limit => "the limits allow no further growth",
        })
    }
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CreateError::TooLarge { bytes, limit } => write!(f, "the filter needs {bytes} bytes, allowed are {limit}"),
            CreateError::Build(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Truncated => f.write_str("the bytes end too early"),
            LoadError::TrailingBytes => f.write_str("something follows the end"),
            LoadError::NotAHeader => f.write_str("neither a header of cuculus nor of RedisBloom"),
            LoadError::Version(version) => write!(f, "written in version {version}, which this program does not know"),
            LoadError::Parameter(what) => write!(f, "the header's {what} is out of range"),
            LoadError::Checksum => f.write_str("the checksum is wrong"),
            LoadError::OutOfOrder { expected, found } => {
                write!(f, "the chunk begins at byte {found}, expected is byte {expected}")
            }
            LoadError::AnotherDump => f.write_str("the chunk belongs to another dump, or the filter changed meanwhile"),
            LoadError::Count { expected, found } => {
                write!(f, "the header says {expected} items, the tables hold {found}")
            }
            LoadError::TooLarge { bytes, limit } => write!(f, "the filter needs {bytes} bytes, allowed are {limit}"),
            LoadError::Format(error) => error.fmt(f),
            LoadError::Build(error) => error.fmt(f),
            LoadError::Allocation => f.write_str("the system has not got the memory"),
        }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Mismatch(what) => f.write_str(what),
            MergeError::Full => f.write_str("together they hold more than fits"),
            MergeError::Limit => f.write_str("the limits do not allow a filter of this size"),
        }
    }
}

impl core::error::Error for Refusal {}
impl core::error::Error for CreateError {}
impl core::error::Error for LoadError {}
impl core::error::Error for MergeError {}
