//! Several equal-width fields of one word compared at once (SIMD within a register).

use super::{Word, mask};

/// The masks for `count` lanes of `width` bits, the lowest lane at bit 0. `width * count` is at most 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    /// The lowest bit of every lane; times a value, that value in every lane.
    low: u64,
    /// `-low`: adding it is one instruction less than subtracting `low`.
    minus_low: u64,
    /// The highest bit of every lane.
    high: u64,
    width: u32,
    count: u32,
}

impl Lanes {
    pub(crate) const fn new(width: u32, count: u32) -> Self {
        assert!(width >= 1 && count >= 1 && width * count <= 64);
        let mut low = 0u64;
        let mut lane = 0;
        while lane < count {
            low |= 1 << (lane * width);
            lane += 1;
        }
        Lanes { low, minus_low: low.wrapping_neg(), high: low << (width - 1), width, count }
    }

    /// `value` in every lane.
    #[inline(always)]
    pub(crate) fn broadcast<W: Word>(&self, value: W) -> W {
        value.times(self.low)
    }

    /// Non-zero exactly where some lane of `word` is zero. Only the lowest set bit names a zero lane for certain: a
    /// lane that holds 1 above a zero lane is marked too. Bits above the lanes are ignored.
    #[inline(always)]
    pub(crate) fn any_zero(&self, word: u64) -> u64 {
        self.marks(word) & self.high
    }

    /// [`any_zero`](Self::any_zero) of two words at once, sharing the last step.
    #[inline(always)]
    pub(crate) fn any_zero_of_two<W: Word>(&self, first: W, second: W) -> W {
        (self.marks(first) | self.marks(second)) & W::splat(self.high)
    }

    #[inline(always)]
    fn marks<W: Word>(&self, word: W) -> W {
        word.map(|word| word.wrapping_add(self.minus_low) & !word)
    }

    /// The high bit of exactly those lanes that are zero.
    #[inline(always)]
    pub(crate) const fn zeros(&self, word: u64) -> u64 {
        let below = mask(self.width * self.count) & !self.high;
        let filled = (word & below) + below;
        !(filled | word) & self.high
    }

    /// What lane `lane` of `word` holds.
    #[inline(always)]
    pub(crate) const fn get(&self, word: u64, lane: u32) -> u64 {
        (word >> (lane * self.width)) & mask(self.width)
    }

    /// Bits from one lane to the next.
    #[inline(always)]
    pub(crate) const fn width(&self) -> u32 {
        self.width
    }

    /// The number of lanes.
    #[inline(always)]
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use alloc::vec::Vec;

    #[test]
    fn zero_lanes_agree_with_a_loop_for_every_width_and_count() {
        let mut rng = Rng::new(1);
        for width in 1..=32 {
            for count in 1..=(64 / width).min(16) {
                let lanes = Lanes::new(width, count);
                for _ in 0..500 {
                    let word = rng.next() & rng.next() & rng.next();
                    let naive: Vec<bool> = (0..count).map(|i| word >> (i * width) & mask(width) == 0).collect();
                    let exact = (0..count).fold(0, |m, i| m | (naive[i as usize] as u64) << (i * width + width - 1));
                    assert_eq!(lanes.zeros(word), exact, "width {width} count {count} word {word:x}");
                    assert_eq!(lanes.any_zero(word) != 0, exact != 0);
                    let lowest = naive.iter().position(|z| *z).map(|i| i as u32 * width + width - 1);
                    let marks = lanes.any_zero(word);
                    assert_eq!((marks != 0).then(|| marks.trailing_zeros()), lowest);
                    let other = rng.next();
                    assert_eq!(lanes.any_zero_of_two(word, other) != 0, exact != 0 || lanes.zeros(other) != 0);
                }
            }
        }
    }
}
