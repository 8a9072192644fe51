//! The stash section: 16 bytes an entry, ascending.
#![forbid(unsafe_code)]

use super::error::FormatError;
use crate::fingerprint::Fingerprint;
use crate::geometry::Geometry;
use crate::stash::Stash;
use crate::table::{Cells, Table, with_table};
use alloc::vec::Vec;

/// Cell (8), fingerprint (4), copies (4).
pub(super) const ENTRY_BYTES: usize = 16;

pub(super) fn encode(stash: &Stash) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(stash.len() * ENTRY_BYTES);
    for (cell, fingerprint, copies) in stash.iter() {
        bytes.extend_from_slice(&cell.to_le_bytes());
        bytes.extend_from_slice(&fingerprint.get().to_le_bytes());
        bytes.extend_from_slice(&copies.to_le_bytes());
    }
    bytes
}

/// Takes entries in, one after the other, checking all that can be checked without reading the table.
pub(super) struct Decoder {
    table: Table,
    len: u64,
    stash: Stash,
    last: Option<(u64, Fingerprint)>,
    copies: u64,
}

impl Decoder {
    /// For a filter of `len` items.
    pub(super) fn new(geometry: &Geometry, len: u64) -> Self {
        Decoder { table: Table::new(geometry), len, stash: Stash::default(), last: None, copies: 0 }
    }

    pub(super) fn entry(&mut self, entry: [u8; ENTRY_BYTES]) -> Result<(), FormatError> {
        let field = |at: usize| u32::from_le_bytes(core::array::from_fn(|i| entry[at + i]));
        let (cell, copies) = (u64::from(field(0)) | u64::from(field(4)) << 32, field(12));
        let Some(fingerprint) = Fingerprint::from_slot(field(8)) else {
            return Err(FormatError::Contents("a stash entry without a fingerprint"));
        };
        if !(1..=Stash::MOST_COPIES).contains(&copies) {
            return Err(FormatError::Contents("a stash entry with no or too many copies"));
        }
        let lowest = with_table!(&self.table, cells => {
            if cell >= cells.cells() {
                return Err(FormatError::Contents("a stash entry that lies outside the table"));
            }
            cells.candidates_from(cell, fingerprint).as_slice().iter().min() == Some(&cell)
        });
        if !lowest || self.last.is_some_and(|last| last >= (cell, fingerprint)) {
            return Err(FormatError::Contents("stash entries that are not in order"));
        }
        self.copies += u64::from(copies);
        if self.copies > self.len {
            return Err(FormatError::Contents("more stashed items than items"));
        }
        self.last = Some((cell, fingerprint));
        self.stash.restore(cell, fingerprint, copies);
        Ok(())
    }

    pub(super) fn finish(self) -> Stash {
        self.stash
    }
}
