//! What windows promise, tested from outside.

mod errors;
mod files;
mod hostile;
mod promises;
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
mod property;
mod rig;
