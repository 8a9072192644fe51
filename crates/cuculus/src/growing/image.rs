//! A table as one string of bytes, which is what files hold: the lines of both sides, then the planes of both.

use super::shape::Shape;
use super::side::{Side, lines_of};
use super::table::{Cell, Table};
use crate::bits::mask;
use alloc::vec::Vec;

/// Records that follow each other: lines, or what a plane has of lines.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    side: usize,
    plane: Option<u32>,
    from: u64,
    to: u64,
}

/// All segments of a table of a size, in order.
fn segments(shape: &Shape, lines: u64) -> Vec<Segment> {
    let sides = lines_of(lines, shape).map(|lines| Side::new(lines, shape));
    let lines = (0..2).map(|side| Segment { side, plane: None, from: 0, to: sides[side].lines });
    let planes = (0..2).flat_map(|number| {
        let side = sides[number];
        let (depth, whole) = (side.depth, side.lines - side.split);
        // Lines that have split, those that have not, the other halves of the former; without empty runs.
        let runs = [(0, side.split, depth + 1), (side.split, whole, depth), (whole, side.lines, depth + 1)];
        let end = shape.planes_end(depth).max(shape.planes_end(depth + 1));
        (depth..end).flat_map(move |bit| {
            let has = move |depth: u32| (depth..shape.planes_end(depth)).contains(&bit);
            let runs = runs.into_iter().filter(move |&(from, to, depth)| from < to && has(depth));
            runs.map(move |(from, to, _)| Segment { side: number, plane: Some(bit), from, to })
        })
    });
    lines.chain(planes).collect()
}

/// Bytes of a table of a size.
pub(crate) fn table_bytes(shape: &Shape, lines: u64) -> u64 {
    let stride = shape.slots().div_ceil(8);
    segments(shape, lines).iter().map(|s| (s.to - s.from) * if s.plane.is_none() { 64 } else { stride }).sum()
}

/// The most bytes that are handed on at a time.
const PIECE: usize = 1 << 16;

impl Table {
    /// Hands on all bytes of the table, piece by piece.
    pub(crate) fn pieces(&self, mut piece: impl FnMut(&[u8])) {
        for Segment { side, plane, mut from, to } in segments(&self.shape, self.lines) {
            while from < to {
                let (bytes, next) = self.run(side, plane, from, to);
                piece(bytes);
                from = next;
            }
        }
    }

    fn run(&self, side: usize, plane: Option<u32>, from: u64, to: u64) -> (&[u8], u64) {
        match plane {
            None => self.storage[side].run(from, to, PIECE),
            Some(bit) => self.planes[side].plane(bit).run(from, to, PIECE),
        }
    }

    /// Whether two tables of one shape and size hold the same.
    pub(crate) fn same_bytes(&self, other: &Table) -> bool {
        let mut all = segments(&self.shape, self.lines).into_iter();
        all.all(|Segment { side, plane, mut from, to }| {
            while from < to {
                // Blocks may lie in pieces in the one and not in the other.
                let (a, next) = self.run(side, plane, from, to);
                let (b, other_next) = other.run(side, plane, from, to);
                let both = a.len().min(b.len());
                if a[..both] != b[..both] {
                    return false;
                }
                from = next.min(other_next);
            }
            true
        })
    }

    /// What `occupied` and `weight` have to be, counted; fails where bytes are not what this crate writes.
    pub(crate) fn counted(&self) -> Result<([u64; 2], u128), &'static str> {
        let (mut occupied, mut weight) = ([0; 2], 0);
        let shape = &self.shape;
        let used = shape.line.bit(shape.slots()) as u32;
        for side in 0..2 {
            for line in 0..self.sides[side].lines {
                let depth = self.sides[side].depth_of(line);
                let bytes = self.line(side, line);
                let rest = (used..512).any(|bit| bytes[bit as usize / 8] >> (bit % 8) & 1 != 0);
                let planes = depth..shape.planes_end(depth);
                let past = planes.clone().any(|bit| self.planes[side].rest(bit, line) != 0);
                if rest || past {
                    return Err("the padding after the last slot is not zero");
                }
                let mut empty = 0;
                for slot in 0..shape.slots() {
                    let cell = Cell::new(side, line, slot);
                    match self.entry(cell) {
                        Some(entry) => {
                            if entry.known < shape.parameters.planned {
                                return Err("an entry that knows less of its address than every entry does");
                            }
                            let item = self.item_from(cell, &entry);
                            if item.slots[0] == item.slots[1] {
                                return Err("an entry lies in the slot that it leaves out");
                            }
                            occupied[item.class] += 1;
                            weight += self.weight_of(item.class, depth, entry.known - depth);
                        }
                        None if self.slot(cell) != 0 => return Err("a slot without a mark that is not empty"),
                        None => empty |= 1 << slot,
                    }
                }
                if planes.into_iter().any(|bit| self.planes[side].word(bit, line) & empty != 0) {
                    return Err("an empty slot has bits in a plane");
                }
            }
        }
        Ok((occupied, weight))
    }
}

/// A table whose bytes arrive one after the other. Memory is taken as they do.
pub(crate) struct Arriving {
    table: Table,
    segments: Vec<Segment>,
    number: usize,
    next: u64,
}

impl Arriving {
    pub(crate) fn new(shape: Shape, lines: u64) -> Self {
        let segments = segments(&shape, lines);
        Arriving { table: Table::hollow(shape, lines), segments, number: 0, next: 0 }
    }

    /// Where the next bytes belong; `None` when all are there, an error where the system has not got the memory.
    pub(crate) fn room(&mut self) -> Result<Option<&mut [u8]>, ()> {
        let Some(&Segment { side, plane, from, to }) = self.segments.get(self.number) else { return Ok(None) };
        let from = self.next.max(from);
        let table = &mut self.table;
        let there = match plane {
            None => table.storage[side].ensure(from),
            Some(bit) => table.planes[side].ensure(bit..bit + 1, from),
        };
        if !there {
            return Err(());
        }
        let (bytes, next) = match plane {
            None => table.storage[side].run_mut(from, to, PIECE),
            Some(bit) => table.planes[side].plane_mut(bit).run_mut(from, to, PIECE),
        };
        self.next = next;
        if next == to {
            (self.number, self.next) = (self.number + 1, 0);
        }
        Ok(Some(bytes))
    }

    /// The table, counted.
    pub(crate) fn finish(mut self) -> Result<Table, &'static str> {
        (self.table.occupied, self.table.weight) = self.table.counted()?;
        Ok(self.table)
    }
}

impl Shape {
    /// Whether an entry of the stash can be one of this shape: its slot, core and address are in their ranges.
    pub(crate) fn allows(&self, entry: &super::stash::Stashed) -> bool {
        let slot = u64::from(entry.slot);
        if slot >= self.slots() || u32::from(entry.row) >= self.parameters.rows {
            return false;
        }
        let (core, known) = (u64::from(entry.core), u32::from(entry.known));
        let first = u64::from(!self.open());
        let most = if self.open() { 63 } else { self.parameters.planned };
        (first..self.cores(self.class_of(slot)) + first).contains(&core)
            && (self.parameters.planned..=most).contains(&known)
            && entry.address & !mask(known) == 0
            && entry.item(self).slots[1] > slot
    }
}
