//! The layouts behind one closed enum. A layout knows where fingerprints lie in bytes; it owns no bytes itself, so the
//! same code serves owned memory and a mapped file.
//!
//! For the search, a table is a graph of *cells*: the places whose slots are interchangeable. A cell is a bucket of
//! the packed and semi-sorted layouts, and a single slot of the compact one, where an item chooses among four.

mod classes;
mod compact;
mod packed;
mod semi_sorted;
mod stamps;

pub(crate) use classes::{Classes, word_of};
pub(crate) use compact::{Compact, has_odd_class};
pub(crate) use packed::Packed;
pub(crate) use semi_sorted::SemiSorted;
pub(crate) use stamps::Ages;

use crate::bits::{Bytes, BytesMut, Word};
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, Layout};

/// A number of a cell: a bucket, or in the compact layout a slot.
pub(crate) type Cell = u64;

/// The cells in which one item may lie: two buckets or four slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates {
    cells: [Cell; 4],
    len: usize,
}

impl Candidates {
    #[inline(always)]
    pub(crate) fn two(first: Cell, second: Cell) -> Self {
        Candidates { cells: [first, second, first, second], len: 2 }
    }

    #[inline(always)]
    pub(crate) fn four(cells: [Cell; 4]) -> Self {
        Candidates { cells, len: 4 }
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Cell] {
        &self.cells[..self.len]
    }
}

/// What every layout can do with bytes of its own shape.
///
/// All methods take `bytes` of exactly `Geometry::table_bytes()` bytes and cells below [`cells`](Self::cells): whoever
/// holds a table and bytes together has checked the one, and only this room and the search make the other.
// What only shared filters need is unused without them.
#[cfg_attr(not(all(feature = "std", target_has_atomic = "64")), allow(dead_code))]
pub(crate) trait Cells: Copy {
    /// Where an item's slots are, ready to be read: addresses, and the fingerprint in the form it is compared in; of one
    /// item, or of as many as a word has lanes.
    type Probe<W: Word>: Copy;

    /// The slots of an item or of several, from their hashes.
    fn locate<W: Word>(&self, hash: W) -> Self::Probe<W>;
    /// Asks for the cache lines of a probe.
    fn prefetch<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Self::Probe<W>);
    /// Not zero where some candidate slot holds the fingerprint.
    fn matches<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Self::Probe<W>) -> W;

    /// The candidate cells and the fingerprint of a hash.
    fn candidates(&self, hash: u64) -> (Candidates, Fingerprint);
    /// The candidate cells of a fingerprint that lies in `cell`, `cell` first.
    fn candidates_from(&self, cell: Cell, fingerprint: Fingerprint) -> Candidates;

    /// The cache lines in which a probe's buckets start: those of [`line`](Self::line) for its candidate cells.
    fn lines<W: Word>(&self, probe: &Self::Probe<W>) -> [W; 2];
    /// The cache line in which the bucket of a cell starts.
    fn line(&self, cell: Cell) -> u64;

    /// The number of cells.
    fn cells(&self) -> u64;
    /// Slots of a cell.
    fn slots_per_cell(&self) -> u32;
    /// The bucket or line that a cell belongs to.
    fn bucket_of(&self, cell: Cell) -> u64;
    /// Whether a cell has no empty slot.
    fn is_full<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> bool;
    /// The lowest empty slot of a cell.
    fn free_slot<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> Option<u32>;
    /// What a slot holds, 0 for empty.
    fn get<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell, slot: u32) -> u32;
    /// Puts a value in a slot and returns the slot where it is then: a sorting layout puts it where it belongs.
    fn set<B: BytesMut + ?Sized>(&self, bytes: &mut B, cell: Cell, slot: u32, value: u32) -> u32;
    /// Asks for the cache line of a cell.
    fn prefetch_cell<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell);

    /// Where a new item goes, if one of its candidate cells has an empty slot: the cell, and the bit of the table at which
    /// the slot starts. A layout with several slots a cell takes the emptier cell, the first of equals.
    fn choose<B: Bytes + ?Sized>(&self, bytes: &B, candidates: &Candidates) -> Option<(Cell, u64)>;

    /// Stores a fingerprint where [`choose`](Self::choose) said; false if the slot is no longer empty.
    fn fill<B: BytesMut + ?Sized>(&self, bytes: &mut B, place: (Cell, u64), fingerprint: Fingerprint) -> bool;

    /// Stores the fingerprint in an empty slot of its candidate cells, if there is one, as [`choose`](Self::choose).
    fn place<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool;

    /// Empties the first candidate slot that holds the fingerprint; false if none does.
    fn take<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool;

    /// Copies of the fingerprint in its candidate cells.
    fn count<B: Bytes + ?Sized>(&self, bytes: &B, candidates: &Candidates, fingerprint: Fingerprint) -> u32 {
        let in_cell = |&cell: &Cell| {
            (0..self.slots_per_cell()).filter(|&slot| self.get(bytes, cell, slot) == fingerprint.get()).count() as u32
        };
        candidates.as_slice().iter().map(in_cell).sum()
    }

    /// Fails where bytes are not what this layout writes (an impossible code, something in the padding), else counts
    /// the occupied slots.
    fn validate(&self, bytes: &[u8]) -> Result<u64, &'static str>;
}

/// The layouts. This enum, its constructor and [`with_table!`] are all that a further layout changes here.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Table {
    Straight(Packed<true>),
    Packed(Packed<false>),
    SemiSorted(SemiSorted),
    Compact(Compact<false>),
    CompactOdd(Compact<true>),
}

impl Table {
    /// The table of a geometry that `Geometry::validate` accepts.
    pub(crate) fn new(geometry: &Geometry) -> Self {
        match geometry.layout {
            Layout::Packed if packed::is_straight(geometry) => Table::Straight(Packed::new(geometry)),
            Layout::Packed => Table::Packed(Packed::new(geometry)),
            Layout::SemiSorted => Table::SemiSorted(SemiSorted::new(geometry)),
            Layout::Compact if compact::has_odd_class(geometry) => Table::CompactOdd(Compact::new(geometry)),
            Layout::Compact => Table::Compact(Compact::new(geometry)),
        }
    }
}

/// Runs `$body` with `$cells` bound to the layout inside a [`Table`]: one branch a call, not one a slot.
macro_rules! with_table {
    ($table:expr, $cells:ident => $body:expr) => {
        match $table {
            $crate::table::Table::Straight($cells) => $body,
            $crate::table::Table::Packed($cells) => $body,
            $crate::table::Table::SemiSorted($cells) => $body,
            $crate::table::Table::Compact($cells) => $body,
            $crate::table::Table::CompactOdd($cells) => $body,
        }
    };
}
pub(crate) use with_table;

/// Fails where a byte from bit `from` of `bytes` on is set: padding is zero.
fn validate_padding(bytes: &[u8], from: u64) -> Result<(), &'static str> {
    let (byte, bit) = ((from / 8) as usize, from % 8);
    let partial = bit != 0 && bytes.get(byte).is_some_and(|&b| b >> bit != 0);
    match partial || bytes.iter().skip(byte + (bit != 0) as usize).any(|&b| b != 0) {
        true => Err("the padding after the last slot is not zero"),
        false => Ok(()),
    }
}
