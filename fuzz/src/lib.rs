//! What the fuzz targets share: filters of every small shape, and an exact model of what they hold.
#![deny(unsafe_code)]

pub mod forge;
#[allow(unsafe_code, reason = "an allocator cannot be written without")]
pub mod meter;
pub mod model;
pub mod operation;
pub mod shape;
pub mod window;
