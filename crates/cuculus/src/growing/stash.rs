//! Entries that found no room although the table has some: an exact little map, part of the filter.
//!
//! Five entries with equal core, lines and slots never fit, at any load. Each entry here belongs to one line, whose flag
//! is set as long as it has any: lookups come here from flagged lines only.

use super::shape::{Entry, Item};
use super::table::{Cell, Table};
use crate::bits::mask;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Where an entry belongs, and the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stashed {
    /// The lower of its two slots in its line.
    pub(super) cell: Cell,
    pub(super) core: u64,
    pub(super) address: u64,
    pub(super) known: u32,
}

impl Stashed {
    /// An item as an entry of a line, which has to know as many address bits as the item shows there.
    pub(super) fn new(side: usize, line: u64, item: &Item, known: u32) -> Self {
        let slot = item.slots[0].min(item.slots[1]);
        let address = item.addresses[side] & mask(known);
        Stashed { cell: Cell::new(side, line, slot), core: item.core, address, known }
    }

    fn entry(&self) -> Entry {
        Entry { core: self.core, address: self.address, known: self.known }
    }

    /// The item again.
    pub(super) fn item(&self, table: &Table) -> Item {
        table.item_from(self.cell, &self.entry())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stash {
    copies: BTreeMap<Stashed, u32>,
    items: u64,
}

impl Stash {
    /// The most stashed entries that cannot be told apart: with four slots, eight copies of an item in all.
    pub(super) const MOST_COPIES: u32 = 4;

    /// The most entries for a table of this many slots: far more than chance makes, far less than would cost memory.
    pub(super) const fn most(slots: u64) -> u64 {
        64 + slots / 1024
    }

    /// Adds an entry; its line has to be flagged.
    pub(super) fn add(&mut self, entry: Stashed, copies: u32) {
        *self.copies.entry(entry).or_insert(0) += copies;
        self.items += u64::from(copies);
    }

    /// Takes one copy of an entry out.
    pub(super) fn remove(&mut self, entry: &Stashed) {
        match self.copies.get_mut(entry) {
            None => return,
            Some(1) => _ = self.copies.remove(entry),
            Some(copies) => *copies -= 1,
        }
        self.items -= 1;
    }

    /// The entries of a line, with their copies.
    pub(super) fn of_line(&self, side: usize, line: u64) -> impl Iterator<Item = (&Stashed, u32)> {
        let at = |slot| Stashed { cell: Cell::new(side, line, slot), core: 0, address: 0, known: 0 };
        let end = Stashed { core: u64::MAX, address: u64::MAX, known: u32::MAX, ..at(63) };
        self.copies.range(at(0)..=end).map(|(entry, &copies)| (entry, copies))
    }

    /// The entries of a line that a lookup of `item` finds.
    pub(super) fn matching(&self, side: usize, line: u64, item: &Item) -> impl Iterator<Item = (&Stashed, u32)> {
        let (slot, core, address) = (item.slots[0].min(item.slots[1]), item.core, item.addresses[side]);
        self.of_line(side, line).filter(move |(entry, _)| {
            entry.cell.slot() == slot && entry.core == core && (entry.address ^ address) & mask(entry.known) == 0
        })
    }

    /// Takes all entries of a line out.
    pub(super) fn take_line(&mut self, side: usize, line: u64) -> Vec<(Stashed, u32)> {
        let taken: Vec<_> = self.of_line(side, line).map(|(entry, copies)| (*entry, copies)).collect();
        for (entry, copies) in &taken {
            self.copies.remove(entry);
            self.items -= u64::from(*copies);
        }
        taken
    }

    /// All entries in ascending order, with their copies.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Stashed, u32)> {
        self.copies.iter().map(|(entry, &copies)| (entry, copies))
    }

    /// Distinct entries.
    pub(super) fn len(&self) -> usize {
        self.copies.len()
    }

    /// All copies.
    pub(super) fn items(&self) -> u64 {
        self.items
    }

    /// Bytes, roughly: an entry with its share of the map's nodes.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.copies.len() as u64 * 64
    }
}
