//! Compact: four candidate slots in two cache lines, the smallest layout that needs no decoding.
//!
//! ```text
//!  line, 512 bits:  | wide slots, f + 1 bits each | narrow slots, f bits each | unused |
//!  item:  line L, slot p of its class ->  (L, p) (L, d - p)      d odd, from the fingerprint: p <-> d - p in its class
//!                                         (L', p) (L', d - p)    L' the partner line, as for buckets
//! ```
//! A cell is one slot, numbered `line * slots + slot`. An item's class (wide or narrow) follows from its hash in
//! proportion to the slots of the class; its fingerprint has the class's width, and partners stay in the class, so a
//! stored fingerprint names its four slots. In a class of even size `d` is odd, so that no slot is its own partner; in a
//! class of odd size each `d` has one such slot, and items of that `d` leave it out (`ODD`; even lines skip the step).
//!
//! Below its fingerprint a slot may hold a stamp (`stamps.rs`), which moves with it. A slot whose stamp no longer counts is
//! an empty one.

use super::classes::{Class, Classes, word_of};
use super::stamps::{NoStamps, Stamps};
use super::{Candidates, Cell, Cells, validate_padding};
use crate::bits::{Bytes, BytesMut, Word, mask};
use crate::fingerprint::Fingerprint;
use crate::geometry::Geometry;
use crate::index::Index;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Compact<const ODD: bool, S = NoStamps> {
    index: Index,
    pub(super) classes: Classes<ODD>,
    /// The number of narrow fingerprints: `2^f - 1`.
    fingerprints: u64,
    pub(super) stamps: S,
}

/// Bit offsets of the two slots inside a line, the two lines' byte offsets, and what a slot has to hold under a mask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe<W> {
    lines: [W; 2],
    bits: [W; 2],
    fingerprint: W,
    slot_mask: W,
}

/// Whether a geometry needs `Compact<true>`.
pub(crate) fn has_odd_class(geometry: &Geometry) -> bool {
    geometry.wide_slots % 2 == 1 || geometry.slots_per_bucket % 2 == 1
}

impl<const ODD: bool> Compact<ODD> {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        Self::with_stamps(geometry, NoStamps)
    }
}

impl<const ODD: bool, S: Stamps> Compact<ODD, S> {
    /// The table of a geometry whose slots are so many bits wider than its fingerprints as `stamps` takes.
    pub(crate) fn with_stamps(geometry: &Geometry, stamps: S) -> Compact<ODD, S> {
        Compact {
            index: Index::new(geometry.buckets, geometry.placement),
            classes: Classes {
                slots: geometry.slots_per_bucket.into(),
                wide: geometry.wide_slots.into(),
                width: (geometry.fingerprint_bits + stamps.bits()).into(),
            },
            fingerprints: mask(geometry.fingerprint_bits),
            stamps,
        }
    }

    /// The number of fingerprints of a class, which is their mask.
    #[inline(always)]
    fn fingerprints<W: Word>(&self, class: &Class<W>) -> W {
        class.is_wide.scale(self.fingerprints + 1).plus(W::splat(self.fingerprints))
    }

    /// The fingerprint of a hash and its mask, and where in its two lines its slots are.
    #[inline(always)]
    fn home<W: Word>(&self, hash: W) -> (W, W, [W; 2], [W; 2]) {
        let (line, rest) = self.index.first(hash);
        let (class, choice, rest) = self.classes.choose(rest);
        let fingerprints = self.fingerprints(&class);
        let fingerprint = Fingerprint::digit(rest, fingerprints);
        let (other_line, rest) = self.index.partner_and_rest(line, fingerprint);
        let slots = class.slots::<ODD>(choice, class.sum(rest));
        (fingerprint, fingerprints, [line, other_line], slots)
    }

