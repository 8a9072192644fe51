//! d-left counting Bloom filter (Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006).
//!
//! Four subtables of buckets of eight cells; a cell is a remainder and a two-bit counter. An item's fingerprint is a
//! pair (bucket, remainder); subtable `i` places it by a bijection of its own on such pairs, so that two fingerprints that
//! differ never meet as the same cell anywhere. It goes to the least filled of its four buckets, the leftmost of equals.

use xxhash_rust::xxh3::xxh3_64;

use super::{Built, Ops, Plan, each};

const SUBTABLES: usize = 4;
const CELLS: usize = 8;
/// Cells that are planned to be in use, of eight.
const PLANNED: f64 = 6.0;
const COUNTER_BITS: u32 = 2;
const COUNTER_FULL: u64 = 3;
const SALTS: [u64; SUBTABLES] =
    [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x8597_3C2F_6A4B_D1A5];

pub(super) struct DLeft {
    bytes: Vec<u8>,
    /// Buckets of one subtable.
    buckets: u64,
    remainder_bits: u32,
    cell_bits: u32,
    /// Cells that are compared at once in 128 bits: all eight, or four where cells are wider than 16 bits.
    group_cells: usize,
    /// The lowest bit of every cell of a group.
    low: u128,
    /// All bits of every cell but its highest.
    below_high: u128,
}

/// Where a fingerprint lies: its bucket in each subtable, and its remainder in every cell of a group.
struct Place {
    buckets: [u64; SUBTABLES],
    remainder: u64,
    pattern: u128,
}

pub(super) fn build(plan: &Plan) -> Built {
    let filter = match plan.memory {
        None => DLeft::for_rate(plan.items, plan.rate),
        Some(bytes) => {
            let remainder_bits = DLeft::remainder_for(plan.rate);
            let cells = bytes * 8 / u64::from(remainder_bits + COUNTER_BITS);
            DLeft::new(cells / (SUBTABLES * CELLS) as u64, remainder_bits)
        }
    };
    each(filter)
}

impl DLeft {
    /// A lookup compares four buckets of on average six cells.
    fn remainder_for(rate: f64) -> u32 {
        ((SUBTABLES as f64 * PLANNED / rate).log2().ceil() as u32).clamp(2, 24 - COUNTER_BITS)
    }

    fn for_rate(items: u64, rate: f64) -> Self {
        let buckets = (items as f64 / (SUBTABLES as f64 * PLANNED)).ceil() as u64;
        Self::new(buckets, Self::remainder_for(rate))
    }

    fn new(buckets: u64, remainder_bits: u32) -> Self {
        let buckets = buckets.max(1);
        let cell_bits = remainder_bits + COUNTER_BITS;
        let table = buckets * SUBTABLES as u64 * u64::from(cell_bits);
        let group_cells = if cell_bits <= 16 { CELLS } else { CELLS / 2 };
        let spread = |bits: u128| (0..group_cells as u32).fold(0u128, |all, i| all | bits << (i * cell_bits));
        DLeft {
            // Eight cells of n bits are n bytes, so every bucket starts at a byte; the rest pads the last load.
            bytes: vec![0; table as usize + 32],
            buckets,
            remainder_bits,
            cell_bits,
            group_cells,
            low: spread(1),
            below_high: spread((1 << (cell_bits - 1)) - 1),
        }
    }

