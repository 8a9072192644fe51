//! Semi-sorted: four fingerprints whose top nibbles are stored as one of 3,876 sorted combinations (paper, section 5.2).
//!
//! A bucket is a 12-bit code and then the four fingerprints' low bits, in ascending order of the whole fingerprints, so
//! that equal sets have equal bytes; empty slots sort first. A lookup compares the low bits in the encoded word, as the
//! packed layout does, and decodes the code only where they match.

use super::{Candidates, Cell, Cells, validate_padding};
use crate::bits::{Bytes, BytesMut, Lanes, Word, mask};
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, LINE_BITS};
use crate::index::Index;

const CODE_BITS: u32 = 12;
/// Multisets of four nibbles: C(19, 4).
const CODES: usize = 3876;
const NIBBLES: Lanes = Lanes::new(4, 4);

#[derive(Clone, Copy, Debug)]
pub(crate) struct SemiSorted {
    index: Index,
    fingerprints: u64,
    bucket_bits: u64,
    /// Bits of a fingerprint below its top nibble.
    low_bits: u32,
    /// The low parts that are read as one word: all four, or two where they are wide.
    lanes: Lanes,
    /// The word that holds the first low parts holds the code too.
    single: bool,
    /// For each set of slots, the high bits of their low parts' lanes.
    lanes_of: [u64; 16],
}

/// An item's two buckets, the low part of its fingerprint in every lane, and its top nibble.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe<W> {
    bits: [W; 2],
    broadcast: W,
    nibble: W,
}