    #[inline(always)]
    fn cells_of(&self, lines: [u64; 2], [first, second]: [u64; 2]) -> Candidates {
        let [a, b] = lines.map(|line| line * self.classes.slots);
        Candidates::four([a + first, a + second, b + first, b + second])
    }

    #[inline(always)]
    fn split(&self, cell: Cell) -> (u64, u64) {
        (cell / self.classes.slots, cell % self.classes.slots)
    }

    /// The largest fingerprint that fits into a cell.
    pub(super) fn most_fingerprint(&self, cell: Cell) -> u64 {
        self.fingerprints(&self.classes.class_of(self.split(cell).1))
    }

    /// The mask of a class's whole slot: fingerprint and stamp.
    #[inline(always)]
    fn slot_mask(&self, class: &Class<u64>) -> u64 {
        self.fingerprints(class) << self.stamps.bits() | mask(self.stamps.bits())
    }

    /// How many slots of a line there are of either class, in their order, and the mask of one.
    pub(super) fn class_masks(&self) -> [(u64, u64); 2] {
        let Classes { slots, wide, .. } = self.classes;
        let mask = |slot| self.slot_mask(&self.classes.class_of(slot));
        [(wide, mask(0)), (slots - wide, mask(slots - 1))]
    }

    /// What a slot holds, whether its stamp counts or not.
    #[inline(always)]
    pub(super) fn value<B: Bytes + ?Sized>(&self, bytes: &B, line: u64, slot: u64) -> u64 {
        let (start, shift) = word_of(self.classes.bit(slot));
        // SAFETY: as in `matches`.
        let word = unsafe { bytes.load((line * 64 + start) as usize) >> shift };
        word & self.slot_mask(&self.classes.class_of(slot))
    }

    #[inline(always)]
    pub(super) fn put<B: BytesMut + ?Sized>(&self, bytes: &mut B, line: u64, slot: u64, value: u64) {
        let (start, shift) = word_of(self.classes.bit(slot));
        let mask = self.slot_mask(&self.classes.class_of(slot));
        bytes.store((line * 64 + start) as usize, !(mask << shift), value << shift);
    }

    /// Puts `value` into the first candidate slot that holds `old`; false if none does.
    #[inline(always)]
    fn replace<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, old: u32, value: u32) -> bool {
        match candidates.as_slice().iter().find(|&&cell| self.get(bytes, cell, 0) == old) {
            Some(&cell) => {
                self.set(bytes, cell, 0, value);
                true
            }
            None => false,
        }
    }
}

impl<const ODD: bool, S: Stamps> Cells for Compact<ODD, S> {
    type Probe<W: Word> = Probe<W>;

    #[inline(always)]
    fn locate<W: Word>(&self, hash: W) -> Probe<W> {
        let (fingerprint, mask, lines, slots) = self.home(hash);
        Probe {
            lines: lines.map(|line| line.times(64)),
            bits: slots.map(|slot| self.classes.bit(slot)),
            fingerprint: fingerprint.shl(self.stamps.bits()),
            slot_mask: mask.shl(self.stamps.bits()),
        }
    }

