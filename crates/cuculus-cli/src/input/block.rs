//! A stretch of input: text, the records in it, and the hash of each record's key.

use super::reader::Hasher;
use std::ops::Range;

/// Bytes that a block starts with; a longer record makes it grow.
pub(super) const BLOCK: usize = 256 << 10;

/// Whole records and their keys.
#[derive(Default)]
pub(crate) struct Block {
    /// Input text; what is filled ends somewhere after the last whole record.
    pub(super) text: Vec<u8>,
    /// Keys that are not in the text as they are: fields without their quotes.
    pub(super) unquoted: Vec<u8>,
    pub(super) records: Vec<Record>,
    pub(super) hashes: Vec<u64>,
    /// What the workers' lookups answered.
    pub(super) found: Vec<bool>,
    /// The input's name.
    pub(super) name: String,
    /// The number of the first record in its input, from 1.
    pub(super) first: u64,
}

/// One record.
pub(super) struct Record {
    /// Its place in the text, with its terminator.
    pub(super) text: Range<usize>,
    /// The key: its place in the text, or in `unquoted`.
    pub(super) key: Range<usize>,
    pub(super) is_unquoted: bool,
}

impl Block {
    /// The hashes of the keys, in order.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Takes the answers of the workers' lookups, in order.
    pub(crate) fn take_found(&mut self) -> Vec<bool> {
        std::mem::take(&mut self.found)
    }

    /// Hashes all keys.
    pub(super) fn hash(&mut self, hasher: &Hasher) {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.extend((0..self.records.len()).map(|index| hasher.0.hash(self.key(index))));
        self.hashes = hashes;
    }

    /// A key.
    pub(crate) fn key(&self, index: usize) -> &[u8] {
        let record = &self.records[index];
        let bytes = if record.is_unquoted { &self.unquoted } else { &self.text };
        &bytes[record.key.clone()]
    }

    /// A whole record as it came, with its terminator.
    pub(crate) fn record(&self, index: usize) -> &[u8] {
        &self.text[self.records[index].text.clone()]
    }

    /// Where a record stands, for messages.
    pub(crate) fn place(&self, index: usize) -> String {
        format!("record {} of {}", self.first + index as u64, self.name)
    }

    /// Forgets the records, keeps the memory (but not that of a record beyond all measure).
    pub(super) fn clear(&mut self) {
        if self.text.len() > 16 * BLOCK {
            self.text = Vec::new();
        }
        self.unquoted.clear();
        self.records.clear();
        self.hashes.clear();
        self.found.clear();
    }
}
