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
use super::shape::{Entry, WAYS};
use super::side::{Side, lines_of};
use super::stash::Stashed;
use super::table::Cell;
use crate::bits::{Word, mask};
use alloc::vec::Vec;

impl GrowingFilter {
    /// Splits one line; false, and nothing has changed, if there are as many lines as there may be or no memory for more.
    pub(crate) fn split(&mut self) -> bool {
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
        self.pull(side, line, other, depth);
        self.unstash(side, line, other);
        true
    }

    /// Fills two halves of a line, as far as the table is filled, with entries of the other side that may lie in them.
    /// Without it, lines that have not split are full and searches long.
    fn pull(&mut self, side: usize, line: u64, half: u64, depth: u32) {
        let slots = self.table.shape.slots();
        let taken = |line| {
            let bytes = self.table.line(side, line);
            let taken =
                |&slot: &u64| self.table.held(bytes, slot) != 0 || !self.table.is_free(Cell::new(side, line, slot));
            (0..slots).filter(taken).count() as u64
        };
        let wanted = (2 * slots * u64::from(self.spec.parameters.full)) >> 10;
        let mut wanted = wanted.saturating_sub(taken(line) + taken(half));
        let (row, low) = self.table.sides[side].origin(line);
        // Where the lines of the other side have one bit more, there are two of each way.
        let others = core::array::from_fn::<_, WAYS, _>(|way| {
            [0, 1].map(|high| self.line_by_way(side, row, (low, depth), high, way))
        });
        others.iter().flatten().flatten().for_each(|&from| self.table.prefetch(1 - side, from));
        for i in 0..WAYS {
            // Not always the same ways first.
            let way = (i + line as usize) % WAYS;
            for &from in others[way].iter().flatten() {
                let bytes = *self.table.line(1 - side, from);
                for slot in 0..slots {
                    if self.table.held(&bytes, slot) as usize % WAYS != way {
                        continue;
                    }
                    let cell = Cell::new(1 - side, from, slot);
                    let Some(item) = self.table.item_at(cell) else { continue };
                    let Some((to, _)) = self.table.sides[side].find(row, item.addresses[side], item.known) else {
                        continue;
                    };
                    if wanted == 0 {
                        return;
                    }
                    let Some(free) = self.table.room_in_line(side, to, item.slots) else { continue };
                    wanted -= 1;
                    self.table.take(cell);
                    self.table.put(free, &item.entry(side));
                }
            }
        }
    }

    /// The line of the other side in which one way's entries of a line may lie if the next bit of their address there is
    /// `high`. Where the other line has no such bit, there is only the one of 0.
    fn line_by_way(&self, side: usize, row: u64, (low, depth): (u64, u32), high: u64, way: usize) -> Option<u64> {
        let way = self.table.shape.ways[way];
        let row = row.reflect(way.rows, self.table.shape.parameters.rows.into());
        let address = (low ^ way.address) & mask(depth) | high << depth;
        let (line, found) = self.table.sides[1 - side].find(row, address, depth + 1)?;
        (high == 0 || found > depth).then_some(line)
    }

    /// Joins the lines that were split last; false if the table has as few lines as it began with, or its stash might
    /// run full.
    pub(crate) fn join(&mut self) -> bool {
        let table = &mut self.table;
        let room = super::stash::Stash::most(table.slots()).saturating_sub(self.stash.len() as u64);
        if table.lines <= self.spec.first_lines || room <= table.shape.slots() {
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
        true
    }

    /// Empties a line.
    fn take_entries(&mut self, side: usize, line: u64) -> [Option<Entry>; 64] {
        let slots = self.table.shape.slots();
        core::array::from_fn(|slot| match (slot as u64) < slots {
            true => self.table.take(Cell::new(side, line, slot as u64)),
            false => None,
        })
    }

    fn set_lines(&mut self, side: usize, lines: u64) {
        let table = &mut self.table;
        table.lines = table.lines - table.sides[side].lines + lines;
        table.sides[side] = Side::new(lines, &table.shape);
        table.deep = table.sides.iter().any(|side| side.is_deep(&table.shape));
    }

    /// Gives back the memory that only lines needed that are no more.
    fn release_joined(&mut self, side: usize) {
        let table = &mut self.table;
        let Side { lines, depth, split, .. } = table.sides[side];
        table.storage[side].truncate(lines);
        // Of the planes between the lowest and the highest, every line has its bits; a split line may have further ones.
        let [end, split_end] = [depth, depth + 1].map(|depth| table.shape.planes_end(depth));
        for bit in depth + 1..split_end {
            let needed = if bit < end || split > 0 { lines } else { 0 };
            table.planes[side].release_outside(bit, 0, needed);
        }
    }

    /// Gives stashed entries of a line that was split the room that there is now.
    fn unstash(&mut self, side: usize, line: u64, other: u64) {
        let here = |entry: &Stashed| {
            let item = entry.item(&self.table.shape);
            let low = self.table.sides[side].find(item.rows[side], item.addresses[side], item.known);
            low.is_some_and(|(found, _)| found == line || found == other)
        };
        let some = self.stash.some(line.wrapping_mul(0x9E37_79B9_7F4A_7C15), 64);
        let found: Vec<Stashed> = some.filter(|&entry| here(entry)).copied().collect();
        found.iter().for_each(|entry| self.take_back(entry));
    }
}
