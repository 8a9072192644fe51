//! Packed: buckets of 1, 2, 4 or 8 fingerprints side by side, of a width chosen at run time.
//!
//! A bucket is read in words of as many slots as fit into 64 bits with the bucket's offset inside a byte: one word in
//! nearly every geometry (four slots of up to 16 bits), two to eight for the wide rest. All widths run the same code.

use super::{Candidates, Cell, Cells, validate_padding};
use crate::bits::{Bytes, BytesMut, Lanes, Word, mask};
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, LINE_BITS, Placement};
use crate::index::Index;

/// `STRAIGHT` is the common case with the fewest instructions: any-size placement, and buckets that are one word and
/// whole bytes (four slots of an even width up to 16 bits). It holds the same bytes; only address arithmetic is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed<const STRAIGHT: bool> {
    index: Index,
    /// `2^f - 1` fingerprints.
    fingerprints: u64,
    bucket_bits: u64,
    bucket_bytes: u64,
    /// The slots that are read as one word.
    lanes: Lanes,
    /// Words of a bucket.
    words: u32,
}

/// An item's two buckets (where they start: a bit, or a byte if `STRAIGHT`) and its fingerprint in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe<W> {
    starts: [W; 2],
    broadcast: W,
}

/// Whether `Packed<true>` can hold a geometry.
pub(crate) fn is_straight(geometry: &Geometry) -> bool {
    let bits = geometry.bucket_bits();
    geometry.placement == Placement::AnySize && bits % 8 == 0 && bits <= 64
}

