//! Which cells a search has queued already.

use crate::table::Cell;
use alloc::vec;
use alloc::vec::Vec;

/// A set of cells that is emptied in constant time: entries carry the number of the search that made them.
#[derive(Default)]
pub(crate) struct Visited {
    /// `round << 45 | cell + 1`... see [`Visited::insert`]. The length is a power of two.
    entries: Vec<u64>,
    round: u64,
}

/// Cells are below 2^51 (`Geometry::MAX_BUCKETS` lines of up to 128 slots).
const CELL_BITS: u32 = 51;

impl Visited {
    /// Empties the set and makes room for `most` cells.
    pub(crate) fn start(&mut self, most: usize) {
        self.round += 1;
        let wanted = (2 * most).next_power_of_two();
        if self.entries.len() < wanted || self.round >> (64 - CELL_BITS) != 0 {
            self.entries = vec![0; wanted];
            self.round = 1;
        }
    }

    /// Adds a cell; false if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, cell: Cell) -> bool {
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
        true
    }
}
