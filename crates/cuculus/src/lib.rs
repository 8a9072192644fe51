//! Cuckoo filters: set membership in very little memory, for sets that change.
#![no_std]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod arch;
mod batch;
mod bits;
mod builder;
mod error;
mod evict;
mod filter;
mod fingerprint;
mod format;
mod geometry;
mod hash;
mod index;
mod key;
mod memory;
mod rng;
#[cfg(feature = "serde")]
mod serde;
pub mod sizing;
mod stash;
mod table;

pub use builder::{Builder, Headroom, Plan};
pub use error::{BuildError, InsertError, InsertManyError, MergeError, Value};
pub use filter::CuckooFilter;
pub use fingerprint::Fingerprint;
#[cfg(feature = "std")]
pub use format::{FileError, Mapped, MappedFilter, verify_file};
pub use format::{FileInfo, FilterView, FormatError, View, verify_bytes};
pub use geometry::{Geometry, Layout, Placement, Search};
pub use hash::{HashKind, ItemHasher};
pub use key::Key;
pub use memory::Memory;
