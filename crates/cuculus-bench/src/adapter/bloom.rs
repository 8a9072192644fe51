//! Bloom (fastbloom) and blocked Bloom (sbbf), neither of which can remove.

use fastbloom::BloomFilter;
use foldhash::fast::FixedState;
use xxhash_rust::xxh3::xxh3_64;

use super::{Built, Ops, Plan, each};

struct Bloom {
    filter: BloomFilter<FixedState>,
    rate: f64,
}

/// As its documentation does it for speed: sized from rate and items, with foldhash.
pub(super) fn fastbloom(plan: &Plan) -> Built {
    let items = plan.items as usize;
    let hasher = FixedState::default();
    let (filter, rate) = match plan.memory {
        Some(bytes) => {
            let k = 8.0 * bytes as f64 / plan.items as f64 * std::f64::consts::LN_2;
            let builder = BloomFilter::with_num_bits(bytes as usize * 8).hasher(hasher);
            (builder.expected_items(items), 0.5f64.powf(k))
        }
        None => (BloomFilter::with_false_pos(plan.rate).hasher(hasher).expected_items(items), plan.rate),
    };
    each(Bloom { filter, rate })
}

impl Ops for Bloom {
    const DELETES: bool = false;

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert(&key);
        true
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains(&key)
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.filter.insert(key);
        true
    }
    fn contains_text(&self, key: &str) -> bool {
        self.filter.contains(key)
    }
    fn memory_bytes(&self) -> u64 {
        self.filter.num_bits() as u64 / 8
    }
    fn promised_rate(&self) -> f64 {
        self.rate
    }
}

struct Blocked {
    filter: sbbf_rs_safe::Filter,
    rate: f64,
}

/// Bits a key that the crate's documentation points to: a plain Bloom filter's for the rate, rounded up.
pub(super) fn sbbf(plan: &Plan) -> Built {
    let bits = match plan.memory {
        Some(bytes) => 8.0 * bytes as f64 / plan.items as f64,
        None => (-plan.rate.log2() * std::f64::consts::LOG2_E).ceil(),
    };
    // Whole bits a key only: where the memory is given, key count and bits are chosen to multiply to it.
    let filter = match plan.memory {
        Some(bytes) => sbbf_rs_safe::Filter::new(8, bytes as usize),
        None => sbbf_rs_safe::Filter::new(bits as usize, plan.items as usize),
    };
    each(Blocked { filter, rate: blocked_rate(bits) })
}

/// Expected rate of a split block Bloom filter (eight words of 32 bits) at so many bits a key: a Poisson sum over the
/// keys of a block.
fn blocked_rate(bits_per_key: f64) -> f64 {
    let mean = 256.0 / bits_per_key;
    let mut weight = (-mean).exp();
    let mut sum = 0.0;
    for keys in 1..1_000 {
        weight *= mean / f64::from(keys);
        sum += weight * (1.0 - (31.0f64 / 32.0).powi(keys)).powi(8);
    }
    sum
}

impl Ops for Blocked {
    const DELETES: bool = false;

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert_hash(xxh3_64(&key.to_le_bytes()));
        true
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains_hash(xxh3_64(&key.to_le_bytes()))
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.filter.insert_hash(xxh3_64(key.as_bytes()));
        true
    }
    fn contains_text(&self, key: &str) -> bool {
        self.filter.contains_hash(xxh3_64(key.as_bytes()))
    }
    fn memory_bytes(&self) -> u64 {
        self.filter.as_bytes().len() as u64
    }
    fn promised_rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn split_block_rates_match_the_literature() {
        // The Parquet specification's tables: 9.6 to 10.5 bits for 1 %, 16.9 for 0.1 %.
        assert!((super::blocked_rate(10.5) - 0.01).abs() < 0.001);
        assert!((super::blocked_rate(16.9) - 0.001).abs() < 0.0002);
    }
}
