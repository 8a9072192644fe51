//! From a hash to an item's two buckets, and from one bucket to its partner (partial-key cuckoo hashing, paper section 3).

use crate::bits::Word;
use crate::fingerprint::Fingerprint;
use crate::geometry::Placement;

/// An odd multiplier with no pattern: 2^64 / golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Spreads a fingerprint over 64 bits. The paper hashes the fingerprint for the same reason: an 8-bit one could otherwise
/// move an item at most 256 buckets. One multiplication alone would not do: the distances between an item's buckets would
/// be multiples of one number, the graph of buckets would hardly branch, and 4-bit fingerprints would stop at load 0.79.
#[inline(always)]
pub(crate) fn spread<W: Word>(fingerprint: W) -> W {
    let x = fingerprint.times(SPREAD);
    (x ^ x.shr(32)).times(SPREAD)
}

/// The buckets of a table: their number `m` (even, at least 2) and how partners are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index {
    buckets: u64,
    placement: Placement,
}

impl Index {
    /// `buckets` is even and at least 2, and a power of two under [`Placement::Xor`]: checked by `Geometry::validate`.
    pub(crate) const fn new(buckets: u64, placement: Placement) -> Self {
        debug_assert!(buckets >= 2 && buckets % 2 == 0);
        Index { buckets, placement }
    }

    pub(crate) const fn buckets(&self) -> u64 {
        self.buckets
    }

    /// The first bucket of a hash, and what is left of the hash for the next digit.
    #[inline(always)]
    pub(crate) fn first<W: Word>(&self, hash: W) -> (W, W) {
        hash.widening(W::splat(self.buckets))
    }

    /// The other bucket of an item with this fingerprint. `partner(partner(i)) == i` and `partner(i) != i`, for every
    /// bucket `i`: any-size placement takes `c - i mod m` with `c` odd and `m` even, so `2 i = c` has no solution;
    /// xor placement takes `i xor c` with `c` odd.
    #[inline(always)]
    pub(crate) fn partner(&self, bucket: u64, fingerprint: Fingerprint) -> u64 {
        self.partner_and_rest(bucket, u64::from(fingerprint.get())).0
    }

    /// [`partner`](Self::partner), and what is left of the spread fingerprint for a further digit.
    #[inline(always)]
    pub(crate) fn partner_and_rest<W: Word>(&self, bucket: W, fingerprint: W) -> (W, W) {
        match self.placement {
            Placement::AnySize => self.reflected(bucket, fingerprint),
            Placement::Xor => {
                let (odd, rest) = self.offset(fingerprint);
                (bucket ^ odd, rest)
            }
        }
    }

    /// [`partner_and_rest`](Self::partner_and_rest) where the placement is known to be any-size.
    #[inline(always)]
    pub(crate) fn reflected<W: Word>(&self, bucket: W, fingerprint: W) -> (W, W) {
        let (odd, rest) = self.offset(fingerprint);
        (bucket.reflect(odd, W::splat(self.buckets)), rest)
    }

    /// The odd number `c(fingerprint)` below the number of buckets.
    #[inline(always)]
    fn offset<W: Word>(&self, fingerprint: W) -> (W, W) {
        let (digit, rest) = spread(fingerprint).widening(W::splat(self.buckets));
        (digit | W::splat(1), rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-015: the partner undoes itself and stays in range, for every bucket count and fingerprint.
    #[test]
    fn partner_is_an_involution_without_fixed_points() {
        for buckets in (2..=300).step_by(2) {
            for placement in [Placement::AnySize, Placement::Xor] {
                if placement == Placement::Xor && !u64::is_power_of_two(buckets) {
                    continue;
                }
                let index = Index::new(buckets, placement);
                for value in 1..1 << 12 {
                    let fingerprint = Fingerprint::from_slot(value).unwrap();
                    for bucket in 0..buckets {
                        let partner = index.partner(bucket, fingerprint);
                        assert!(partner < buckets && partner != bucket);
                        assert_eq!(index.partner(partner, fingerprint), bucket);
                    }
                }
            }
        }
    }

    /// BR-011, BR-012, BR-041: indexes reach the top of very large tables and fingerprints do not follow from them.
    #[test]
    fn large_tables_are_reached_and_digits_are_independent() {
        let mut rng = crate::rng::Rng::new(7);
        for log in [10, 20, 31, 32, 33, 40] {
            let index = Index::new((1u64 << log) - 2, Placement::AnySize);
            let (mut top, mut fingerprints) = (0, [0u32; 16]);
            for _ in 0..16_000 {
                let (bucket, rest) = index.first(rng.next());
                assert!(bucket < index.buckets());
                top += (bucket >= index.buckets() / 4 * 3) as u32;
                // Only items of one narrow range of buckets: their fingerprints must still be uniform.
                let (bucket, narrow) = index.first(rng.next() >> 6);
                assert!(bucket <= index.buckets() >> 6);
                fingerprints[Fingerprint::digit(narrow, 15) as usize] += 1;
                let _ = rest;
            }
            assert!((3_700..4_300).contains(&top), "{log}: {top}");
            assert_eq!(fingerprints[0], 0);
            let expected = 16_000.0 / 15.0;
            let chi2: f64 = fingerprints[1..].iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
            assert!(chi2 < 45.0, "{log}: chi-square {chi2} with 14 degrees of freedom");
        }
    }
}
