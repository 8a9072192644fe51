//! The format's checksum: XXH3-64 with seed 0. A changed byte goes unnoticed with a chance of 2^-64; it is no protection
//! against someone who means to change a file and writes a new checksum.
#![forbid(unsafe_code)]

use core::hash::Hasher;

/// XXH3-64 of bytes that come in pieces.
pub(super) struct Checksum(twox_hash::XxHash3_64);

impl Checksum {
    pub(super) fn new() -> Self {
        Checksum(twox_hash::XxHash3_64::new())
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(super) fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// XXH3-64 of bytes that are all there.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(bytes)
}
