//! Keys: an endless, repeatable stream in which every key is different, so that "absent" means absent.

use std::ops::Range;

/// What the keys look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Scrambled 64-bit integers.
    Random,
    /// 0, 1, 2, ...
    Sequential,
    /// Text such as an access log would give, 20 to 40 bytes.
    Text,
}

/// A stream of distinct keys; the key with number `i` is always the same.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    kind: KeyKind,
    seed: u64,
}

/// A bijection on 64 bits (the finaliser of SplitMix64).
#[inline(always)]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Keys {
    /// Scrambled integers.
    pub fn random(seed: u64) -> Self {
        Keys { kind: KeyKind::Random, seed }
    }

    /// A stream of the given kind. Text keys are numbered by [`Keys::text`]; their integers are the random ones.
    pub fn of_kind(kind: KeyKind, seed: u64) -> Self {
        Keys { kind, seed }
    }

    /// Key number `i`.
    #[inline(always)]
    pub fn get(&self, i: u64) -> u64 {
        match self.kind {
            KeyKind::Sequential => i,
            _ => mix(i.wrapping_add(self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        }
    }

    /// The keys with the given numbers, into `out`.
    pub fn fill(&self, numbers: Range<u64>, out: &mut Vec<u64>) {
        out.clear();
        out.extend(numbers.map(|i| self.get(i)));
    }

    /// Key number `i` as text.
    pub fn text(&self, i: u64) -> String {
        let id = self.get(i);
        format!("/shop/item-{i}/view?session={:012x}", id >> 16)
    }
}

/// A small generator for the choice of queries; not for keys.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// A generator with a fixed start.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// The next 64 random bits.
    #[inline]
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below `n`.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.roll()) * u128::from(n)) >> 64) as u64
    }
}

/// Queries of which `share` percent are among the keys numbered `stored`, the rest from beyond `absent_from`, mixed at
/// random so that no branch can learn the order.
pub fn queries(keys: &Keys, stored: Range<u64>, absent_from: u64, share: u32, count: usize, seed: u64) -> Vec<u64> {
    let mut dice = Dice::new(seed);
    let width = (stored.end - stored.start).max(1);
    (0..count)
        .map(|_| {
            if dice.below(100) < u64::from(share) {
                keys.get(stored.start + dice.below(width))
            } else {
                keys.get(absent_from + dice.below(1 << 40))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_are_distinct_and_shares_hold() {
        let keys = Keys::random(7);
        let set: HashSet<u64> = (0..100_000).map(|i| keys.get(i)).collect();
        assert_eq!(set.len(), 100_000);
        let asked = queries(&keys, 0..100_000, 1 << 41, 25, 40_000, 3);
        let present = asked.iter().filter(|k| set.contains(k)).count();
        assert!((9_500..10_500).contains(&present), "{present}");
        assert_ne!(keys.text(1), keys.text(2));
    }
}