    #[inline(always)]
    fn prefetch<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Probe<W>) {
        for line in probe.lines {
            line.each(|line| bytes.prefetch(line as usize));
        }
    }

    #[inline(always)]
    fn matches<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Probe<W>) -> W {
        let mut found = W::splat(0);
        for bit in probe.bits {
            let (start, shift) = word_of(bit);
            for line in probe.lines {
                // SAFETY: `line / 64` is below `index.buckets()`, `start + 8 <= 64`, and `bytes` has 64 bytes for each
                // line: see the trait's contract and `Geometry::table_bytes`.
                let word = unsafe { W::load(bytes, line.plus(start)) }.zip(shift, |word, shift| word >> (shift & 63));
                let equal = ((word ^ probe.fingerprint) & probe.slot_mask).is_zero();
                found = found | equal & self.stamps.counts(word);
            }
        }
        found
    }

    #[inline(always)]
    fn candidates(&self, hash: u64) -> (Candidates, Fingerprint) {
        let (fingerprint, _, lines, slots) = self.home(hash);
        (self.cells_of(lines, slots), Fingerprint::from_digit(fingerprint))
    }

    #[inline(always)]
    fn candidates_from(&self, cell: Cell, fingerprint: Fingerprint) -> Candidates {
        let (line, slot) = self.split(cell);
        let class = self.classes.class_of(slot);
        let fingerprint = u64::from(fingerprint.get()) >> self.stamps.bits();
        let (other_line, rest) = self.index.partner_and_rest(line, fingerprint);
        // In a damaged file a slot may be its own partner; its candidates then repeat, which harms nothing.
        self.cells_of([line, other_line], [slot, class.partner(slot, class.sum(rest))])
    }

    #[inline(always)]
    fn lines<W: Word>(&self, probe: &Probe<W>) -> [W; 2] {
        probe.lines.map(|byte| byte.shr(6))
    }

    #[inline(always)]
    fn line(&self, cell: Cell) -> u64 {
        cell / self.classes.slots
    }

    #[inline(always)]
    fn cells(&self) -> u64 {
        self.index.buckets() * self.classes.slots
    }

    #[inline(always)]
    fn slots_per_cell(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn bucket_of(&self, cell: Cell) -> u64 {
        cell / self.classes.slots
    }

    #[inline(always)]
    fn free_slot<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> Option<u32> {
        (self.get(bytes, cell, 0) == 0).then_some(0)
    }

    #[inline(always)]
    fn is_full<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> bool {
        self.get(bytes, cell, 0) != 0
    }

    #[inline(always)]
    fn get<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell, _slot: u32) -> u32 {
        let (line, slot) = self.split(cell);
        let value = self.value(bytes, line, slot);
        if self.stamps.counts(value) == 0 { 0 } else { value as u32 }
    }

    #[inline(always)]
    fn set<B: BytesMut + ?Sized>(&self, bytes: &mut B, cell: Cell, _slot: u32, value: u32) -> u32 {
        let (line, slot) = self.split(cell);
        self.put(bytes, line, slot, value.into());
        0
    }

    #[inline(always)]
    fn prefetch_cell<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) {
        bytes.prefetch((cell / self.classes.slots * 64) as usize);
    }

    #[inline(always)]
    fn choose<B: Bytes + ?Sized>(&self, bytes: &B, candidates: &Candidates) -> Option<(Cell, u64)> {
        // A cell is one slot here: its number says everything.
        candidates.as_slice().iter().find(|&&cell| self.get(bytes, cell, 0) == 0).map(|&cell| (cell, 0))
    }

    #[inline(always)]
    fn fill<B: BytesMut + ?Sized>(&self, bytes: &mut B, (cell, _): (Cell, u64), fingerprint: Fingerprint) -> bool {
        let empty = self.get(bytes, cell, 0) == 0;
        if empty {
            self.set(bytes, cell, 0, fingerprint.get());
        }
        empty
    }

    #[inline(always)]
    fn place<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        self.replace(bytes, candidates, 0, fingerprint.get())
    }

    #[inline(always)]
    fn take<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        self.replace(bytes, candidates, fingerprint.get(), 0)
    }

    fn validate(&self, bytes: &[u8]) -> Result<u64, &'static str> {
        let used = self.classes.bit(self.classes.slots);
        bytes.chunks_exact(64).try_for_each(|line| validate_padding(line, used))?;
        let mut occupied = 0;
        for cell in 0..self.cells() {
            let Some(fingerprint) = Fingerprint::from_slot(self.get(bytes, cell, 0)) else { continue };
            if ODD && self.candidates_from(cell, fingerprint).as_slice()[1] == cell {
                return Err("a fingerprint lies in the slot that it leaves out");
            }
            occupied += 1;
        }
        Ok(occupied)
    }
}
