//! The file format: what comes back, what is refused, what files do on disk.
#![cfg(feature = "std")]

mod damage;
mod document;
mod files;
mod hostile;
mod round_trip;
mod samples;
#[cfg(feature = "serde")]
mod serialised;
