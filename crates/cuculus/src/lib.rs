//! Cuckoo filters: set membership in very little memory, for sets that change.
//!
//! A filter answers "never stored", which is certain, or "probably stored", which is wrong at the false-positive rate that was
//! asked for; unlike a Bloom filter it can remove. Begin with [`CuckooFilter`].
//!
//! | preset | cost |
//! |---|---|
//! | [`CuckooFilter::new`] | the smallest layout: about `(k + 2) / 0.97` bits an item, `k = log2(1 / rate)` |
//! | [`.layout(Layout::Packed)`](Builder::layout) | one bit an item more, single lookups twice as fast in the caches |
//! | [`.headroom(Headroom::Lively)`](Builder::headroom) | 7 % more, several times faster inserts when full |
//! | [`.secret_key(key)`](Builder::secret_key) | a slower hash, safe where outsiders choose the keys |
//!
//! **When not to use it:** a set that never changes is smaller in a binary fuse filter; and nothing that must not be wrong once in
//! `1 / rate` questions should rest on any filter alone.
//!
//! Features: `std` (default) saves, loads and maps files and asks for huge pages; `serde` writes and reads the file
//! format's bytes. Without `std` the crate needs `alloc` only.
#![no_std]
#![doc(test(attr(deny(warnings))))]
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
#[cfg(test)]
mod golden_plans;
mod growing;
mod hash;
mod index;
mod key;
mod memory;
mod rng;
#[cfg(feature = "serde")]
mod serde;
pub mod sizing;
mod stash;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod sync;
mod table;
mod window;

pub use builder::{Builder, Headroom, Plan};
pub use error::{BuildError, InsertError, InsertManyError, MergeError, Value};
pub use filter::CuckooFilter;
pub use fingerprint::Fingerprint;
#[cfg(feature = "std")]
pub use format::{FileError, Mapped, MappedFilter, verify_file};
pub use format::{FileInfo, FilterKind, FilterView, FormatError, GrowingInfo, View, WindowInfo, verify_bytes};
pub use geometry::{Geometry, Layout, Placement, Search};
pub use growing::{GrowingBuilder, GrowingFilter};
pub use hash::{HashKind, ItemHasher};
pub use key::Key;
pub use memory::Memory;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use sync::{ShareError, SyncFilter};
pub use window::{Window, WindowBuilder, WindowFilter};

/// The examples of the README are compiled and run.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
