//! A filter that grows: linear hashing, one line at a time, under two-line partner placement.
//!
//! ```text
//!  hash -> core, slots p and p', address a on the first side; the core gives the address a' on the second
//!
//!  first side   . . . . [line of a: . p . . p' .] . . . . |new    lines split one by one, first those of one side,
//!  second side  . . [line of a': . p . . p' .] . .                then those of the other
//!
//!  slot      mark, next bits of the address | core        open end       plane  one further bit a slot, read only
//!            core                                         declared               when lines split or items are removed
//! ```
//! Files in the order of the imports: `shape` (what a slot holds), `side` (linear hashing), `chunks`, `lines` and
//! `planes` (storage), `table` (entries in cells), `stash`, `seen` and `search` (room for an item), `probe` (lookups), `rate`
//! (planning), `filter`, `resize`, `batch`, `builder`; `image` (a table as bytes).

mod batch;
mod builder;
mod chunks;
mod filter;
mod image;
mod lines;
mod planes;
mod probe;
mod rate;
mod resize;
mod search;
mod seen;
mod shape;
mod side;
mod stash;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use filter::Spec;
pub(crate) use image::{Arriving, table_bytes};
pub(crate) use shape::{Parameters, STEPS, Shape};
pub(crate) use stash::{Stash, Stashed};

pub use builder::GrowingBuilder;
pub use filter::GrowingFilter;
