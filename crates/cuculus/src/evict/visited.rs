//! Which cells a search has queued already.

use crate::table::Cell;
use alloc::vec;
use alloc::vec::Vec;

/// A set of cells that is emptied in constant time: entries carry the number of the search that made them.
#[derive(Default)]
pub(crate) struct Visited {
    /// Entries `round << CELL_BITS | cell`, by linear probing. The length is a power of two.
    entries: Vec<u64>,
    round: u64,
    len: usize,
}

/// Cells are below 2^51 (`Geometry::MAX_BUCKETS` lines of up to 128 slots).
const CELL_BITS: u32 = 51;

/// Enough for nearly every search, and 4 KiB: it stays in the first cache.
const SMALL: usize = 512;

impl Visited {
    /// Gives back what a long search took.
    pub(crate) fn shrink(&mut self) {
        if self.entries.len() > SMALL {
            *self = Visited::default();
        }
    }

    /// Empties the set.
    pub(crate) fn start(&mut self) {
        self.round += 1;
        self.len = 0;
        if self.entries.len() != SMALL || self.round >> (64 - CELL_BITS) != 0 {
            self.entries = vec![0; SMALL];
            self.round = 1;
        }
    }

    /// Adds a cell; false if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, cell: Cell) -> bool {
        if 2 * self.len >= self.entries.len() {
            self.grow();
        }
        let entry = self.round << CELL_BITS | cell;
        let last = self.entries.len() - 1;
        let mut at = (cell.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & last;
        // At most half full: a free entry comes soon.
        while self.entries[at] >> CELL_BITS == self.round {
            if self.entries[at] == entry {
                return false;
            }
            at = (at + 1) & last;
        }
        self.entries[at] = entry;
        self.len += 1;
        true
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![0; 4 * self.entries.len()];
        let old = core::mem::replace(&mut self.entries, larger);
        self.len = 0;
        for entry in old {
            if entry >> CELL_BITS == self.round {
                self.insert(entry & ((1 << CELL_BITS) - 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn agrees_with_a_set_over_many_rounds() {
        let mut rng = crate::rng::Rng::new(2);
        let mut visited = Visited::default();
        for round in 0..20_000u32 {
            visited.start();
            let mut model = BTreeSet::new();
            let inserts = if round % 1_000 == 0 { 5_000 } else { 5 };
            for _ in 0..inserts {
                let cell = u64::from(rng.below(3_000)) << (round % 40);
                assert_eq!(visited.insert(cell), model.insert(cell));
            }
        }
    }
}
