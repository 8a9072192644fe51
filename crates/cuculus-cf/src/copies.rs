//! Copies of an item beyond those that its slots hold, counted exactly. Nearly always empty.

use crate::bytes::{Reader, Writer};
use crate::error::LoadError;
use std::collections::BTreeMap;

/// Copies by hash, in order: equal contents are equal bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Copies {
    by_hash: BTreeMap<u64, u32>,
    total: u64,
}

/// Bytes of an entry when written.
const ENTRY_BYTES: usize = 12;

impl Copies {
    #[inline]
    pub(crate) fn count(&self, hash: u64) -> u32 {
        if self.total == 0 { 0 } else { self.by_hash.get(&hash).copied().unwrap_or(0) }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn add(&mut self, hash: u64, copies: u32) {
        *self.by_hash.entry(hash).or_default() += copies;
        self.total += u64::from(copies);
    }

    pub(crate) fn remove(&mut self, hash: u64) -> bool {
        let Some(copies) = self.by_hash.get_mut(&hash) else { return false };
        *copies -= 1;
        if *copies == 0 {
            self.by_hash.remove(&hash);
        }
        self.total -= 1;
        true
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.by_hash.iter().map(|(&hash, &copies)| (hash, copies))
    }

    /// About what the map takes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.by_hash.len() as u64 * 24
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        out.u64(self.by_hash.len() as u64);
        for (hash, copies) in self.iter() {
            out.u64(hash);
            out.u32(copies);
        }
    }

    pub(crate) fn read(input: &mut Reader) -> Result<Self, LoadError> {
        let entries = input.len()?;
        let bytes = input.take(entries.checked_mul(ENTRY_BYTES).ok_or(LoadError::Truncated)?)?;
        let (mut copies, mut last) = (Copies::default(), None);
        for entry in bytes.chunks_exact(ENTRY_BYTES) {
            let mut entry = Reader(entry);
            let (hash, count) = (entry.u64()?, entry.u32()?);
            if count == 0 || last.is_some_and(|last| hash <= last) {
                return Err(LoadError::Parameter("list of copies"));
            }
            copies.add(hash, count);
            last = Some(hash);
        }
        Ok(copies)
    }
}
