//! One small error type an operation. Each says what was given and what is allowed.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// A number as it was given, for messages.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A rate or another fraction.
    Float(f64),
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Float(value)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => Grouped(*value).fmt(f),
            // As short as it goes: a tiny rate would be three hundred digits.
            Value::Float(value) => fmt::Debug::fmt(value, f),
        }
    }
}

/// A whole number for messages: `1,234,567`.
pub(crate) struct Grouped(pub(crate) u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1000, self.0 % 1000) {
            (0, rest) => write!(f, "{rest}"),
            (thousands, rest) => write!(f, "{},{rest:03}", Grouped(thousands)),
        }
    }
}

/// A number with its noun, in the plural where it is not one.
pub(crate) struct Counted(pub(crate) u64, pub(crate) &'static str);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", Grouped(self.0), self.1, if self.0 == 1 { "" } else { "s" })
    }
}

/// Why a filter cannot be built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// A parameter is outside its range.
    OutOfRange {
        /// The parameter's name.
        parameter: &'static str,
        /// What was given.
        value: Value,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The builder needs two of items, false-positive rate and memory, or a geometry.
    Underspecified,
    /// Items, rate and memory were all given, or a geometry and what follows from it.
    Overspecified,
    /// Two options that do not go together.
    Contradiction {
        /// Their names.
        options: &'static str,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// No geometry of the layout keeps the promise: the rate is too small for 32-bit fingerprints, or the memory is
    /// too small for the items.
    NoGeometry {
        /// What was asked and what stands in the way.
        reason: String,
    },
    /// The system has not got the memory.
    Allocation {
        /// Bytes asked for.
        bytes: u64,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::OutOfRange { parameter, value, allowed } => {
                write!(f, "{parameter} is {value}, allowed is: {allowed}")
            }
            BuildError::Underspecified => {
                f.write_str("give two of items, false-positive rate and memory, or an explicit geometry")
            }
            BuildError::Overspecified => {
                f.write_str("give only two of items, false-positive rate and memory, or only an explicit geometry")
            }
            BuildError::Contradiction { options, reason } => write!(f, "{options} contradict each other: {reason}"),
            BuildError::NoGeometry { reason } => f.write_str(reason),
            BuildError::Allocation { bytes } => {
                write!(f, "the system has not got {} for the table", Counted(*bytes, "byte"))
            }
        }
    }
}

/// Why an insert was refused. A refused insert has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError {
    /// The filter holds as many items as it was built for; one more could break the promised rate.
    Full {
        /// Items stored, which is the capacity.
        capacity: u64,
    },
    /// No chain of moves within the search budget makes room. Filters planned by the builder get here in one build of
    /// 10,000 at most; those of an explicit geometry are filled until this, the earlier the weaker their search.
    NoRoom {
        /// Items stored.
        len: u64,
        /// Slots of the table.
        slots: u64,
    },
    /// All slots in which this item may lie hold copies of it already (or of items that cannot be told from it).
    TooManyCopies {
        /// Copies stored.
        copies: u32,
    },
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InsertError::Full { capacity } => {
                write!(f, "the filter is full: it was built for {}", Counted(*capacity, "item"))
            }
            InsertError::NoRoom { len, slots } => {
                let (len, slots) = (Grouped(*len), Grouped(*slots));
                write!(f, "the filter is full: no room found with {len} of {slots} slots taken")
            }
            InsertError::TooManyCopies { copies } => {
                write!(f, "this item is stored {} already, which is the most", Counted((*copies).into(), "time"))
            }
        }
    }
}

/// A many-key insert stopped at a refused key; the keys before it are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsertManyError {
    /// Keys stored, which is the position of the refused one.
    pub inserted: usize,
    /// Why the next key was refused.
    pub reason: InsertError,
}

impl fmt::Display for InsertManyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = Grouped(self.inserted as u64);
        write!(f, "key {position} was refused, the ones before it are stored: {}", self.reason)
    }
}

/// Why two filters were not merged. Both are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// The filters differ in something that merging needs equal.
    Mismatch {
        /// What differs.
        what: &'static str,
        /// The receiving filter's value.
        left: String,
        /// The other filter's value.
        right: String,
    },
    /// Together they hold more items than the receiving filter was built for.
    OverCapacity {
        /// Items of both.
        needed: u64,
        /// What the receiving filter takes.
        capacity: u64,
    },
    /// An item of the other filter found no room.
    NoRoom(InsertError),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Mismatch { what, left, right } => {
                write!(f, "the filters differ in {what}: {left} and {right}")
            }
            MergeError::OverCapacity { needed, capacity } => {
                let (needed, capacity) = (Counted(*needed, "item"), Grouped(*capacity));
                write!(f, "together they hold {needed}, but the first was built for {capacity}")
            }
            MergeError::NoRoom(reason) => write!(f, "the filters do not fit into one: {reason}"),
        }
    }
}

impl MergeError {
    pub(crate) fn mismatch(what: &'static str, left: impl fmt::Debug, right: impl fmt::Debug) -> Self {
        MergeError::Mismatch { what, left: format!("{left:?}"), right: format!("{right:?}") }
    }

    /// Fails if two filters differ in something that has to be the same.
    pub(crate) fn check_same<T: PartialEq + fmt::Debug>(what: &'static str, left: T, right: T) -> Result<(), Self> {
        if left == right { Ok(()) } else { Err(Self::mismatch(what, left, right)) }
    }
}

impl core::error::Error for BuildError {}
impl core::error::Error for InsertError {}

impl core::error::Error for InsertManyError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.reason)
    }
}

impl core::error::Error for MergeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            MergeError::NoRoom(reason) => Some(reason),
            MergeError::Mismatch { .. } | MergeError::OverCapacity { .. } => None,
        }
    }
}
