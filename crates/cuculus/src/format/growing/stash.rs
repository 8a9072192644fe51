//! The stash section of a growing filter: 24 bytes an entry, ascending.
#![forbid(unsafe_code)]

use crate::format::FormatError;
use crate::growing::{Shape, Stash, Stashed};
use alloc::vec::Vec;

/// Address (8), core (4), copies (4), slot (1), row (1), known bits (1), five bytes of 0.
pub(super) const ENTRY_BYTES: usize = 24;

pub(super) fn encode(stash: &Stash) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(stash.len() * ENTRY_BYTES);
    for (entry, copies) in stash.iter() {
        bytes.extend_from_slice(&entry.address.to_le_bytes());
        bytes.extend_from_slice(&entry.core.to_le_bytes());
        bytes.extend_from_slice(&copies.to_le_bytes());
        bytes.extend_from_slice(&[entry.slot, entry.row, entry.known, 0, 0, 0, 0, 0]);
    }
    bytes
}

/// Takes entries in, one after the other, checking each.
pub(super) struct Decoder {
    shape: Shape,
    stash: Stash,
    last: Option<Stashed>,
}

impl Decoder {
    pub(super) fn new(shape: Shape) -> Self {
        Decoder { stash: Stash::new(&shape), shape, last: None }
    }

    pub(super) fn entry(&mut self, bytes: [u8; ENTRY_BYTES]) -> Result<(), FormatError> {
        let word = |at: usize| u32::from_le_bytes(core::array::from_fn(|i| bytes[at + i]));
        let address = u64::from(word(0)) | u64::from(word(4)) << 32;
        let entry = Stashed { slot: bytes[16], core: word(8), row: bytes[17], address, known: bytes[18] };
        let copies = word(12);
        if bytes[19..] != [0; 5] || !(1..=255).contains(&copies) {
            return Err(FormatError::Contents("a stash entry with no or too many copies"));
        }
        if !self.shape.allows(&entry) {
            return Err(FormatError::Contents("a stash entry that no item of this filter has"));
        }
        if self.last.is_some_and(|last| last >= entry) {
            return Err(FormatError::Contents("stash entries that are not in order"));
        }
        self.last = Some(entry);
        self.stash.add(entry, copies);
        Ok(())
    }

    pub(super) fn finish(self) -> Stash {
        self.stash
    }
}
