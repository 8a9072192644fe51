//! The filter behind the `CF.*` commands, without a server: what RedisBloom's users expect of one, kept by `cuculus`.
//!
//! ```text
//!  params      what a filter is made with          limits      what a server allows
//!  murmur, redisbloom, imported   tables that came from RedisBloom, and go on there
//!  store       fixed or growing table              copies      what the table's slots cannot hold of one item
//!  filter      the policy over all of them         image       filter <-> bytes (RDB, COPY)
//!  chunk       the pieces of a dump                loading     chunks -> filter, hostile ones refused
//! ```
//! A refused call changes nothing; equal calls on equal filters leave equal filters, so that replicas stay equal.
#![forbid(unsafe_code)]

mod bytes;
mod chunk;
mod copies;
mod error;
mod filter;
mod image;
mod imported;
mod limits;
mod loading;
mod murmur;
mod params;
mod redisbloom;
mod store;

pub use chunk::{CHUNK_BYTES, Dump};
pub use error::{CreateError, LoadError, MergeError, Refusal};
pub use filter::{Filter, Info};
pub use limits::Limits;
pub use loading::{Header, Loading};
pub use params::{MAX_CAPACITY, Params, Shape};
pub use redisbloom::RedisBloomHeader;
