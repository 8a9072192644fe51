//! One logical filter spread over many keys of a server or cluster that has the module of `cuculus-valkey` loaded.
//!
//! ```no_run
//! use cuculus_client::{Options, ShardedFilter};
//!
//! let mut filter = ShardedFilter::open("valkey://127.0.0.1:6379/seen", 6, Options::default())?;
//! filter.reserve(1_000_000_000, 0.01)?;
//! filter.insert_many(&["cuckoo", "robin"])?;
//! assert_eq!(filter.contains_many(&["cuckoo"])?, [true]);
//! # Ok::<(), cuculus_client::Error>(())
//! ```
//!
//! * The keys carry hash tags that spread them evenly over a cluster's slots; items go to keys by a hash of their own.
//! * Calls are pipelined, one command a key, and follow redirects. Inserts are repeated when a primary dies, until another one
//!   answers or the time is up: they store an item only if it is not there, so a repeated one changes nothing.
//! * With [`Options::wait`], an insert returns when so many replicas have it. Whatever returned is found after a failover.
#![forbid(unsafe_code)]

mod connection;
mod error;
mod filter;
mod shards;
mod url;

pub use error::Error;
pub use filter::{Options, ShardedFilter};