impl SemiSorted {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        let low_bits = geometry.fingerprint_bits - 4;
        let bucket_bits = geometry.bucket_bits();
        // Buckets are multiples of four bits, so a word loses at most four bits to its offset in a byte.
        let single = bucket_bits <= 60 || bucket_bits == 64;
        let high_bit = |slot: u32| 1 << (slot * low_bits + low_bits - 1);
        let lanes_of = |set: usize| (0..4).filter(|slot| set >> slot & 1 == 1).map(high_bit).sum();
        SemiSorted {
            lanes_of: core::array::from_fn(|set| if single { lanes_of(set) } else { 0 }),
            index: Index::new(geometry.buckets, geometry.placement),
            fingerprints: mask(geometry.fingerprint_bits),
            bucket_bits: bucket_bits.into(),
            low_bits,
            lanes: Lanes::new(low_bits, if single { 4 } else { 2 }),
            single,
        }
    }

    #[inline(always)]
    fn word<B: Bytes + ?Sized>(&self, bytes: &B, bit: u64) -> u64 {
        // SAFETY: `bit` lies in a bucket below `index.buckets()`, and `bytes` has `table_bytes()` bytes, which leaves
        // seven after the last byte that holds a slot: see the trait's contract and `Geometry::table_bytes`.
        unsafe { bytes.load((bit / 8) as usize) >> (bit % 8) }
    }

    /// The words of low parts of a bucket, in order; one of them where `single`.
    #[inline(always)]
    fn low_words<B: Bytes + ?Sized>(&self, bytes: &B, bit: u64) -> [u64; 2] {
        match self.single {
            true => [self.word(bytes, bit) >> CODE_BITS, 0],
            false => {
                let start = bit + u64::from(CODE_BITS);
                [self.word(bytes, start), self.word(bytes, start + 2 * u64::from(self.low_bits))]
            }
        }
    }

    #[inline(always)]
    fn nibbles<B: Bytes + ?Sized>(&self, bytes: &B, bit: u64) -> u64 {
        decode(self.word(bytes, bit) & mask(CODE_BITS)).into()
    }

    /// The four fingerprints of a bucket, ascending; empty slots are 0 and come first.
    #[inline]
    fn read<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> [u32; 4] {
        let bit = cell * self.bucket_bits;
        let nibbles = self.nibbles(bytes, bit);
        let low = self.low_words(bytes, bit);
        let (per_word, low_bits) = (self.lanes.count(), self.low_bits);
        core::array::from_fn(|slot| {
            let slot = slot as u32;
            let word = low[(slot / per_word) as usize];
            let part = self.lanes.get(word, slot % per_word);
            (NIBBLES.get(nibbles, slot) << low_bits | part) as u32
        })
    }

    #[inline]
    fn write<B: BytesMut + ?Sized>(&self, bytes: &mut B, cell: Cell, mut values: [u32; 4]) {
        sort(&mut values);
        let bit = cell * self.bucket_bits;
        let code = encode(values.map(|value| (value >> self.low_bits) as u8));
        let low = values.map(|value| u64::from(value) & mask(self.low_bits));
        let put = |bytes: &mut B, bit: u64, width: u32, value: u64| {
            let shift = bit % 8;
            bytes.store((bit / 8) as usize, !(mask(width) << shift), value << shift);
        };
        let pair = |first: usize| low[first] | low[first + 1] << self.low_bits;
        if self.single {
            let word = code | pair(0) << CODE_BITS | pair(2) << (CODE_BITS + 2 * self.low_bits);
            put(bytes, bit, self.bucket_bits as u32, word);
        } else {
            put(bytes, bit, CODE_BITS, code);
            put(bytes, bit + u64::from(CODE_BITS), 2 * self.low_bits, pair(0));
            put(bytes, bit + u64::from(CODE_BITS + 2 * self.low_bits), 2 * self.low_bits, pair(2));
        }
    }

    /// Which slots of a bucket have this top nibble: bit `slot` of the result.
    #[inline(always)]
    fn same_nibble(code: u64, nibble: u64) -> u64 {
        let marks = NIBBLES.zeros(u64::from(decode(code)) ^ NIBBLES.broadcast(nibble)) >> 3;
        // Bits 0, 4, 8, 12 come to 12, 13, 14, 15; no two of the products' bits meet.
        (marks * 0x1248) >> 12 & 15
    }

    /// Whether one of the slots whose low parts match has the top nibble too.
    #[inline(always)]
    fn confirmed(&self, word: u64, low_matches: u64, nibble: u64) -> bool {
        low_matches & self.lanes_of[Self::same_nibble(word, nibble) as usize] != 0
    }

    /// The same for buckets of more than one word.
    #[inline]
    fn wide_match<B: Bytes + ?Sized>(&self, bytes: &B, bit: u64, broadcast: u64, nibble: u64) -> bool {
        let [first, second] = self.low_words(bytes, bit).map(|word| self.lanes.zeros(word ^ broadcast));
        if first | second == 0 {
            return false;
        }
        let same = Self::same_nibble(self.word(bytes, bit), nibble);
        let lane = |word: u64, slot: u32| word >> (slot % 2 * self.low_bits + self.low_bits - 1) & 1;
        (0..4).any(|slot| same >> slot & lane(if slot < 2 { first } else { second }, slot) != 0)
    }
}

impl SemiSorted {
    #[inline(always)]
    fn matches_one<B: Bytes + ?Sized>(&self, bytes: &B, bits: [u64; 2], broadcast: u64, nibble: u64) -> bool {
        if !self.single {
            return bits.iter().any(|&bit| self.wide_match(bytes, bit, broadcast, nibble));
        }
        let words = bits.map(|bit| self.word(bytes, bit));
        let [first, second] = words.map(|word| self.lanes.zeros(word >> CODE_BITS ^ broadcast));
        // Nearly always at most one bucket matches in its low parts, and only that one's code is decoded, without a branch
        // on whether it does.
        if first.min(second) != 0 {
            return self.confirmed(words[0], first, nibble) | self.confirmed(words[1], second, nibble);
        }
        let (word, matches) = if first != 0 { (words[0], first) } else { (words[1], second) };
        self.confirmed(word, matches, nibble)
    }
}

impl Cells for SemiSorted {
    type Probe<W: Word> = Probe<W>;

