//! Filters of both modes in many sizes, and keys.

use cuculus::{GrowingBuilder, GrowingFilter};

/// A stream of hashes that have no pattern (SplitMix64).
pub(crate) struct Hashes(pub(crate) u64);

impl Iterator for Hashes {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Some(z ^ (z >> 31))
    }
}

/// `CUCULUS_TEST_SCALE` percent of a test's work.
pub(crate) fn scaled(count: u64) -> u64 {
    let scale = std::env::var("CUCULUS_TEST_SCALE").ok().and_then(|scale| scale.parse::<u64>().ok());
    scale.map_or(count, |percent| (count * percent / 100).max(1))
}

/// An open end and a declared maximum, from a small start.
pub(crate) fn builders(rate: f64, maximum: u64) -> [GrowingBuilder; 2] {
    let builder = || GrowingFilter::builder().false_positive_rate(rate).start_items(300);
    [builder(), builder().maximum_items(maximum)]
}

/// Filters of both modes with so many items, whose hashes are the first of `Hashes(seed)`.
pub(crate) fn filled(items: usize, seed: u64) -> [GrowingFilter; 2] {
    builders(0.001, 30_000).map(|builder| {
        let mut filter = builder.seed(seed).build().unwrap();
        Hashes(seed).take(items).for_each(|hash| filter.insert_hash(hash).unwrap());
        filter
    })
}
