//! Items that are one too many for their candidate slots although the table has room: an exact little stash.
//!
//! In the compact layout four candidate slots may all hold the same fingerprint, by chance of five different items or
//! by copies of one. Further copies are counted here, at most [`Stash::MOST_COPIES`] for one set of slots. An entry
//! exists only while all its candidate slots hold its fingerprint (removals take the stashed copy first), so a lookup
//! never has to look here: it has found the item in the table already.

use crate::error::InsertError;
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, Layout};
use crate::table::{Candidates, Cell};
use alloc::collections::BTreeMap;

/// The copies beyond the slots, by lowest candidate cell and fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stash {
    copies: BTreeMap<(Cell, Fingerprint), u32>,
}

impl Stash {
    /// The most stashed copies for one set of candidate slots: with four slots, eight copies of an item in all.
    pub(crate) const MOST_COPIES: u32 = 4;

    /// The most entries for a table of this many slots: far more than chance makes, far less than would cost memory.
    pub(crate) const fn most_entries(slots: u64) -> u64 {
        64 + slots / 1024
    }

    fn entry(candidates: &Candidates, fingerprint: Fingerprint) -> (Cell, Fingerprint) {
        let lowest = candidates.as_slice().iter().min().expect("an item has candidates");
        (*lowest, fingerprint)
    }

    /// Takes in a copy of an item whose candidate slots all hold its fingerprint already, or refuses it.
    pub(crate) fn take_in(
        &mut self,
        geometry: &Geometry,
        candidates: &Candidates,
        fingerprint: Fingerprint,
    ) -> Result<(), InsertError> {
        if geometry.layout == Layout::Compact && self.add(candidates, fingerprint, geometry.slots()) {
            return Ok(());
        }
        let copies = geometry.candidate_slots() + self.count(candidates, fingerprint);
        Err(InsertError::TooManyCopies { copies })
    }

    /// Adds a copy; false if the stash takes no more of this item, or no further item.
    fn add(&mut self, candidates: &Candidates, fingerprint: Fingerprint, slots: u64) -> bool {
        let (full, entry) =
            (self.copies.len() as u64 >= Self::most_entries(slots), Self::entry(candidates, fingerprint));
        match self.copies.get_mut(&entry) {
            Some(copies) if *copies < Self::MOST_COPIES => *copies += 1,
            None if !full => _ = self.copies.insert(entry, 1),
            _ => return false,
        }
        true
    }

    /// Copies of an item here.
    pub(crate) fn count(&self, candidates: &Candidates, fingerprint: Fingerprint) -> u32 {
        if self.copies.is_empty() {
            return 0;
        }
        self.copies.get(&Self::entry(candidates, fingerprint)).copied().unwrap_or(0)
    }

    /// Takes one copy out; false if there is none.
    pub(crate) fn remove(&mut self, candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        if self.copies.is_empty() {
            return false;
        }
        let entry = Self::entry(candidates, fingerprint);
        match self.copies.get_mut(&entry) {
            None => return false,
            Some(1) => _ = self.copies.remove(&entry),
            Some(copies) => *copies -= 1,
        }
        true
    }

    pub(crate) fn clear(&mut self) {
        self.copies.clear();
    }

    /// Entries in ascending order: cell, fingerprint, copies.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Cell, Fingerprint, u32)> + '_ {
        self.copies.iter().map(|(&(cell, fingerprint), &copies)| (cell, fingerprint, copies))
    }

    /// Distinct entries.
    pub(crate) fn len(&self) -> usize {
        self.copies.len()
    }

    /// All stashed copies.
    pub(crate) fn items(&self) -> u64 {
        self.copies.values().map(|&copies| u64::from(copies)).sum()
    }

    /// Adds an entry read from a file; the caller has checked it.
    pub(crate) fn restore(&mut self, cell: Cell, fingerprint: Fingerprint, copies: u32) {
        self.copies.insert((cell, fingerprint), copies);
    }
}
