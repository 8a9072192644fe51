//! The lines of both sides with their planes, and what lies in them: entries are read, put and taken here alone.

use super::lines::Lines;
use super::planes::Planes;
use super::shape::{Entry, Item, Shape};
use super::side::{Side, lines_of};
use crate::bits::{Bytes, BytesMut, Word, mask};
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
            planes: [(); 2].map(|()| Planes::new(shape.slots(), shape.parameters.rows)),
            occupied: [0; 2],
            weight: 0,
            deep: sides.iter().any(|side| side.is_deep(&shape)),
        }
    }

    /// Makes sure that there is memory for a line of some depth.
    pub(crate) fn ensure(&mut self, side: usize, line: u64, depth: u32) -> bool {
        let planes = u32::from(self.shape.planes[depth as usize]);
        self.storage[side].ensure(line) && self.planes[side].ensure(depth..depth + planes, line)
    }

    /// Slots of the whole table.
    pub(crate) fn slots(&self) -> u64 {
        self.lines * self.shape.slots()
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

    /// What a slot of a line holds, without its planes.
    #[inline(always)]
    pub(crate) fn held(&self, line: &[u8; 64], slot: u64) -> u64 {
        word(line, self.shape.line.bit(slot)) & self.shape.slot_masks[self.shape.class_of(slot)]
    }

    /// What a slot holds, without its planes.
    #[inline(always)]
    pub(crate) fn slot(&self, cell: Cell) -> u64 {
        self.held(self.line(cell.side(), cell.line()), cell.slot())
    }

    /// Whether a slot is empty.
    #[inline(always)]
    pub(crate) fn is_free(&self, cell: Cell) -> bool {
        self.slot(cell) == 0 && (!self.deep || self.is_free_deep(cell))
    }

    /// Whether a slot that looks empty is.
    #[cold]
    fn is_free_deep(&self, cell: Cell) -> bool {
        self.entry(cell).is_none()
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
        let field = held >> self.shape.parameters.core << planes | more;
        let bits = field.checked_ilog2()?;
        let core = held & self.shape.core_mask;
        Some(Entry { core, address: low | (field ^ 1 << bits) << depth, known: depth + bits })
    }

    /// The entry in a cell if it has this core. Planes are read for such entries alone.
    #[inline(always)]
    pub(crate) fn entry_of_core(&self, cell: Cell, core: u64) -> Option<Entry> {
        let alike = self.slot(cell) & self.shape.core_mask == core;
        if alike { self.entry(cell) } else { None }
    }

    /// Puts an entry into a free cell. What the slot and its planes cannot hold of the address is forgotten.
    #[inline(always)]
    pub(crate) fn put(&mut self, cell: Cell, entry: &Entry) {
        let (side, line, slot) = (cell.side(), cell.line(), cell.slot());
        let depth = self.sides[side].depth_of(line);
        let planes = u32::from(self.shape.planes[depth as usize]);
        let number = self.shape.class_of(slot);
        let address = entry.address >> depth;
        let (value, more) = if self.shape.open() {
            let bits = (entry.known - depth).min(self.shape.field(number) + planes - 1);
            self.count(number, depth, bits);
            let field = 1 << bits | address & mask(bits);
            (field >> planes << self.shape.parameters.core | entry.core, field & mask(planes))
        } else {
            self.count(number, depth, planes);
            (entry.core, address & mask(planes))
        };
        let (bit, width) = (self.shape.line.bit(slot), self.shape.width(number));
        write(self.line_mut(side, line), bit, width, value);
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
        self.weight -= self.weight_of(number, depth, entry.known - depth);
        self.occupied[number] -= 1;
        let (bit, width) = (self.shape.line.bit(slot), self.shape.width(number));
        write(self.line_mut(side, line), bit, width, 0);
        if planes != 0 {
            self.planes[side].set(depth, planes, line, slot, 0);
        }
        Some(entry)
    }

    /// Moves an entry to a free cell in which it may lie.
    #[inline(always)]
    pub(crate) fn move_entry(&mut self, from: Cell, to: Cell) {
        if (from.side(), from.line()) != (to.side(), to.line()) {
            let item = self.item_at(from).expect("an occupied cell");
            self.take(from);
            return self.put(to, &item.entry(to.side()));
        }
        let (side, line) = (from.side(), from.line());
        let held = self.slot(from);
        let width = self.shape.width(self.shape.class_of(from.slot()));
        let bits = [from, to].map(|cell| self.shape.line.bit(cell.slot()));
        let bytes = self.line_mut(side, line);
        write(bytes, bits[0], width, 0);
        write(bytes, bits[1], width, held);
        let depth = self.sides[side].depth_of(line);
        let planes = u32::from(self.shape.planes[depth as usize]);
        if planes != 0 {
            let more = self.planes[side].get(depth, planes, line, from.slot());
            self.planes[side].set(depth, planes, line, from.slot(), 0);
            self.planes[side].set(depth, planes, line, to.slot(), more);
        }
    }

    /// One of two slots of a line, free or made so by one move within the line.
    pub(crate) fn room_in_line(&mut self, side: usize, line: u64, slots: [u64; 2]) -> Option<Cell> {
        let cells = slots.map(|slot| Cell::new(side, line, slot));
        if let Some(&free) = cells.iter().find(|&&cell| self.is_free(cell)) {
            return Some(free);
        }
        cells.into_iter().find(|&cell| {
            let partner = Cell::new(side, line, self.partner(cell.slot(), self.slot(cell)));
            let free = self.is_free(partner);
            if free {
                self.move_entry(cell, partner);
            }
            free
        })
    }

    /// The other slot in its line of what a slot holds.
    #[inline(always)]
    pub(crate) fn partner(&self, slot: u64, held: u64) -> u64 {
        self.shape.partner(slot, held & self.shape.core_mask)
    }

    /// The line of the other side in which the entry of an occupied cell may lie, if it knows enough of its address.
    #[inline(always)]
    pub(crate) fn line_across(&self, cell: Cell, held: u64) -> Option<u64> {
        let (side, other) = (&self.sides[cell.side()], &self.sides[1 - cell.side()]);
        let (row, low) = side.origin(cell.line());
        let way = self.shape.way(held & self.shape.core_mask);
        let row = row.reflect(way.rows, self.shape.parameters.rows.into());
        // Bits that are not known differ in what is asked for only if it needs them: then it is not found.
        let depth = side.depth_of(cell.line());
        let found = other.find(row, low ^ way.address, depth).or_else(|| {
            let entry = self.entry(cell)?;
            other.find(row, entry.address ^ way.address, entry.known)
        });
        found.map(|(line, _)| line)
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
        u128::from(self.shape.crowding[number]) << (WEIGHT - 20 - compared)
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
pub(crate) fn word(line: &[u8; 64], bit: u64) -> u64 {
    let (start, shift) = word_of(bit);
    // SAFETY: `start` is at most 56, and the line has 64 bytes.
    unsafe { line.load(start as usize) >> shift }
}

fn write(line: &mut [u8; 64], bit: u64, width: u32, value: u64) {
    let (start, shift) = word_of(bit);
    line.store(start as usize, !(mask(width) << shift), value << shift);
}