    #[inline(always)]
    fn place(&self, hash: u64) -> Place {
        let wide = u128::from(hash) * u128::from(self.buckets);
        let base = (wide >> 64) as u64;
        let remainder = (wide as u64) >> (64 - self.remainder_bits);
        let buckets = SALTS.map(|salt| {
            // Bucket plus a function of the remainder: for each remainder a rotation, so a bijection on the pairs.
            let turn = (remainder + 1).wrapping_mul(salt);
            let turn = (turn ^ (turn >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let moved = base + ((u128::from(turn) * u128::from(self.buckets)) >> 64) as u64;
            if moved >= self.buckets { moved - self.buckets } else { moved }
        });
        Place { buckets, remainder, pattern: self.low * u128::from(remainder << COUNTER_BITS) }
    }

    #[inline(always)]
    fn offset(&self, subtable: usize, bucket: u64) -> usize {
        (subtable as u64 * self.buckets + bucket) as usize * self.cell_bits as usize
    }

    /// The cells of a group of a bucket; bits above them are of the next.
    #[inline(always)]
    fn group(&self, offset: usize, group: usize) -> u128 {
        let bit = group * self.group_cells * self.cell_bits as usize;
        let at = offset + bit / 8;
        let bytes: [u8; 16] = self.bytes[at..at + 16].try_into().expect("16 bytes");
        u128::from_le_bytes(bytes) >> (bit % 8)
    }

    fn groups(&self) -> std::ops::Range<usize> {
        0..CELLS / self.group_cells
    }

    /// The lowest bit of each cell in use: its counter is not zero.
    #[inline(always)]
    fn used(&self, group: u128) -> u128 {
        (group | group >> 1) & self.low
    }

    /// The lowest bit of each cell in use that holds the remainder.
    #[inline(always)]
    fn matches(&self, group: u128, place: &Place) -> u128 {
        let differs = (group ^ place.pattern) & !(self.low | self.low << 1);
        // A carry reaches a cell's highest bit exactly if a lower bit differs.
        let any = ((differs & self.below_high) + self.below_high) | differs;
        !any >> (self.cell_bits - 1) & self.used(group)
    }

    fn cell_value(&self, offset: usize, cell: usize) -> u64 {
        let group = self.group(offset, cell / self.group_cells);
        (group >> (cell % self.group_cells * self.cell_bits as usize)) as u64 & ((1 << self.cell_bits) - 1)
    }

    fn set_cell(&mut self, offset: usize, cell: usize, value: u64) {
        let bit = cell * self.cell_bits as usize;
        let at = offset + bit / 8;
        let shift = bit % 8;
        let bytes: [u8; 8] = self.bytes[at..at + 8].try_into().expect("8 bytes");
        let mask = ((1u64 << self.cell_bits) - 1) << shift;
        let word = u64::from_le_bytes(bytes) & !mask | value << shift;
        self.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }

    /// Offset, cell number and cell of the fingerprint, if it is stored.
    #[inline(always)]
    fn find(&self, place: &Place) -> Option<(usize, usize, u64)> {
        for (subtable, &bucket) in place.buckets.iter().enumerate() {
            let offset = self.offset(subtable, bucket);
            for group in self.groups() {
                let found = self.matches(self.group(offset, group), place);
                if found != 0 {
                    let cell = group * self.group_cells + (found.trailing_zeros() / self.cell_bits) as usize;
                    return Some((offset, cell, self.cell_value(offset, cell)));
                }
            }
        }
        None
    }

    fn insert_hash(&mut self, hash: u64) -> bool {
        let place = self.place(hash);
        if let Some((offset, cell, value)) = self.find(&place) {
            // A full counter stays full: fewer removals than copies then never lose an item.
            if value & COUNTER_FULL != COUNTER_FULL {
                self.set_cell(offset, cell, value + 1);
            }
            return true;
        }
        let mut best: Option<(usize, usize)> = None;
        let mut least = CELLS as u32;
        for (subtable, &bucket) in place.buckets.iter().enumerate() {
            let offset = self.offset(subtable, bucket);
            let mut used = 0;
            let mut free = None;
            for group in self.groups() {
                let taken = self.used(self.group(offset, group));
                used += taken.count_ones();
                let open = (!taken & self.low).trailing_zeros() / self.cell_bits;
                free = free.or((taken != self.low).then_some(group * self.group_cells + open as usize));
            }
            if used < least {
                least = used;
                best = free.map(|free| (offset, free));
            }
        }
        let Some((offset, free)) = best else { return false };
        self.set_cell(offset, free, place.remainder << COUNTER_BITS | 1);
        true
    }

    #[inline]
    fn contains_hash(&self, hash: u64) -> bool {
        // All four buckets are looked at without a branch between: their misses overlap.
        let place = self.place(hash);
        let mut found = 0;
        for (subtable, &bucket) in place.buckets.iter().enumerate() {
            let offset = self.offset(subtable, bucket);
            for group in self.groups() {
                found |= self.matches(self.group(offset, group), &place);
            }
        }
        found != 0
    }

    fn remove_hash(&mut self, hash: u64) -> bool {
        let place = self.place(hash);
        let Some((offset, cell, value)) = self.find(&place) else { return false };
        match value & COUNTER_FULL {
            COUNTER_FULL => {}
            1 => self.set_cell(offset, cell, 0),
            _ => self.set_cell(offset, cell, value - 1),
        }
        true
    }
}

impl Ops for DLeft {
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.insert_hash(xxh3_64(&key.to_le_bytes()))
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.contains_hash(xxh3_64(&key.to_le_bytes()))
    }
    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.remove_hash(xxh3_64(&key.to_le_bytes()))
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.insert_hash(xxh3_64(key.as_bytes()))
    }
    fn contains_text(&self, key: &str) -> bool {
        self.contains_hash(xxh3_64(key.as_bytes()))
    }
    fn memory_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn promised_rate(&self) -> f64 {
        SUBTABLES as f64 * PLANNED / 2f64.powi(self.remainder_bits as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keys;
    use std::collections::HashSet;

    #[test]
    fn keeps_what_it_holds_and_its_rate_at_every_width() {
        for rate in [0.2, 0.01, 0.0001, 0.00001] {
            let keys = Keys::random(3);
            let mut filter = DLeft::for_rate(50_000, rate);
            assert!((0..50_000).all(|i| filter.insert(keys.get(i))));
            assert!((0..50_000).all(|i| filter.contains(keys.get(i))));
            let wrong = (1_000_000..1_200_000).filter(|&i| filter.contains(keys.get(i))).count() as f64;
            let expected = 200_000.0 * filter.promised_rate();
            assert!(wrong <= expected + 5.0 * expected.sqrt() + 3.0, "{wrong} of 200,000 at {rate}");
            for i in 0..25_000 {
                assert!(filter.remove(keys.get(i)));
            }
            assert!((25_000..50_000).all(|i| filter.contains(keys.get(i))), "{rate}");
            for i in 25_000..50_000 {
                assert!(filter.remove(keys.get(i)));
            }
            // Only sticky counters may be left: four items of one fingerprint, likely only with very short ones.
            let left = (0..50_000).filter(|&i| filter.contains(keys.get(i))).count();
            assert!(rate > 0.1 || left == 0, "{left} left at {rate}");
        }
    }

    #[test]
    fn placements_are_bijections() {
        let filter = DLeft::new(37, 4);
        let mut seen: [HashSet<(u64, u64)>; SUBTABLES] = Default::default();
        let mut all = HashSet::new();
        for i in 0..200_000u64 {
            let hash = crate::keys::mix(i);
            let place = filter.place(hash);
            let base = ((u128::from(hash) * 37) >> 64) as u64;
            all.insert((base, place.remainder));
            for (set, &bucket) in seen.iter_mut().zip(&place.buckets) {
                set.insert((bucket, place.remainder));
            }
        }
        assert_eq!(all.len(), 37 * 16);
        assert!(seen.iter().all(|set| set.len() == all.len()));
    }

    #[test]
    fn copies_and_refusals() {
        let mut filter = DLeft::new(1, 12);
        for _ in 0..10 {
            assert!(filter.insert(1));
        }
        for _ in 0..9 {
            assert!(filter.remove(1));
        }
        assert!(filter.contains(1), "a full counter must stay");
        let stored = (2..100).filter(|&k| filter.insert(k)).count();
        assert!((28..98).contains(&stored), "{stored}");
    }
}