impl<const STRAIGHT: bool> Packed<STRAIGHT> {
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
            bucket_bytes: (bucket_bits / 8).into(),
            lanes: Lanes::new(width, lanes),
            words: slots / lanes,
        }
    }

    /// The word at a bit position; the slots start at its lowest bit, what is above them belongs to others.
    #[inline(always)]
    fn word<B: Bytes + ?Sized>(&self, bytes: &B, bit: u64) -> u64 {
        // SAFETY: `bit` lies in a bucket below `index.buckets()`, and `bytes` has `table_bytes()` bytes, which leaves
        // seven after the last byte that holds a slot: see the trait's contract and `Geometry::table_bytes`.
        unsafe { bytes.load((bit / 8) as usize) >> (bit % 8) }
    }

    /// The words of slots that start at a bit, or at a byte if `STRAIGHT`.
    #[inline(always)]
    fn words_at<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, start: W) -> W {
        match STRAIGHT {
            // SAFETY: as in `word`; `start` is the first byte of a bucket.
            true => unsafe { W::load(bytes, start) },
            // SAFETY: as in `word`.
            false => unsafe { W::load(bytes, start.shr(3)) }.zip(start, |word, bit| word >> (bit % 8)),
        }
    }

    /// Asks for both ends of a bucket: one in ten lies across two cache lines, and a second miss costs more than the request.
    #[inline(always)]
    fn prefetch_bucket<B: Bytes + ?Sized>(&self, bytes: &B, byte: u64) {
        bytes.prefetch(byte as usize);
        bytes.prefetch(byte as usize + 7);
    }

    /// Where in a bucket the first slot that holds `value` starts, in bits.
    #[inline(always)]
    fn search<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell, value: u32) -> Option<u64> {
        let (start, wanted) = (cell * self.bucket_bits, self.lanes.broadcast(u64::from(value)));
        let in_word = |offset: u64| match self.lanes.any_zero(self.word(bytes, start + offset) ^ wanted) {
            0 => None,
            marks => Some(offset + u64::from(marks.trailing_zeros() + 1 - self.lanes.width())),
        };
        match STRAIGHT || self.words == 1 {
            true => in_word(0),
            false => (0..self.words).find_map(|word| in_word(u64::from(word) * self.word_bits())),
        }
    }

    /// Puts `value` where a bucket's first slot holds `old`; false if none does.
    #[inline(always)]
    fn replace<B: BytesMut + ?Sized>(&self, bytes: &mut B, cell: Cell, old: u32, value: u32) -> bool {
        let Some(offset) = self.search(bytes, cell, old) else { return false };
        self.write(bytes, cell * self.bucket_bits + offset, value);
        true
    }

    /// The candidate bucket with more empty slots, the first of equals.
    #[inline(always)]
    fn emptier<B: Bytes + ?Sized>(&self, bytes: &B, candidates: &Candidates) -> Cell {
        let [first, second] = [candidates.as_slice()[0], candidates.as_slice()[1]];
        if self.empty_slots(bytes, second) > self.empty_slots(bytes, first) { second } else { first }
    }

    #[inline(always)]
    fn empty_slots<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> u32 {
        match self.words {
            1 => self.lanes.zeros(self.word(bytes, cell * self.bucket_bits)).count_ones(),
            _ => (0..self.slots_per_cell()).filter(|&slot| self.get(bytes, cell, slot) == 0).count() as u32,
        }
    }

    /// Writes the slot that starts at a bit.
    #[inline(always)]
    fn write<B: BytesMut + ?Sized>(&self, bytes: &mut B, bit: u64, value: u32) {
        let shift = bit % 8;
        bytes.store((bit / 8) as usize, !(self.fingerprints << shift), u64::from(value) << shift);
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

impl<const STRAIGHT: bool> Cells for Packed<STRAIGHT> {
    type Probe<W: Word> = Probe<W>;

    #[inline(always)]
    fn locate<W: Word>(&self, hash: W) -> Probe<W> {
        let (first, rest) = self.index.first(hash);
        let fingerprint = Fingerprint::digit(rest, W::splat(self.fingerprints));
        let second = match STRAIGHT {
            true => self.index.reflected(first, fingerprint).0,
            false => self.index.partner_and_rest(first, fingerprint).0,
        };
        let unit = if STRAIGHT { self.bucket_bytes } else { self.bucket_bits };
        Probe { starts: [first.scale(unit), second.scale(unit)], broadcast: self.lanes.broadcast(fingerprint) }
    }

    #[inline(always)]
    fn prefetch<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Probe<W>) {
        for start in probe.starts {
            start.each(|start| bytes.prefetch(if STRAIGHT { start } else { start / 8 } as usize));
        }
    }

    #[inline(always)]
    fn matches<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Probe<W>) -> W {
        let [first, second] = probe.starts;
        let differ = |start| self.words_at(bytes, start) ^ probe.broadcast;
        let mut found = self.lanes.any_zero_of_two(differ(first), differ(second));
        if !STRAIGHT {
            for word in 1..self.words {
                let offset = W::splat(u64::from(word) * self.word_bits());
                found = found | self.lanes.any_zero_of_two(differ(first.plus(offset)), differ(second.plus(offset)));
            }
        }
        found
    }

    #[inline(always)]
    fn candidates(&self, hash: u64) -> (Candidates, Fingerprint) {
        let (first, rest) = self.index.first(hash);
        let fingerprint = Fingerprint::from_digit(Fingerprint::digit(rest, self.fingerprints));
        (Candidates::two(first, self.index.partner(first, fingerprint)), fingerprint)
    }

    #[inline(always)]
    fn candidates_from(&self, cell: Cell, fingerprint: Fingerprint) -> Candidates {
        Candidates::two(cell, self.index.partner(cell, fingerprint))
    }

    #[inline(always)]
    fn lines<W: Word>(&self, probe: &Probe<W>) -> [W; 2] {
        probe.starts.map(|start| start.shr(if STRAIGHT { 6 } else { 9 }))
    }

    #[inline(always)]
    fn line(&self, cell: Cell) -> u64 {
        cell * self.bucket_bits / LINE_BITS as u64
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
    fn is_full<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> bool {
        self.search(bytes, cell, 0).is_none()
    }

    #[inline(always)]
    fn free_slot<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> Option<u32> {
        self.search(bytes, cell, 0).map(|bit| bit as u32 / self.lanes.width())
    }

    #[inline(always)]
    fn get<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell, slot: u32) -> u32 {
        let (bit, lane) = self.place(cell, slot);
        self.lanes.get(self.word(bytes, bit), lane) as u32
    }

    #[inline(always)]
    fn set<B: BytesMut + ?Sized>(&self, bytes: &mut B, cell: Cell, slot: u32, value: u32) -> u32 {
        self.write(bytes, cell * self.bucket_bits + u64::from(slot * self.lanes.width()), value);
        slot
    }

    #[inline(always)]
    fn prefetch_cell<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) {
        self.prefetch_bucket(bytes, cell * self.bucket_bits / 8);
    }

    #[inline(always)]
    fn choose<B: Bytes + ?Sized>(&self, bytes: &B, candidates: &Candidates) -> Option<(Cell, u64)> {
        let cell = self.emptier(bytes, candidates);
        self.search(bytes, cell, 0).map(|offset| (cell, cell * self.bucket_bits + offset))
    }

    #[inline(always)]
    fn fill<B: BytesMut + ?Sized>(&self, bytes: &mut B, place: (Cell, u64), fingerprint: Fingerprint) -> bool {
        let empty = self.word(bytes, place.1) & self.fingerprints == 0;
        if empty {
            self.write(bytes, place.1, fingerprint.get());
        }
        empty
    }

    #[inline(always)]
    fn place<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        let cell = self.emptier(bytes, candidates);
        self.replace(bytes, cell, 0, fingerprint.get())
    }

    #[inline(always)]
    fn take<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        candidates.as_slice().iter().any(|&cell| self.replace(bytes, cell, fingerprint.get(), 0))
    }

    fn validate(&self, bytes: &[u8]) -> Result<u64, &'static str> {
        validate_padding(bytes, self.cells() * self.bucket_bits)?;
        let occupied =
            |cell| (0..self.slots_per_cell()).filter(|&slot| self.get(bytes, cell, slot) != 0).count() as u64;
        Ok((0..self.cells()).map(occupied).sum())
    }
}
