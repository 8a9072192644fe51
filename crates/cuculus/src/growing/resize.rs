//! One line more or one line less: the steps by which a table grows and shrinks.
//!
//! ```text
//!  line x of 2^d + s lines       ->  line x         address bit d is 0     the same slots
//!  | a . b c . d e . f g |           | a . . c . . e . . . |
//!                                    line x + 2^d   address bit d is 1
//!                                    | . . b . . d . . f g |
//! ```
//! An entry's slots follow from its core alone, so splitting moves entries to the same slots of an empty line: it cannot
//! fail, and joining two lines is its reverse, but for entries that meet in a slot.

use super::filter::GrowingFilter;
use super::shape::Entry;
use super::side::{Side, lines_of};
use super::stash::Stashed;
use super::table::Cell;
use alloc::vec::Vec;

impl GrowingFilter {
    /// Splits one line; false, and nothing has changed, if there are as many lines as there may be or no memory for more.
    pub(super) fn split(&mut self) -> bool {
        let table = &mut self.table;
        if table.lines >= 2 * table.shape.most_lines() {
            return false;
        }
        let [first, second] = lines_of(table.lines + 1, &table.shape);
        let side = usize::from(first == table.sides[0].lines);
        let old = table.sides[side];
        let (line, depth) = (old.split, old.depth);
        let other = line + table.shape.lines(depth);
        if !(table.ensure(side, other, depth + 1) && table.ensure(side, line, depth + 1)) {
            return false;
        }
        let stashed = self.unstash(side, line);
        let entries = self.take_entries(side, line);
        self.set_lines(side, [first, second][side]);
        for (slot, entry) in entries.into_iter().enumerate() {
            let Some(entry) = entry else { continue };
            for half in [line, other] {
                // An entry that has run out of address bits may belong to either line: it stays in both.
                let bit = u64::from(half == other);
                let entry = match entry.known == depth {
                    true => Entry { address: entry.address | bit << depth, known: depth + 1, ..entry },
                    false => entry,
                };
                if entry.address >> depth & 1 == bit {
                    self.table.put(Cell::new(side, half, slot as u64), &entry);
                }
            }
        }
        self.table.planes[side].release_outside(depth, line + 1, self.table.shape.lines(depth));
        self.restash(stashed);
        true
    }

    /// Joins the lines that were split last; false if the table has as few lines as it began with, or its stash might
    /// run full.
    pub(super) fn join(&mut self) -> bool {
        let table = &mut self.table;
        let room = super::stash::Stash::most(table.slots()).saturating_sub(self.stash.len() as u64);
        if table.lines <= self.spec.first_lines || room <= table.shape.slots {
            return false;
        }
        let [first, second] = lines_of(table.lines - 1, &table.shape);
        let side = usize::from(first == table.sides[0].lines);
        let now = Side::new([first, second][side], &table.shape);
        let (line, depth) = (now.split, now.depth);
        let other = line + table.shape.lines(depth);
        if !table.ensure(side, line, depth) {
            return false;
        }
        let mut stashed = self.unstash(side, line);
        stashed.extend(self.unstash(side, other));
        let (stay, come) = (self.take_entries(side, line), self.take_entries(side, other));
        self.set_lines(side, now.lines);
        for (slot, entry) in stay.iter().enumerate() {
            if let Some(entry) = entry {
                self.table.put(Cell::new(side, line, slot as u64), entry);
            }
        }
        // Those that find their slot free stay in it; the others look for room when all of these lie.
        let mut homeless = come;
        for (slot, entry) in homeless.iter_mut().enumerate() {
            let cell = Cell::new(side, line, slot as u64);
            if entry.is_some() && self.table.is_free(cell) {
                entry.take().iter().for_each(|entry| self.table.put(cell, entry));
            }
        }
        self.release_joined(side);
        for (slot, entry) in homeless.iter().enumerate() {
            if let Some(entry) = entry {
                let item = self.table.item_from(Cell::new(side, line, slot as u64), entry);
                self.place_again(&item);
            }
        }
        self.restash(stashed);
        true
    }

    /// Empties a line.
    fn take_entries(&mut self, side: usize, line: u64) -> [Option<Entry>; 64] {
        let slots = self.table.shape.slots;
        core::array::from_fn(|slot| match (slot as u64) < slots {
            true => self.table.take(Cell::new(side, line, slot as u64)),
            false => None,
        })
    }

    fn set_lines(&mut self, side: usize, lines: u64) {
        let table = &mut self.table;
        table.lines = table.lines - table.sides[side].lines + lines;
        table.sides[side] = Side::new(lines, &table.shape);
        table.deep = table.sides.iter().any(|side| table.shape.is_deep(side.depth + 1));
    }

    /// Gives back the memory that only lines needed that are no more.
    fn release_joined(&mut self, side: usize) {
        let table = &mut self.table;
        let Side { lines, depth, split, .. } = table.sides[side];
        table.chunks[side].release_outside(0, lines);
        // Of the planes between the lowest and the highest, every line has its bits; a split line may have further ones.
        let [end, split_end] = [depth, depth + 1].map(|depth| table.shape.planes_end(depth));
        for bit in depth + 1..split_end {
            let needed = if bit < end || split > 0 { lines } else { 0 };
            table.planes[side].release_outside(bit, 0, needed);
        }
    }

    /// Takes a line's entries out of the stash.
    fn unstash(&mut self, side: usize, line: u64) -> Vec<(Stashed, u32)> {
        if !self.table.flagged(side, line) {
            return Vec::new();
        }
        self.table.set_flag(side, line, false);
        self.stash.take_line(side, line)
    }

    /// Finds new places for entries that were stashed.
    fn restash(&mut self, stashed: Vec<(Stashed, u32)>) {
        for (entry, copies) in stashed {
            let item = entry.item(&self.table);
            (0..copies).for_each(|_| self.place_again(&item));
        }
    }
}
