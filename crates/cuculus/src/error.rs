//! One small error type an operation. Each says what was given and what is allowed.

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
            Value::Integer(value) => value.fmt(f),
            Value::Float(value) => value.fmt(f),
        }
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
    /// Items, rate and memory were all given, or a geometry beside them.
    Overspecified,
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
            BuildError::NoGeometry { reason } => f.write_str(reason),
            BuildError::Allocation { bytes } => write!(f, "the system has not got {bytes} bytes for the table"),
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
    /// No chain of moves within the search budget makes room. Only tables filled past what the builder plans get here.
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
            InsertError::Full { capacity } => write!(f, "the filter is full: it was built for {capacity} items"),
            InsertError::NoRoom { len, slots } => {
                write!(f, "the filter is full: no room found with {len} of {slots} slots taken")
            }
            InsertError::TooManyCopies { copies } => {
                write!(f, "this item is stored {copies} times already, which is the most")
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
        write!(f, "key {} was refused, the ones before it are stored: {}", self.inserted, self.reason)
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
                write!(f, "together {needed} items, but the receiving filter was built for {capacity}")
            }
            MergeError::NoRoom(reason) => write!(f, "the filters do not fit into one: {reason}"),
        }
    }
}

impl core::error::Error for BuildError {}
impl core::error::Error for InsertError {}
impl core::error::Error for InsertManyError {}
impl core::error::Error for MergeError {}
