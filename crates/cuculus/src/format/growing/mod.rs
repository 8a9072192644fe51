//! Growing filters in the file format: version 2 of it, the same outline, other fields.
#![forbid(unsafe_code)]

#[cfg(test)]
mod golden;
mod header;
mod read;
mod stash;
mod write;

pub(super) use header::GROWING_VERSION;
pub use header::GrowingInfo;
