//! The lines of both sides with their planes, and what lies in them: entries are read, put and taken here alone.

use super::lines::Lines;
use super::planes::Planes;
use super::shape::{Entry, Item, Shape};
use super::side::{Side, lines_of};
use crate::bits::{Bytes, BytesMut, mask};
use crate::table::word_of;

/// A slot: `(line << 1 | side) << 6 | slot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell(pub(crate) u64);

impl Cell {
    #[inline(always)]
    pub(crate) fn new(side: usize, line: u64, slot: u64) -> Self {
        Cell((line << 1 | side as u64) << 6 | slot)
    }

    #[inline(always)]
    pub(crate) fn side(self) -> usize {
        (self.0 >> 6 & 1) as usize
    }

    #[inline(always)]
    pub(crate) fn line(self) -> u64 {
        self.0 >> 7
    }

    #[inline(always)]
    pub(crate) fn slot(self) -> u64 {
        self.0 & 63
    }
}

/// Up to four cells.
#[derive(Clone, Copy)]
pub(crate) struct Cells {
    cells: [Cell; 4],
    len: usize,
}

impl Cells {
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Cell] {
        &self.cells[..self.len]
    }
}

#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) shape: Shape,
    /// Lines of both sides.
    pub(crate) lines: u64,
    pub(crate) sides: [Side; 2],
    pub(crate) storage: [Lines; 2],
    pub(crate) planes: [Planes; 2],
    /// Occupied slots of each class.
    pub(crate) occupied: [u64; 2],
    /// Open end: what all entries add to the false-positive rate, in units of [`WEIGHT`].
    pub(crate) weight: u128,
    /// Whether some lines have bits in planes that lookups have to read.
    pub(crate) deep: bool,
}

/// The weight of an entry that every absent key of its slots' pair finds, but for a factor near one that its class has.
pub(crate) const WEIGHT: u32 = 116;

impl Table {
    /// An empty table of `lines` lines; `None` where the system has not got the memory.
    pub(crate) fn new(shape: Shape, lines: u64) -> Option<Self> {
        let mut table = Self::hollow(shape, lines);
        for side in 0..2 {
            for line in 0..table.sides[side].lines {
                if !table.ensure(side, line, table.sides[side].depth_of(line)) {
                    return None;
                }
            }
        }
        Some(table)
    }

    /// A table without the memory of its lines.
    pub(crate) fn hollow(shape: Shape, lines: u64) -> Self {
        let sides = lines_of(lines, &shape).map(|lines| Side::new(lines, &shape));
        Table {
            shape,
            lines,
            sides,
            storage: [(); 2].map(|()| Lines::new(shape.most_lines())),
            planes: [(); 2].map(|()| Planes::new(shape.slots, shape.parameters.rows)),
            occupied: [0; 2],
            weight: 0,
            deep: sides.iter().any(|side| shape.is_deep(side.depth + 1)),
        }
    }

    /// Makes sure that there is memory for a line of some depth.
    pub(crate) fn ensure(&mut self, side: usize, line: u64, depth: u32) -> bool {
        let planes = u32::from(self.shape.planes[depth as usize]);
        self.storage[side].ensure(line) && self.planes[side].ensure(depth..depth + planes, line)
    }

    /// Slots of the whole table.
    pub(crate) fn slots(&self) -> u64 {
        self.lines * self.shape.slots
    }

    pub(crate) fn occupied(&self) -> u64 {
        self.occupied[0] + self.occupied[1]
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        let lines: u64 = self.storage.iter().map(Lines::memory_bytes).sum();
        lines + self.planes.iter().map(Planes::memory_bytes).sum::<u64>()
    }

    /// The bytes of a line that is there.
    #[inline(always)]
    pub(crate) fn line(&self, side: usize, line: u64) -> &[u8; 64] {
        let found = self.storage[side].find(line).and_then(|(bytes, at)| bytes.get(at..at + 64));
        found.expect("a line of the table").try_into().expect("64 bytes")
    }

    #[inline(always)]
    fn line_mut(&mut self, side: usize, line: u64) -> &mut [u8; 64] {
        let found = self.storage[side].find_mut(line).and_then(|(bytes, at)| bytes.get_mut(at..at + 64));
        found.expect("a line of the table").try_into().expect("64 bytes")
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, side: usize, line: u64) {
        if let Some((bytes, at)) = self.storage[side].find(line) {
            bytes.prefetch(at);
        }
    }

    /// What a slot holds, without its planes.
    #[inline(always)]
    pub(crate) fn slot(&self, cell: Cell) -> u64 {
        let class = &self.shape.classes[self.shape.class_of(cell.slot())];
        word(self.line(cell.side(), cell.line()), class.bit(cell.slot())) & mask(class.width)
    }

    /// The core in a slot; 0 in an empty one.
    #[inline(always)]
    pub(crate) fn core(&self, cell: Cell) -> u64 {
        let class = &self.shape.classes[self.shape.class_of(cell.slot())];
        self.slot(cell) >> class.field
    }

    /// Whether a slot is empty.
    #[inline(always)]
    pub(crate) fn is_free(&self, cell: Cell) -> bool {
        self.slot(cell) == 0 && self.entry(cell).is_none()
    }