    #[inline(always)]
    fn locate<W: Word>(&self, hash: W) -> Probe<W> {
        let (first, rest) = self.index.first(hash);
        let fingerprint = Fingerprint::digit(rest, W::splat(self.fingerprints));
        let second = self.index.partner_and_rest(first, fingerprint).0;
        Probe {
            bits: [first.scale(self.bucket_bits), second.scale(self.bucket_bits)],
            broadcast: self.lanes.broadcast(fingerprint & W::splat(mask(self.low_bits))),
            nibble: fingerprint.shr(self.low_bits),
        }
    }

    #[inline(always)]
    fn prefetch<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Probe<W>) {
        for bit in probe.bits {
            bit.each(|bit| bytes.prefetch((bit / 8) as usize));
        }
    }

    #[inline(always)]
    fn matches<W: Word, B: Bytes + ?Sized>(&self, bytes: &B, probe: &Probe<W>) -> W {
        let ([first, second], broadcast, nibble) = (probe.bits, probe.broadcast, probe.nibble);
        W::of_four(
            [first, second, broadcast, nibble],
            #[inline(always)]
            |[first, second, broadcast, nibble]| u64::from(self.matches_one(bytes, [first, second], broadcast, nibble)),
        )
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
        probe.bits.map(|bit| bit.shr(9))
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
        4
    }

    #[inline(always)]
    fn bucket_of(&self, cell: Cell) -> u64 {
        cell
    }

    #[inline(always)]
    fn free_slot<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> Option<u32> {
        // Sorted: the first slot is empty if any is.
        let bit = cell * self.bucket_bits;
        let low = self.low_words(bytes, bit)[0] & mask(self.low_bits);
        let code = self.word(bytes, bit) & mask(CODE_BITS);
        (low == 0 && decode(code) & 15 == 0).then_some(0)
    }

    #[inline(always)]
    fn is_full<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) -> bool {
        self.free_slot(bytes, cell).is_none()
    }

    #[inline(always)]
    fn get<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell, slot: u32) -> u32 {
        self.read(bytes, cell)[slot as usize]
    }

    #[inline]
    fn set<B: BytesMut + ?Sized>(&self, bytes: &mut B, cell: Cell, slot: u32, value: u32) -> u32 {
        let mut values = self.read(bytes, cell);
        values[slot as usize] = value;
        self.write(bytes, cell, values);
        // The slots below the value, other than the one it came to.
        let others = (0..4).filter(|&other| other != slot as usize);
        others.filter(|&other| values[other] < value).count() as u32
    }

    #[inline(always)]
    fn prefetch_cell<B: Bytes + ?Sized>(&self, bytes: &B, cell: Cell) {
        bytes.prefetch((cell * self.bucket_bits / 8) as usize);
    }

    fn count<B: Bytes + ?Sized>(&self, bytes: &B, candidates: &Candidates, fingerprint: Fingerprint) -> u32 {
        let in_cell = |&cell: &Cell| self.read(bytes, cell).iter().filter(|&&v| v == fingerprint.get()).count() as u32;
        candidates.as_slice().iter().map(in_cell).sum()
    }

    #[inline]
    fn choose<B: Bytes + ?Sized>(&self, bytes: &B, candidates: &Candidates) -> Option<(Cell, u64)> {
        let [first, second] = [candidates.as_slice()[0], candidates.as_slice()[1]];
        let empty = |cell| self.read(bytes, cell).iter().filter(|&&value| value == 0).count();
        let cell = if empty(second) > empty(first) { second } else { first };
        // Empty slots come first, and where the item lies in the end is a matter of its size.
        self.free_slot(bytes, cell).map(|_| (cell, cell * self.bucket_bits))
    }

    #[inline]
    fn fill<B: BytesMut + ?Sized>(&self, bytes: &mut B, (cell, _): (Cell, u64), fingerprint: Fingerprint) -> bool {
        let empty = self.free_slot(bytes, cell).is_some();
        if empty {
            self.set(bytes, cell, 0, fingerprint.get());
        }
        empty
    }

    #[inline]
    fn place<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        let [first, second] =
            [candidates.as_slice()[0], candidates.as_slice()[1]].map(|cell| (cell, self.read(bytes, cell)));
        // Empty slots are zeros, and they come first.
        let empty = |values: &[u32; 4]| values.iter().filter(|&&value| value == 0).count();
        let (cell, mut values) = if empty(&second.1) > empty(&first.1) { second } else { first };
        if values[0] != 0 {
            return false;
        }
        values[0] = fingerprint.get();
        self.write(bytes, cell, values);
        true
    }

    #[inline]
    fn take<B: BytesMut + ?Sized>(&self, bytes: &mut B, candidates: &Candidates, fingerprint: Fingerprint) -> bool {
        candidates.as_slice().iter().any(|&cell| {
            let mut values = self.read(bytes, cell);
            let Some(slot) = values.iter().position(|&value| value == fingerprint.get()) else { return false };
            values[slot] = 0;
            self.write(bytes, cell, values);
            true
        })
    }

    fn validate(&self, bytes: &[u8]) -> Result<u64, &'static str> {
        validate_padding(bytes, self.cells() * self.bucket_bits)?;
        let mut occupied = 0;
        for cell in 0..self.cells() {
            if self.word(bytes, cell * self.bucket_bits) & mask(CODE_BITS) >= CODES as u64 {
                return Err("a bucket's code is not one of the 3,876");
            }
            let values = self.read(bytes, cell);
            if !values.is_sorted() {
                return Err("a bucket's fingerprints are not in order");
            }
            occupied += values.iter().filter(|&&value| value != 0).count() as u64;
        }
        Ok(occupied)
    }
}

