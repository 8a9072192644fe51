//! Entries that found no room although the table has some: an exact little map, part of the filter.
//!
//! Five entries with equal core, lines and slots never fit, at any load. What names an entry here stays the same while
//! lines split and join. Lookups come here only where a mark says that something like their item may be here.

use super::shape::{Entry, Home, Item, Shape};
use crate::bits::{Word, mask};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

/// An entry as it would lie on the first side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stashed {
    /// The lower of its two slots.
    pub(crate) slot: u8,
    pub(crate) core: u32,
    pub(crate) row: u8,
    pub(crate) address: u64,
    pub(crate) known: u8,
}

impl Stashed {
    pub(crate) fn new(item: &Item, known: u32) -> Self {
        Stashed {
            slot: item.slots[0].min(item.slots[1]) as u8,
            core: item.core as u32,
            row: item.rows[0] as u8,
            address: item.addresses[0] & mask(known),
            known: known as u8,
        }
    }

    /// The item again.
    pub(crate) fn item(&self, shape: &Shape) -> Item {
        let entry = Entry { core: self.core.into(), address: self.address, known: self.known.into() };
        shape.item_from(0, self.row.into(), self.slot.into(), &entry)
    }

    fn is_found_by(&self, item: &Item) -> bool {
        (self.address ^ item.addresses[0]) & mask(self.known.into()) == 0
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Stash {
    copies: BTreeMap<Stashed, u32>,
    items: u64,
    /// Bits, one or more for each entry: no part of the state. A power of two of words.
    marks: Vec<u64>,
    /// Marks set since they were made.
    marked: usize,
    /// The address bits that every entry knows.
    low: u64,
}

impl Stash {
    /// The most stashed entries that cannot be told apart: with four slots, eight copies of an item in all.
    pub(crate) const MOST_COPIES: u32 = 4;

    /// The most entries for a table of this many slots: far more than chance makes, far less than would cost memory.
    pub(crate) const fn most(slots: u64) -> u64 {
        64 + slots / 1024
    }

    pub(crate) fn new(shape: &Shape) -> Self {
        let low = mask(shape.parameters.planned);
        Stash { copies: BTreeMap::new(), items: 0, marks: vec![0], marked: 0, low }
    }

    /// The number of the mark of what an item and the entries that it may find have in common.
    #[inline(always)]
    fn mark<W: Word>(&self, slot: W, core: W, row: W, address: W) -> W {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let common = (address & W::splat(self.low)) ^ core.rotate_left(9) ^ slot.rotate_left(17) ^ row.rotate_left(23);
        common.times(ODD).shr(40)
    }

    #[inline(always)]
    fn is_marked(&self, mark: u64) -> bool {
        self.marks[(mark >> 6) as usize & (self.marks.len() - 1)] >> (mark & 63) & 1 != 0
    }

    /// Whether entries may be here that a lookup of the item finds: not 0 where so.
    #[inline(always)]
    pub(crate) fn may_find<W: Word>(&self, home: &Home<W>) -> W {
        if self.copies.is_empty() {
            return W::splat(0);
        }
        let mark = self.mark(home.slots[0].lesser(home.slots[1]), home.core, home.rows[0], home.addresses[0]);
        mark.map(|mark| u64::from(self.is_marked(mark)))
    }

    /// Whether entries may be here that a lookup of the item finds.
    #[inline(always)]
    pub(crate) fn may_hold(&self, item: &Item) -> bool {
        let slot = item.slots[0].min(item.slots[1]);
        !self.copies.is_empty() && self.is_marked(self.mark(slot, item.core, item.rows[0], item.addresses[0]))
    }

    fn set_mark(&mut self, entry: &Stashed) {
        let mark: u64 = self.mark(entry.slot.into(), entry.core.into(), entry.row.into(), entry.address);
        let last = self.marks.len() - 1;
        self.marks[(mark >> 6) as usize & last] |= 1 << (mark & 63);
        self.marked += 1;
    }

    /// Makes the marks anew, 64 bits for each entry: when they have become too many.
    fn remark(&mut self) {
        self.marks = vec![0; self.copies.len().next_power_of_two()];
        self.marked = 0;
        let entries: Vec<Stashed> = self.copies.keys().copied().collect();
        entries.iter().for_each(|entry| self.set_mark(entry));
    }

    /// Adds copies of an entry.
    pub(crate) fn add(&mut self, entry: Stashed, copies: u32) {
        let entries = self.copies.len();
        *self.copies.entry(entry).or_insert(0) += copies;
        self.items += u64::from(copies);
        if self.copies.len() > entries {
            match self.marked < self.marks.len() {
                true => self.set_mark(&entry),
                false => self.remark(),
            }
        }
    }

    /// Takes one copy of an entry out.
    pub(crate) fn remove(&mut self, entry: &Stashed) {
        match self.copies.get_mut(entry) {
            None => return,
            Some(1) => _ = self.copies.remove(entry),
            Some(copies) => *copies -= 1,
        }
        self.items -= 1;
        if self.copies.is_empty() {
            self.remark();
        }
    }

    /// The entries that a lookup of `item` finds, with their copies.
    pub(crate) fn matching(&self, item: &Item) -> impl Iterator<Item = (&Stashed, u32)> {
        let first = Stashed { address: 0, known: 0, ..Stashed::new(item, 0) };
        let last = Stashed { address: u64::MAX, known: u8::MAX, ..first };
        let found = self.copies.range(first..=last).filter(move |(entry, _)| entry.is_found_by(item));
        found.map(|(entry, &copies)| (entry, copies))
    }

    /// Up to `most` entries, going round from one that depends on `seed`.
    pub(crate) fn some(&self, seed: u64, most: usize) -> impl Iterator<Item = &Stashed> {
        let from = Stashed { slot: seed as u8 & 63, core: (seed >> 8) as u32, row: 0, address: 0, known: 0 };
        let after = self.copies.range((Bound::Included(from), Bound::Unbounded));
        after.chain(self.copies.range(..from)).take(most).map(|(entry, _)| entry)
    }

    /// All entries in ascending order, with their copies.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Stashed, u32)> {
        self.copies.iter().map(|(entry, &copies)| (entry, copies))
    }

    /// Distinct entries.
    pub(crate) fn len(&self) -> usize {
        self.copies.len()
    }

    /// All copies.
    pub(crate) fn items(&self) -> u64 {
        self.items
    }

    /// Bytes, roughly: an entry with its share of the map's nodes, and its mark.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.copies.len() * 48 + self.marks.len() * 8) as u64
    }
}

impl PartialEq for Stash {
    fn eq(&self, other: &Stash) -> bool {
        self.copies == other.copies
    }
}
