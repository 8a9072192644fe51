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

use super::{Candidates, Cell, Cells, validate_padding};
use crate::bits::{load, mask, prefetch, store, widening};
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, LINE_BITS};
use crate::index::{Index, reflect};

/// Slots of one width in a line.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// Number of the first slot, and of slots.
    first: u64,
    size: u64,
    /// 1 if `size` is even, 0 if it is odd: what keeps `d` odd where it has to be.
    even: u64,
    width: u64,
    /// Bit in the line at which slot 0 would lie, were all slots of this width (it may wrap below zero).
    origin: u64,
    /// `2^width - 1`: the number of fingerprints, and the mask of a slot.
    fingerprints: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Compact<const ODD: bool> {
    index: Index,
    slots: u64,
    /// Wide, narrow.
    classes: [Class; 2],
}

/// Bit offsets of the two slots inside a line, the two lines' byte offsets, and what a slot has to hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    lines: [u64; 2],
    bits: [u32; 2],
    fingerprint: u64,
    slot_mask: u64,
}

/// Whether a geometry needs `Compact<true>`.
pub(crate) fn has_odd_class(geometry: &Geometry) -> bool {
    geometry.wide_slots % 2 == 1 || geometry.slots_per_bucket % 2 == 1
}

impl<const ODD: bool> Compact<ODD> {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        let (narrow_width, slots) = (u64::from(geometry.fingerprint_bits), u64::from(geometry.slots_per_bucket));
        let wide = u64::from(geometry.wide_slots);
        let class = |first: u64, size: u64, width: u64, start: u64| Class {
            first,
            size,
            even: 1 - size % 2,
            width,
            origin: start.wrapping_sub(first * width),
            fingerprints: mask(width as u32),
        };
        Compact {
            index: Index::new(geometry.buckets, geometry.placement),
            slots,
            classes: [
                class(0, wide, narrow_width + 1, 0),
                class(wide, slots - wide, narrow_width, wide * (narrow_width + 1)),
            ],
        }
    }

    #[inline(always)]
    fn class_of(&self, slot: u64) -> &Class {
        &self.classes[(slot >= self.classes[1].first) as usize]
    }

    /// The class and fingerprint of a hash, and where in its two lines its slots are.
    #[inline(always)]
    fn home(&self, hash: u64) -> (&Class, Fingerprint, [u64; 2], [u64; 2]) {
        let (line, rest) = self.index.first(hash);
        let (slot, rest) = widening(rest, self.slots);
        let class = self.class_of(slot);
        // A class of odd size has one slot fewer to choose from, so the choice in it needs a digit of its own: the share of
        // items that a class gets must stay that of its slots.
        let (slot, rest) = if ODD { widening(rest, class.size - 1 + class.even) } else { (slot - class.first, rest) };
        let (fingerprint, _) = Fingerprint::from_digit(rest, class.fingerprints);
        let (other_line, sum) = self.partners(line, class, fingerprint);
        let slot = if ODD { slot + u64::from(slot >= unpaired(sum, class)) } else { slot };
        let slots = [class.first + slot, class.first + reflect(sum, slot, class.size)];
        (class, fingerprint, [line, other_line], slots)
    }

    /// The partner line of a fingerprint, and the sum of two partner slots counted in their class.
    #[inline(always)]
    fn partners(&self, line: u64, class: &Class, fingerprint: Fingerprint) -> (u64, u64) {
        let (other_line, rest) = self.index.partner_and_rest(line, fingerprint.get().into());
        (other_line, widening(rest, class.size).0 | class.even)
    }

    #[inline(always)]
    fn cells_of(&self, lines: [u64; 2], [first, second]: [u64; 2]) -> Candidates {
        let [a, b] = lines.map(|line| line * self.slots);
        Candidates::four([a + first, a + second, b + first, b + second])
    }

    #[inline(always)]
    fn split(&self, cell: Cell) -> (u64, u64) {
        (cell / self.slots, cell % self.slots)
    }

    #[inline(always)]
    fn bit(class: &Class, slot: u64) -> u32 {
        class.origin.wrapping_add(slot * class.width) as u32
    }

    /// Puts `value` into the first candidate slot that holds `old`; false if none does.
    #[inline(always)]
    fn replace(&self, bytes: &mut [u8], candidates: &Candidates, old: u32, value: u32) -> bool {
        match candidates.as_slice().iter().find(|&&cell| self.get(bytes, cell, 0) == old) {
            Some(&cell) => {
                self.set(bytes, cell, 0, value);
                true
            }
            None => false,
        }
    }

    /// Where a slot's word starts in its line: never past the last word, so that no read crosses into another line.
    #[inline(always)]
    fn word_start(bit: u32) -> u32 {
        (bit / 8).min(LINE_BITS / 8 - 8)
    }

    /// The word of a line in which the slot at `bit` lies, the slot lowest.
    #[inline(always)]
    fn word(&self, bytes: &[u8], line_byte: u64, bit: u32) -> u64 {
        let start = Self::word_start(bit);
        // SAFETY: `line_byte / 64` is below `index.buckets()`, `start + 8 <= 64`, and `bytes` has 64 bytes for each line:
        // see the trait's contract and `Geometry::table_bytes`.
        unsafe { load(bytes, line_byte as usize + start as usize) >> (bit - 8 * start) }
    }
}