/// The network of five exchanges that sorts four values.
#[inline(always)]
fn sort(v: &mut [u32; 4]) {
    for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        (v[i], v[j]) = (v[i].min(v[j]), v[i].max(v[j]));
    }
}

/// How many multisets come before one: `C(n, k)` summed as in the combinatorial number system, so no table of 65,536.
#[inline(always)]
const fn encode(sorted: [u8; 4]) -> u64 {
    let [a, b, c, d] = [sorted[0] as u64, sorted[1] as u64 + 1, sorted[2] as u64 + 2, sorted[3] as u64 + 3];
    a + b * (b - 1) / 2 + c * (c - 1) * (c - 2) / 6 + d * (d - 1) * (d - 2) * (d - 3) / 24
}

/// The nibbles of each code, lowest first. 8 KiB: codes that no multiset has decode to zeros.
static DECODE: [u16; 1 << CODE_BITS] = {
    let mut table = [0u16; 1 << CODE_BITS];
    let mut nibbles = 0u16;
    loop {
        let n = [(nibbles & 15) as u8, (nibbles >> 4 & 15) as u8, (nibbles >> 8 & 15) as u8, (nibbles >> 12) as u8];
        if n[0] <= n[1] && n[1] <= n[2] && n[2] <= n[3] {
            table[encode(n) as usize] = nibbles;
        }
        if nibbles == u16::MAX {
            break table;
        }
        nibbles += 1;
    }
};

#[inline(always)]
fn decode(code: u64) -> u16 {
    DECODE[(code & mask(CODE_BITS)) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_exactly_the_multisets() {
        let mut seen = [false; CODES];
        for a in 0..16u8 {
            for b in a..16 {
                for c in b..16 {
                    for d in c..16 {
                        let code = encode([a, b, c, d]);
                        assert!(!core::mem::replace(&mut seen[code as usize], true), "code {code} twice");
                        let [a, b, c, d] = [a, b, c, d].map(u16::from);
                        assert_eq!(decode(code), a | b << 4 | c << 8 | d << 12);
                    }
                }
            }
        }
        assert!(seen.iter().all(|&s| s));
    }

    #[test]
    fn the_network_sorts() {
        for i in 0..256u32 {
            let mut v = [i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6];
            sort(&mut v);
            assert!(v.is_sorted());
        }
    }
}
