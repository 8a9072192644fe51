//! The promises that every filter keeps, whatever its layout, placement, width and size: one module a promise.
//!
//! `CUCULUS_TEST_SCALE` is a percentage of the usual work, or `full` for the long form of every test.
#![cfg(all(feature = "std", target_pointer_width = "64", target_endian = "little"))]
#![allow(unreachable_pub)]

mod capacity;
mod copies;
mod errors;
mod keys;
mod loads;
mod merge;
mod model;
mod property;
mod rate;
mod refusal;
mod rig;
mod same_bytes;
mod surface;
