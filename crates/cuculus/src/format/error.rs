//! What can be wrong with the bytes of a filter, or with the file they are in.
#![forbid(unsafe_code)]

use crate::error::{BuildError, Counted, Grouped, Value};
use core::fmt;

/// Why bytes are not a filter that this version reads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FormatError {
    /// The bytes do not start like a filter.
    NotAFilter {
        /// What they look like instead.
        looks_like: &'static str,
    },
    /// A filter of a format version that this version of the library does not read.
    UnknownVersion {
        /// The file's version.
        version: u16,
        /// The newest version that can be read.
        newest: u16,
    },
    /// A filter of another kind: of a fixed size, growing, or a window.
    OtherKind {
        /// What it is.
        found: &'static str,
        /// What was asked for.
        wanted: &'static str,
    },
    /// The bytes end too soon.
    Truncated {
        /// Bytes that there must be.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// Something follows after the end.
    TrailingBytes {
        /// Bytes that there must be.
        expected: u64,
    },
    /// A part of the file was changed: its checksum is not the stored one.
    Checksum {
        /// The part: "header", "table" or "stash".
        part: &'static str,
        /// The checksum in the header.
        stored: u64,
        /// That of the bytes.
        computed: u64,
    },
    /// A header field is outside its range.
    Field {
        /// The field's name.
        name: &'static str,
        /// Its value.
        value: Value,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The compressed table does not unpack.
    Compression(&'static str),
    /// The table or the stash contradicts the header or itself.
    Contents(&'static str),
    /// The filter hashes with a secret key, which was not given.
    KeyNeeded,
    /// The key given is not the one that the filter was made with.
    WrongKey,
    /// A key was given, but the filter's hash takes none.
    KeyNotNeeded,
    /// A view reads the table where it is, and this one is stored compressed: load it instead.
    Compressed,
    /// The table is larger than this platform can address.
    TooLarge {
        /// Bytes of the table.
        bytes: u64,
    },
    /// The system has not got the memory for the table.
    Allocation {
        /// Bytes of the table.
        bytes: u64,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FormatError::*;
        match self {
            NotAFilter { looks_like } => write!(f, "this is no cuculus filter but {looks_like}"),
            UnknownVersion { version, newest } => {
                write!(f, "the filter has format version {version}; versions up to {newest} can be read here")
            }
            OtherKind { found, wanted } => write!(f, "this is {found}, and {wanted} was asked for"),
            Truncated { expected, found } => {
                write!(f, "the filter is cut short: {} of {}", Grouped(*found), Counted(*expected, "byte"))
            }
            TrailingBytes { expected } => {
                write!(f, "the filter ends after {}, but more bytes follow", Counted(*expected, "byte"))
            }
            Checksum { part, stored, computed } => {
                write!(f, "the {part} was changed: its checksum is {computed:016x}, not {stored:016x}")
            }
            Field { name, value, allowed } => write!(f, "header field {name} is {value}, allowed is: {allowed}"),
            Compression(reason) => write!(f, "the compressed table does not unpack: {reason}"),
            Contents(reason) => write!(f, "the contents do not fit together: {reason}"),
            KeyNeeded => f.write_str("the filter was made with a secret key: give that key"),
            WrongKey => f.write_str("the secret key is not the one that the filter was made with"),
            KeyNotNeeded => f.write_str("the filter was made without a secret key: give none"),
            Compressed => f.write_str("the table is stored compressed: load the filter instead of viewing it"),
            TooLarge { bytes } => {
                write!(f, "a table of {} is more than this platform can address", Counted(*bytes, "byte"))
            }
            Allocation { bytes } => write!(f, "the system has not got {} for the table", Counted(*bytes, "byte")),
        }
    }
}

impl core::error::Error for FormatError {}

/// A refused parameter, as the header field that holds it.
impl From<BuildError> for FormatError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::OutOfRange { parameter, value, allowed } => {
                FormatError::Field { name: parameter, value, allowed }
            }
            BuildError::Allocation { bytes } => FormatError::Allocation { bytes },
            _ => FormatError::Contents("the geometry is impossible"),
        }
    }
}

#[cfg(feature = "std")]
mod file {
    use super::{FormatError, fmt};
    use std::io;
    use std::path::{Path, PathBuf};

    /// Why a file was not read or written.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum FileError {
        /// The system refused something.
        Io {
            /// The file.
            path: PathBuf,
            /// What was being done with it, as in "cannot open".
            action: &'static str,
            /// The system's reason.
            source: io::Error,
        },
        /// The bytes in the file are not a filter that can be used.
        Format {
            /// The file.
            path: PathBuf,
            /// What is wrong.
            source: FormatError,
        },
    }

    impl FileError {
        /// What is wrong with the bytes, if it is the bytes.
        pub fn format(&self) -> Option<&FormatError> {
            match self {
                FileError::Format { source, .. } => Some(source),
                FileError::Io { .. } => None,
            }
        }

        /// The system's reason, if it was the system.
        pub fn io(&self) -> Option<&io::Error> {
            match self {
                FileError::Io { source, .. } => Some(source),
                FileError::Format { .. } => None,
            }
        }

        /// The file.
        pub fn path(&self) -> &Path {
            match self {
                FileError::Io { path, .. } | FileError::Format { path, .. } => path,
            }
        }

        pub(crate) fn while_trying(action: &'static str, path: &Path) -> impl Fn(io::Error) -> FileError {
            move |source| FileError::Io { path: path.to_path_buf(), action, source }
        }

        pub(crate) fn in_file(path: &Path) -> impl Fn(FormatError) -> FileError {
            move |source| FileError::Format { path: path.to_path_buf(), source }
        }
    }

    impl fmt::Display for FileError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                FileError::Io { path, action, source } => write!(f, "cannot {action} {}: {source}", path.display()),
                FileError::Format { path, source } => write!(f, "{}: {source}", path.display()),
            }
        }
    }

    impl core::error::Error for FileError {
        fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
            Some(match self {
                FileError::Io { source, .. } => source,
                FileError::Format { source, .. } => source,
            })
        }
    }
}
#[cfg(feature = "std")]
pub use file::FileError;