impl<const ODD: bool> Cells for Compact<ODD> {
    type Probe = Probe;

    #[inline(always)]
    fn locate(&self, hash: u64) -> Probe {
        let (class, fingerprint, lines, slots) = self.home(hash);
        Probe {
            lines: lines.map(|line| line * 64),
            bits: slots.map(|slot| Self::bit(class, slot)),
            fingerprint: fingerprint.get().into(),
            slot_mask: class.fingerprints,
        }
    }

    #[inline(always)]
    fn prefetch(&self, bytes: &[u8], probe: &Probe) {
        for line in probe.lines {
            prefetch(bytes, line as usize);
        }
    }

    #[inline(always)]
    fn matches(&self, bytes: &[u8], probe: &Probe) -> bool {
        let mut found = false;
        for line in probe.lines {
            for bit in probe.bits {
                found |= (self.word(bytes, line, bit) ^ probe.fingerprint) & probe.slot_mask == 0;
            }
        }
        found
    }

    #[inline(always)]
    fn candidates(&self, hash: u64) -> (Candidates, Fingerprint) {
        let (_, fingerprint, lines, slots) = self.home(hash);
        (self.cells_of(lines, slots), fingerprint)
    }

    #[inline(always)]
    fn candidates_from(&self, cell: Cell, fingerprint: Fingerprint) -> Candidates {
        let (line, slot) = self.split(cell);
        let class = self.class_of(slot);
        let (other_line, sum) = self.partners(line, class, fingerprint);
        let in_class = slot - class.first;
        // In a damaged file a slot may be its own partner; its candidates then repeat, which harms nothing.
        let partner = class.first + reflect(sum, in_class, class.size);
        self.cells_of([line, other_line], [slot, partner])
    }

    #[inline(always)]
    fn cells(&self) -> u64 {
        self.index.buckets() * self.slots
    }

    #[inline(always)]
    fn slots_per_cell(&self) -> u32 {
        1
    }

    #[inline(always)]
    fn bucket_of(&self, cell: Cell) -> u64 {
        cell / self.slots
    }

    #[inline(always)]
    fn free_slot(&self, bytes: &[u8], cell: Cell) -> Option<u32> {
        (self.get(bytes, cell, 0) == 0).then_some(0)
    }

    #[inline(always)]
    fn is_full(&self, bytes: &[u8], cell: Cell) -> bool {
        self.get(bytes, cell, 0) != 0
    }

    #[inline(always)]
    fn get(&self, bytes: &[u8], cell: Cell, _slot: u32) -> u32 {
        let (line, slot) = self.split(cell);
        let class = self.class_of(slot);
        (self.word(bytes, line * 64, Self::bit(class, slot)) & class.fingerprints) as u32
    }

    #[inline(always)]
    fn set(&self, bytes: &mut [u8], cell: Cell, _slot: u32, value: u32) -> u32 {
        let (line, slot) = self.split(cell);
        let class = self.class_of(slot);
        let bit = Self::bit(class, slot);
        let start = Self::word_start(bit);
        let shift = bit - 8 * start;
        let at = line as usize * 64 + start as usize;
        store(bytes, at, !(class.fingerprints << shift), u64::from(value) << shift);
        0
    }

    #[inline(always)]
    fn prefetch_cell(&self, bytes: &[u8], cell: Cell) {
        prefetch(bytes, (cell / self.slots * 64) as usize);
    }

    #[inline(always)]
    fn place(&self, bytes: &mut [u8], candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        self.replace(bytes, candidates, 0, fingerprint.get())
    }

    #[inline(always)]
    fn take(&self, bytes: &mut [u8], candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        self.replace(bytes, candidates, fingerprint.get(), 0)
    }

    fn validate(&self, bytes: &[u8]) -> Result<u64, &'static str> {
        let used = self.classes.iter().map(|class| class.size * class.width).sum();
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

/// In a class of odd size, the slot that is its own partner: half of `sum`, modulo the size. Past every slot if even.
#[inline(always)]
const fn unpaired(sum: u64, class: &Class) -> u64 {
    let half = (sum + (sum & 1) * class.size) / 2;
    if class.even == 1 { u64::MAX } else { half }
}