    /// The entry in a cell.
    #[inline(always)]
    pub(crate) fn entry(&self, cell: Cell) -> Option<Entry> {
        let (side, line, slot) = (cell.side(), cell.line(), cell.slot());
        let depth = self.sides[side].depth_of(line);
        let planes = u32::from(self.shape.planes[depth as usize]);
        let held = self.slot(cell);
        let more = if planes == 0 { 0 } else { self.planes[side].get(depth, planes, line, slot) };
        let (_, low) = self.sides[side].origin(line);
        if !self.shape.open() {
            return (held != 0).then(|| Entry { core: held, address: low | more << depth, known: depth + planes });
        }
        let class = &self.shape.classes[self.shape.class_of(slot)];
        let field = (held & mask(class.field)) << planes | more;
        let bits = field.checked_ilog2()?;
        Some(Entry { core: held >> class.field, address: low | (field ^ 1 << bits) << depth, known: depth + bits })
    }

    /// Puts an entry into a free cell. What the slot and its planes cannot hold of the address is forgotten.
    #[inline(always)]
    pub(crate) fn put(&mut self, cell: Cell, entry: &Entry) {
        let (side, line, slot) = (cell.side(), cell.line(), cell.slot());
        let depth = self.sides[side].depth_of(line);
        let planes = u32::from(self.shape.planes[depth as usize]);
        let number = self.shape.class_of(slot);
        let class = self.shape.classes[number];
        let address = entry.address >> depth;
        let (value, more) = if self.shape.open() {
            let bits = (entry.known - depth).min(class.field + planes - 1);
            self.count(number, depth, bits);
            let field = 1 << bits | address & mask(bits);
            (entry.core << class.field | field >> planes, field & mask(planes))
        } else {
            self.count(number, depth, planes);
            (entry.core, address & mask(planes))
        };
        write(self.line_mut(side, line), class.bit(slot), class.width, value);
        if more != 0 {
            self.planes[side].set(depth, planes, line, slot, more);
        }
    }

    /// Counts an entry of a class that knows `bits` address bits beyond its line's.
    #[inline(always)]
    fn count(&mut self, number: usize, depth: u32, bits: u32) {
        self.occupied[number] += 1;
        self.weight += self.weight_of(number, depth, bits);
    }

    /// Empties an occupied cell.
    #[inline(always)]
    pub(crate) fn take(&mut self, cell: Cell) -> Option<Entry> {
        let entry = self.entry(cell)?;
        let (side, line, slot) = (cell.side(), cell.line(), cell.slot());
        let depth = self.sides[side].depth_of(line);
        let planes = u32::from(self.shape.planes[depth as usize]);
        let number = self.shape.class_of(slot);
        let class = self.shape.classes[number];
        self.weight -= self.weight_of(number, depth, entry.known - depth);
        self.occupied[number] -= 1;
        write(self.line_mut(side, line), class.bit(slot), class.width, 0);
        if planes != 0 {
            self.planes[side].set(depth, planes, line, slot, 0);
        }
        Some(entry)
    }

    /// Open end, else 0: what an entry adds to the rate, one in two to the number of bits that a lookup compares. Lookups do
    /// not read the planes below the planned depth.
    #[inline(always)]
    pub(crate) fn weight_of(&self, number: usize, depth: u32, bits: u32) -> u128 {
        if !self.shape.open() {
            return 0;
        }
        let planned = self.shape.parameters.planned;
        let compared = self.shape.parameters.core + bits + depth - planned.saturating_sub(depth);
        let class = &self.shape.classes[number];
        // A class of odd size has one slot fewer for each core.
        let factor = (class.size << 20) / (class.size - 1 + class.even);
        u128::from(factor) << (WEIGHT - 20 - compared)
    }

    /// The cells of an item, one side's before the other's: first the side whose line has split lately, which has
    /// room and takes longer entries. Without the cells of a side where too few bits are known.
    #[inline(always)]
    pub(crate) fn cells(&self, item: &Item) -> Cells {
        let found = [0, 1].map(|side| self.sides[side].find(item.rows[side], item.addresses[side], item.known));
        let depths = found.map(|found| found.map_or(0, |(_, depth)| depth));
        // Of two alike lines, some items prefer the one and some the other.
        let second = depths[1] > depths[0] || (depths[0] == depths[1] && item.core & 1 == 1);
        let (mut cells, mut len) = ([Cell(0); 4], 0);
        for side in [second as usize, 1 - second as usize] {
            if let Some((line, _)) = found[side] {
                for slot in item.slots {
                    cells[len] = Cell::new(side, line, slot);
                    len += 1;
                }
            }
        }
        Cells { cells, len }
    }

    /// The item whose entry lies in a cell.
    #[inline(always)]
    pub(crate) fn item_at(&self, cell: Cell) -> Option<Item> {
        let entry = self.entry(cell)?;
        Some(self.item_from(cell, &entry))
    }

    /// The item of an entry that lies, or could lie, in a cell.
    #[inline(always)]
    pub(crate) fn item_from(&self, cell: Cell, entry: &Entry) -> Item {
        let (row, _) = self.sides[cell.side()].origin(cell.line());
        self.shape.item_from(cell.side(), row, cell.slot(), entry)
    }
}

/// The word of a line in which the slot at `bit` lies, the slot lowest. `bit` is below 512.
#[inline(always)]
pub(crate) fn word(line: &[u8; 64], bit: u32) -> u64 {
    let (start, shift) = word_of(u64::from(bit));
    // SAFETY: `start` is at most 56, and the line has 64 bytes.
    unsafe { line.load(start as usize) >> shift }
}

fn write(line: &mut [u8; 64], bit: u32, width: u32, value: u64) {
    let (start, shift) = word_of(u64::from(bit));
    line.store(start as usize, !(mask(width) << shift), value << shift);
}
