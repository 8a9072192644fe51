//! The sizes of other filters, from their published formulas, to set beside ours.

use cuculus::sizing;

/// A filter that this program does not build, or a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rival {
    /// Bloom 1970.
    Bloom,
    /// Putze, Sanders, Singler 2007: all bits of an item in one cache line.
    BlockedBloom,
    /// Fan, Cao, Almeida, Broder 2000: counters of four bits for bits.
    CountingBloom,
    /// Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006.
    DLeft,
    /// Bender et al. 2012, in the rank-and-select form of Pandey et al. 2017.
    Quotient,
    /// What any filter with inserts and removals needs (Kuszmaul, Liang, Zhou 2025).
    DynamicLimit,
}

impl Rival {
    pub(crate) const ALL: [Rival; 6] =
        [Rival::Bloom, Rival::BlockedBloom, Rival::CountingBloom, Rival::DLeft, Rival::Quotient, Rival::DynamicLimit];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Rival::Bloom => "Bloom",
            Rival::BlockedBloom => "blocked Bloom",
            Rival::CountingBloom => "counting Bloom",
            Rival::DLeft => "d-left counting Bloom",
            Rival::Quotient => "quotient",
            Rival::DynamicLimit => "limit with removal",
        }
    }

    /// Whether items can be removed.
    pub(crate) fn removes(self) -> bool {
        !matches!(self, Rival::Bloom | Rival::BlockedBloom)
    }

    /// Cache lines that a lookup of a stored key reads; none for a limit.
    pub(crate) fn lines(self, rate: f64) -> Option<u32> {
        match self {
            Rival::Bloom | Rival::CountingBloom => Some(sizing::log2(1.0 / rate).round().max(1.0) as u32),
            Rival::BlockedBloom => Some(1),
            Rival::DLeft => Some(4),
            // One, and the next one where a run crosses over.
            Rival::Quotient => Some(2),
            Rival::DynamicLimit => None,
        }
    }

    /// Bytes for so many items at this rate; none where it cannot be reached.
    pub(crate) fn bytes(self, items: f64, rate: f64) -> Option<f64> {
        let bits = match self {
            Rival::Bloom => items * sizing::bloom_bits_per_item(rate),
            Rival::BlockedBloom => items * blocked_bloom_bits(rate)?,
            Rival::CountingBloom => items * 4.0 * sizing::bloom_bits_per_item(rate),
            Rival::DLeft => items * d_left_bits(rate),
            Rival::Quotient => quotient_bits(items, rate),
            Rival::DynamicLimit => items * sizing::dynamic_limit_bits_per_item(rate),
        };
        Some(bits / 8.0)
    }

    /// Items that fit into so many bytes at this rate.
    pub(crate) fn items(self, bytes: f64, rate: f64) -> Option<f64> {
        let fits = |items: f64| self.bytes(items, rate).is_some_and(|needed| needed <= bytes);
        fits(1.0).then(|| largest(1.0, bytes * 8.0 / 0.1, fits))
    }

    /// The lowest rate at which so many items fit into so many bytes.
    pub(crate) fn rate(self, bytes: f64, items: f64) -> Option<f64> {
        let fits = |k: f64| self.bytes(items, 2f64.powf(-k)).is_some_and(|needed| needed <= bytes);
        // Between one half and one in 2^60.
        fits(1.0).then(|| 2f64.powf(-largest(1.0, 60.0, fits)))
    }
}

/// The largest argument from `low`, which is good, up to `high` that is good, by bisection.
fn largest(mut low: f64, mut high: f64, good: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if good(middle) { low = middle } else { high = middle }
    }
    low
}

/// Four subtables of buckets of eight cells, six of them in use; a lookup compares 24 cells of a remainder and a counter
/// of two bits.
fn d_left_bits(rate: f64) -> f64 {
    let remainder = sizing::log2(24.0 / rate).ceil().max(1.0);
    (remainder + 2.0) * 8.0 / 6.0
}

/// A power of two of slots, filled to 0.95 at most; a slot is a remainder and 2.125 bits of metadata.
fn quotient_bits(items: f64, rate: f64) -> f64 {
    let slots = 2f64.powf(sizing::log2((items / 0.95).max(1.0)).ceil());
    let remainder = sizing::log2(items / slots / rate).ceil().max(1.0);
    slots * (remainder + 2.125)
}

/// Bits an item of a Bloom filter in blocks of 512 bits: the numbers of items in the blocks are Poisson-distributed, and
/// the full ones spoil the rate.
fn blocked_bloom_bits(rate: f64) -> Option<f64> {
    const MOST: f64 = 512.0;
    let good = |bits: f64| blocked_bloom_rate(bits) <= rate;
    if !good(MOST) {
        return None;
    }
    // `largest` from above: the fewest bits that are good.
    Some(-largest(-MOST, -1.0, |bits| good(-bits)))
}

/// The rate of such a filter with the best number of hash functions.
fn blocked_bloom_rate(bits_per_item: f64) -> f64 {
    const BLOCK: f64 = 512.0;
    let mean = BLOCK / bits_per_item;
    let most = (mean + 12.0 * mean.sqrt() + 12.0) as u32;
    let with = |hashes: i32| {
        let (mut chance, mut rate) = ((-mean).exp(), 0.0);
        for items in 0..=most {
            let set = 1.0 - (1.0 - 1.0 / BLOCK).powf(f64::from(hashes) * f64::from(items));
            rate += chance * set.powi(hashes);
            chance *= mean / f64::from(items + 1);
        }
        rate
    };
    // The rate falls and then rises again with the number of hash functions.
    let mut best = with(1);
    for hashes in 2..=64 {
        let next = with(hashes);
        if next > best {
            break;
        }
        best = next;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(rival: Rival, rate: f64) -> f64 {
        rival.bytes(1e6, rate).unwrap() * 8.0 / 1e6
    }

    /// Figures of the literature.
    #[test]
    fn published_sizes() {
        assert!((bits(Rival::Bloom, 0.01) - 9.585).abs() < 0.01);
        assert!((bits(Rival::CountingBloom, 0.01) - 38.34).abs() < 0.04);
        assert!((bits(Rival::DynamicLimit, 0.01) - 8.086).abs() < 0.01);
        // 1.5 to 2 times a Bloom filter (paper, table 1).
        let ratio = bits(Rival::DLeft, 0.001) / bits(Rival::Bloom, 0.001);
        assert!((1.5..2.0).contains(&ratio), "{ratio}");
        // More than Bloom, the more the lower the rate (Putze et al., figure 1).
        let ratios: Vec<_> =
            [0.1, 0.01, 0.001, 0.0001].map(|p| bits(Rival::BlockedBloom, p) / bits(Rival::Bloom, p)).into();
        assert!(ratios.is_sorted() && ratios[0] > 1.0 && ratios[3] < 1.5, "{ratios:?}");
    }

    #[test]
    fn the_three_questions_agree() {
        for rival in Rival::ALL {
            for rate in [0.1, 0.01, 0.001] {
                let bytes = rival.bytes(1e6, rate).unwrap();
                assert!(rival.items(bytes * 1.001, rate).unwrap() >= 1e6, "{rival:?} {rate}");
                assert!(rival.rate(bytes * 1.001, 1e6).unwrap() <= rate * 1.001, "{rival:?} {rate}");
            }
        }
        assert_eq!(Rival::BlockedBloom.bytes(1e6, 1e-30), None);
        assert_eq!(Rival::Bloom.items(0.01, 0.01), None);
    }
}
