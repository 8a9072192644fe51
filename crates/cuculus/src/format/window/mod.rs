//! Windows in the file format: version 3 of it, the same outline, other fields.
#![forbid(unsafe_code)]

#[cfg(test)]
mod golden;
mod header;
mod read;
mod tail;
mod write;

pub(super) use header::WINDOW_VERSION;
pub use header::WindowInfo;
