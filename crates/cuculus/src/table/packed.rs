//! Packed: buckets of 1, 2, 4 or 8 fingerprints side by side, of a width chosen at run time.
//!
//! A bucket is read in words of as many slots as fit into 64 bits with the bucket's offset inside a byte: one word in
//! nearly every geometry (four slots of up to 16 bits), two to eight for the wide rest. All widths run the same code.

use super::{Candidates, Cell, Cells, validate_padding};
use crate::bits::{Lanes, load, mask, prefetch, store};
use crate::fingerprint::Fingerprint;
use crate::geometry::Geometry;
use crate::index::Index;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    index: Index,
    /// `2^f - 1` fingerprints.
    fingerprints: u64,
    bucket_bits: u64,
    /// The slots that are read as one word.
    lanes: Lanes,
    /// Words of a bucket.
    words: u32,
}

/// An item's two buckets and its fingerprint in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    bits: [u64; 2],
    broadcast: u64,
}

impl Packed {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        let (width, slots) = (geometry.fingerprint_bits, geometry.slots_per_bucket);
        let bucket_bits = width * slots;
        // Bit offsets of words are multiples of `width * lanes`; their greatest distance into a byte follows.
        let fits = |lanes: u32| {
            let word = width * lanes;
            let step = [8, 1, 2, 1, 4, 1, 2, 1][(word % 8) as usize];
            word + (8 - step) <= 64
        };
        let lanes = [8, 4, 2, 1].into_iter().find(|&lanes| lanes <= slots && fits(lanes)).unwrap_or(1);
        Packed {
            index: Index::new(geometry.buckets, geometry.placement),
            fingerprints: mask(width),
            bucket_bits: bucket_bits.into(),
            lanes: Lanes::new(width, lanes),
            words: slots / lanes,
        }
    }

    /// The word at a bit position; the slots start at its lowest bit, what is above them belongs to others.
    #[inline(always)]
    fn word(&self, bytes: &[u8], bit: u64) -> u64 {
        // SAFETY: `bit` lies in a bucket below `index.buckets()`, and `bytes` has `table_bytes()` bytes, which leaves
        // seven after the last byte that holds a slot: see the trait's contract and `Geometry::table_bytes`.
        unsafe { load(bytes, (bit / 8) as usize) >> (bit % 8) }
    }

    /// Where in a bucket a slot's word starts, and the slot's lane in it.
    #[inline(always)]
    fn place(&self, cell: Cell, slot: u32) -> (u64, u32) {
        let (word, lane) = (slot / self.lanes.count(), slot % self.lanes.count());
        (cell * self.bucket_bits + u64::from(word * self.lanes.count() * self.lanes.width()), lane)
    }

    #[inline(always)]
    fn word_bits(&self) -> u64 {
        u64::from(self.lanes.count() * self.lanes.width())
    }
}

impl Cells for Packed {
    type Probe = Probe;

    #[inline(always)]
    fn locate(&self, hash: u64) -> Probe {
        let (first, rest) = self.index.first(hash);
        let (fingerprint, _) = Fingerprint::from_digit(rest, self.fingerprints);
        let second = self.index.partner(first, fingerprint);
        Probe {
            bits: [first * self.bucket_bits, second * self.bucket_bits],
            broadcast: self.lanes.broadcast(fingerprint.get().into()),
        }
    }

    #[inline(always)]
    fn prefetch(&self, bytes: &[u8], probe: &Probe) {
        for bit in probe.bits {
            prefetch(bytes, (bit / 8) as usize);
        }
    }

    #[inline(always)]
    fn matches(&self, bytes: &[u8], probe: &Probe) -> bool {
        let both = |offset: u64| {
            let [first, second] = probe.bits.map(|bit| self.word(bytes, bit + offset) ^ probe.broadcast);
            self.lanes.any_zero_of_two(first, second)
        };
        if self.words == 1 {
            return both(0) != 0;
        }
        (0..self.words).fold(0, |found, word| found | both(u64::from(word) * self.word_bits())) != 0
    }

    #[inline(always)]
    fn candidates(&self, hash: u64) -> (Candidates, Fingerprint) {
        let (first, rest) = self.index.first(hash);
        let (fingerprint, _) = Fingerprint::from_digit(rest, self.fingerprints);
        (Candidates::two(first, self.index.partner(first, fingerprint)), fingerprint)
    }

    #[inline(always)]
    fn candidates_from(&self, cell: Cell, fingerprint: Fingerprint) -> Candidates {
        Candidates::two(cell, self.index.partner(cell, fingerprint))
    }

    #[inline(always)]
    fn cells(&self) -> u64 {
        self.index.buckets()
    }

    #[inline(always)]
    fn slots_per_cell(&self) -> u32 {
        self.words * self.lanes.count()
    }

    #[inline(always)]
    fn bucket_of(&self, cell: Cell) -> u64 {
        cell
    }

    #[inline(always)]
    fn free_slot(&self, bytes: &[u8], cell: Cell) -> Option<u32> {
        let bit = cell * self.bucket_bits;
        (0..self.words).find_map(|word| {
            let lane = self.lanes.first_zero(self.word(bytes, bit + u64::from(word) * self.word_bits()))?;
            Some(word * self.lanes.count() + lane)
        })
    }

    #[inline(always)]
    fn get(&self, bytes: &[u8], cell: Cell, slot: u32) -> u32 {
        let (bit, lane) = self.place(cell, slot);
        self.lanes.get(self.word(bytes, bit), lane) as u32
    }

    #[inline(always)]
    fn set(&self, bytes: &mut [u8], cell: Cell, slot: u32, value: u32) -> u32 {
        let bit = cell * self.bucket_bits + u64::from(slot * self.lanes.width());
        let shift = bit % 8;
        store(bytes, (bit / 8) as usize, !(self.fingerprints << shift), u64::from(value) << shift);
        slot
    }

    #[inline(always)]
    fn prefetch_cell(&self, bytes: &[u8], cell: Cell) {
        prefetch(bytes, (cell * self.bucket_bits / 8) as usize);
    }

    fn validate(&self, bytes: &[u8]) -> Result<u64, &'static str> {
        validate_padding(bytes, self.cells() * self.bucket_bits)?;
        let occupied = |cell| (0..self.slots_per_cell()).filter(|&slot| self.get(bytes, cell, slot) != 0).count() as u64;
        Ok((0..self.cells()).map(occupied).sum())
    }
}
