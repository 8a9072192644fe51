//! Counting Bloom filter (Fan, Cao, Almeida, Broder 1998): a counter of four bits where Bloom has a bit.

use xxhash_rust::xxh3::xxh3_64;

use super::{Built, Ops, Plan, each};

const FULL: u8 = 15;

pub(super) struct CountingBloom {
    nibbles: Vec<u8>,
    counters: u64,
    hashes: u32,
    rate: f64,
}

pub(super) fn build(plan: &Plan) -> Built {
    each(match plan.memory {
        Some(bytes) => CountingBloom::new(bytes * 2, plan.items),
        None => CountingBloom::for_rate(plan.items, plan.rate),
    })
}

impl CountingBloom {
    fn for_rate(items: u64, rate: f64) -> Self {
        let per_item = -rate.log2() * std::f64::consts::LOG2_E;
        Self::new((items as f64 * per_item).ceil() as u64, items)
    }

    fn new(counters: u64, items: u64) -> Self {
        let counters = counters.max(2);
        let items = items.max(1) as f64;
        let hashes = (counters as f64 / items * std::f64::consts::LN_2).round().clamp(1.0, 32.0) as u32;
        let set = 1.0 - (-f64::from(hashes) * items / counters as f64).exp();
        CountingBloom {
            nibbles: vec![0; counters.div_ceil(2) as usize],
            counters,
            hashes,
            rate: set.powi(hashes as i32),
        }
    }

    /// Counter positions of a hash, by enhanced double hashing.
    #[inline(always)]
    fn positions(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let counters = self.counters;
        let mut at = hash;
        let mut step = hash.rotate_left(32).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        (0..u64::from(self.hashes)).map(move |i| {
            let position = ((u128::from(at) * u128::from(counters)) >> 64) as usize;
            at = at.wrapping_add(step);
            step = step.wrapping_add(i);
            position
        })
    }

    #[inline(always)]
    fn counter(&self, i: usize) -> u8 {
        (self.nibbles[i / 2] >> (i % 2 * 4)) & FULL
    }

    #[inline]
    fn insert_hash(&mut self, hash: u64) {
        for i in self.positions(hash) {
            // A counter that is full stays full: it may be shared by more than 15 items.
            if self.counter(i) != FULL {
                self.nibbles[i / 2] += 1 << (i % 2 * 4);
            }
        }
    }

    #[inline]
    fn contains_hash(&self, hash: u64) -> bool {
        self.positions(hash).all(|i| self.counter(i) != 0)
    }

    #[inline]
    fn remove_hash(&mut self, hash: u64) -> bool {
        if !self.contains_hash(hash) {
            return false;
        }
        for i in self.positions(hash) {
            // Zero can be met here only where one item has a position twice and was never stored.
            if !matches!(self.counter(i), 0 | FULL) {
                self.nibbles[i / 2] -= 1 << (i % 2 * 4);
            }
        }
        true
    }
}

impl Ops for CountingBloom {
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.insert_hash(xxh3_64(&key.to_le_bytes()));
        true
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
        self.insert_hash(xxh3_64(key.as_bytes()));
        true
    }
    fn contains_text(&self, key: &str) -> bool {
        self.contains_hash(xxh3_64(key.as_bytes()))
    }
    fn memory_bytes(&self) -> u64 {
        self.nibbles.len() as u64
    }
    fn promised_rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keys;

    #[test]
    fn keeps_what_it_holds_and_its_rate() {
        let keys = Keys::random(1);
        let mut filter = CountingBloom::for_rate(20_000, 0.01);
        for i in 0..30_000 {
            filter.insert(keys.get(i));
        }
        for i in 0..10_000 {
            assert!(filter.remove(keys.get(i)));
        }
        assert!((10_000..30_000).all(|i| filter.contains(keys.get(i))));
        let wrong = (1_000_000..1_200_000).filter(|&i| filter.contains(keys.get(i))).count();
        assert!(wrong < 2_300, "{wrong} of 200,000");
        for i in 10_000..30_000 {
            assert!(filter.remove(keys.get(i)));
        }
        // Only full counters may be left.
        let left = (0..filter.counters as usize).filter(|&i| filter.counter(i) != 0).count();
        assert!(left < 10, "{left} counters left");
    }

    #[test]
    fn copies_beyond_the_counter_never_lose_an_item() {
        let mut filter = CountingBloom::for_rate(100, 0.01);
        for _ in 0..40 {
            filter.insert(7);
        }
        for _ in 0..39 {
            filter.remove(7);
        }
        assert!(filter.contains(7));
    }

    #[test]
    fn takes_four_times_a_bloom_filter() {
        let filter = CountingBloom::for_rate(1_000_000, 0.001);
        let bits = filter.memory_bytes() as f64 * 8.0 / 1e6;
        assert!((bits / (std::f64::consts::LOG2_E * 1000f64.log2()) - 4.0).abs() < 0.01, "{bits}");
    }
}
