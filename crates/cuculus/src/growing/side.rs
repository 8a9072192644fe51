//! Linear hashing: the line of an address while lines split one by one.
//!
//! A side of `2^d + s` lines: the first `s` lines have split already, and their other halves are the last `s`.

use super::shape::Shape;
use crate::bits::{Word, widening};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) lines: u64,
    /// Address bits of a line that has not split; one that has takes one more.
    pub(crate) depth: u32,
    /// The lines below this number have split.
    pub(crate) split: u64,
    rows: u64,
    /// `2^64 / rows`, rounded up: the high half of its product with a line is the line's address bits, for all lines.
    per_row: u64,
    low: u64,
    /// Address bits before those that a slot holds: of the line and in its planes. Not split, split.
    shift: [u32; 2],
}

impl Side {
    pub(crate) fn new(lines: u64, shape: &Shape) -> Self {
        let rows = u64::from(shape.parameters.rows);
        let depth = (lines / rows).ilog2();
        let shift = [depth, depth + 1].map(|depth| shape.planes_end(depth));
        let per_row = (u64::MAX / rows).wrapping_add(1);
        Side { lines, depth, split: lines - shape.lines(depth), rows, per_row, low: (1 << depth) - 1, shift }
    }

    /// The line of a row and an address, and the address bits before those that its slots hold; for one item or eight.
    #[inline(always)]
    pub(crate) fn locate<W: Word>(&self, row: W, address: W) -> (W, W) {
        let low = (address & W::splat(self.low)).scale(self.rows).plus(row);
        let split = low.less(W::splat(self.split));
        let high = (address.shr(self.depth) & split).scale(self.lines - self.split);
        let [shift, after] = self.shift.map(u64::from);
        (low.plus(high), W::splat(shift).plus(split.scale(after - shift)))
    }

    /// The line and depth of an address of which `known` bits are known, if that is enough.
    #[inline(always)]
    pub(crate) fn find(&self, row: u64, address: u64, known: u32) -> Option<(u64, u32)> {
        let low = (address & self.low) * self.rows + row;
        let split = low < self.split;
        let depth = self.depth + u32::from(split);
        let high = (address >> self.depth & u64::from(split)) * (self.lines - self.split);
        (known >= depth).then_some((low + high, depth))
    }

    /// Whether some lines have bits in planes that lookups have to read.
    pub(crate) fn is_deep(&self, shape: &Shape) -> bool {
        shape.is_deep(self.depth + u32::from(self.split > 0))
    }

    /// How much hope of a free slot a line gives to an entry of the other side, 0 most. While lines of a side split, those
    /// that have not are crowded; those that have got all entries of the other side that found room there.
    #[inline(always)]
    pub(crate) fn rank(&self, line: u64) -> usize {
        match self.split {
            0 => 0,
            split => 1 + usize::from((split..self.lines - split).contains(&line)),
        }
    }

    /// The number of address bits of a line.
    #[inline(always)]
    pub(crate) fn depth_of(&self, line: u64) -> u32 {
        self.depth + u32::from(line < self.split || line >= self.lines - self.split)
    }

    /// The row and the address bits of a line.
    #[inline(always)]
    pub(crate) fn origin(&self, line: u64) -> (u64, u64) {
        match self.rows {
            1 => (0, line),
            rows => {
                let (address, _) = widening(line, self.per_row);
                (line - address * rows, address)
            }
        }
    }
}

/// How many ranks of lines there are.
pub(crate) const RANKS: usize = 3;

/// How many lines the two sides have of a table of `total` lines: the first side doubles, then the second. So an item has
/// one line that has split lately and one that has not, and the two even out.
pub(crate) fn lines_of(total: u64, shape: &Shape) -> [u64; 2] {
    let half = shape.lines((total / shape.lines(1)).ilog2());
    let first = (total - half).min(2 * half).min(shape.most_lines());
    [first, total - first]
}
