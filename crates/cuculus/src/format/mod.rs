//! The file format: the only reader and the only writer of a filter's bytes. FORMAT.md in the repository describes
//! them; `testdata/` has a golden file for every layout, placement and hash, and a second reader in Python.
//!
//! ```text
//!  error      what can be wrong with bytes            checksum   XXH3-64, in pieces
//!  header     256 bytes <-> fields, all checked       stash      16 bytes an entry
//!  zlib       a sparse table, packed                  write      filter -> bytes
//!  sparse     the same, checked before it is unpacked
//!  read       bytes -> filter, view, or a verdict     file, mapped   the same with a path (std)
//! ```
#![deny(unsafe_code)]

mod checksum;
mod error;
#[cfg(feature = "std")]
mod file;
#[cfg(test)]
mod golden;
mod growing;
mod header;
#[cfg(feature = "std")]
mod mapped;
mod read;
#[cfg(feature = "std")]
mod save;
mod sparse;
mod stash;
mod window;
mod write;
mod zlib;

#[cfg(feature = "std")]
pub use error::FileError;
pub use error::FormatError;
#[cfg(feature = "std")]
pub use file::verify_file;
pub use growing::GrowingInfo;
pub use header::{FileInfo, FilterKind};
#[cfg(feature = "std")]
pub use mapped::{Mapped, MappedFilter};
pub use read::{FilterView, View, verify_bytes};
pub use window::WindowInfo;
