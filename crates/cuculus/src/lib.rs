//! Cuckoo filters: set membership in very little memory, for sets that change.
#![no_std]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod batch;
mod bits;
mod builder;
mod error;
mod evict;
mod filter;
mod fingerprint;
mod geometry;
mod hash;
mod index;
mod key;
mod memory;
mod rng;
pub mod sizing;
mod stash;
mod table;

pub use builder::{Builder, Plan};
pub use error::{BuildError, InsertError, InsertManyError, MergeError, Value};
pub use filter::CuckooFilter;
pub use fingerprint::Fingerprint;
pub use geometry::{Geometry, Layout, Placement, Search};
pub use hash::{HashKind, ItemHasher};
pub use key::Key;
pub use memory::Memory;
