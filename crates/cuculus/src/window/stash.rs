//! Items whose slots are taken by others that cannot move: an exact little map beside the table.
//!
//! With four candidate slots, five items of different fingerprints share them now and then (of 8-bit fingerprints five times
//! in a million turnovers of the window), and a stream without end meets even what is rare. Nearly always this is empty.
#![forbid(unsafe_code)]

use crate::fingerprint::Fingerprint;
use crate::table::{Candidates, Cell};
use alloc::collections::BTreeMap;

/// Stamps by lowest candidate cell and fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stash {
    stamps: BTreeMap<(Cell, u32), u32>,
}

impl Stash {
    /// The most entries. That many at once do not come by chance.
    pub(crate) const MOST: usize = 64;

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.stamps.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.stamps.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() >= Self::MOST
    }

    fn entry(candidates: &Candidates, fingerprint: Fingerprint) -> (Cell, u32) {
        let lowest = candidates.as_slice().iter().min().expect("an item has candidates");
        (*lowest, fingerprint.get())
    }

    /// The stamp of an item.
    pub(crate) fn get(&self, candidates: &Candidates, fingerprint: Fingerprint) -> Option<u32> {
        self.stamps.get(&Self::entry(candidates, fingerprint)).copied()
    }

    pub(crate) fn set(&mut self, candidates: &Candidates, fingerprint: Fingerprint, stamp: u32) {
        self.stamps.insert(Self::entry(candidates, fingerprint), stamp);
    }

    /// Drops what has a dead stamp.
    pub(crate) fn keep(&mut self, alive: u64) {
        self.stamps.retain(|_, &mut stamp| alive >> stamp & 1 != 0);
    }

    pub(crate) fn clear(&mut self) {
        self.stamps.clear();
    }

    /// Entries in ascending order: cell, fingerprint, stamp.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Cell, u32, u32)> + '_ {
        self.stamps.iter().map(|(&(cell, fingerprint), &stamp)| (cell, fingerprint, stamp))
    }

    /// Adds an entry read from a file; the caller has checked it.
    pub(crate) fn restore(&mut self, cell: Cell, fingerprint: u32, stamp: u32) {
        self.stamps.insert((cell, fingerprint), stamp);
    }
}
