//! Arithmetic on one word, or on eight words in step.
//!
//! The way from a hash to an item's slots is written once, over [`Word`]: with `u64` it serves single calls, with
//! [`Eight`] groups of keys. `Eight` is plain loops over an array, which the compiler turns into vector instructions
//! where the processor has them (see `arch`).

use super::bytes::Bytes;
use core::ops::{BitAnd, BitOr, BitXor};

/// One or several 64-bit words; sums and products wrap.
pub(crate) trait Word: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> {
    /// The same value in every lane.
    fn splat(value: u64) -> Self;
    /// `f` of each lane.
    fn map(self, f: impl FnMut(u64) -> u64) -> Self;
    /// `f` of each pair of lanes.
    fn zip(self, other: Self, f: impl FnMut(u64, u64) -> u64) -> Self;
    /// High and low half of a product; see [`widening`](super::widening).
    fn widening(self, by: Self) -> (Self, Self);
    /// `f` of each lane of four words.
    fn of_four(words: [Self; 4], f: impl FnMut([u64; 4]) -> u64) -> Self;
    /// A product of bucket numbers or slot numbers with their sizes.
    fn scale(self, by: u64) -> Self;
    /// `sum - self` modulo `size`, for `self` and `sum` below `size`.
    fn reflect(self, sum: Self, size: Self) -> Self;
    /// The little-endian words at these places.
    ///
    /// # Safety
    /// `at + 8` is at most the number of bytes in every lane.
    unsafe fn load<B: Bytes + ?Sized>(bytes: &B, at: Self) -> Self;

    /// Calls `f` with each lane.
    #[inline(always)]
    fn each(self, mut f: impl FnMut(u64)) {
        self.map(|lane| {
            f(lane);
            lane
        });
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_sub)
    }

    #[inline(always)]
    fn times(self, by: u64) -> Self {
        self.map(|lane| lane.wrapping_mul(by))
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        self.map(|lane| lane >> bits)
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        self.map(|lane| lane << bits)
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        self.map(|lane| lane.rotate_left(bits))
    }

    /// 1 in the lanes that are less than `other`'s, else 0.
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self.zip(other, |a, b| u64::from(a < b))
    }

    /// 1 in the lanes that are zero, else 0.
    #[inline(always)]
    fn is_zero(self) -> Self {
        self.map(|lane| u64::from(lane == 0))
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        self.zip(other, u64::min)
    }
}

impl Word for u64 {
    #[inline(always)]
    fn splat(value: u64) -> Self {
        value
    }

    #[inline(always)]
    fn map(self, mut f: impl FnMut(u64) -> u64) -> Self {
        f(self)
    }

    #[inline(always)]
    fn zip(self, other: Self, mut f: impl FnMut(u64, u64) -> u64) -> Self {
        f(self, other)
    }

    #[inline(always)]
    fn widening(self, by: Self) -> (Self, Self) {
        super::widening(self, by)
    }

    #[inline(always)]
    fn of_four(words: [Self; 4], mut f: impl FnMut([u64; 4]) -> u64) -> Self {
        f(words)
    }

    #[inline(always)]
    fn scale(self, by: u64) -> Self {
        self.wrapping_mul(by)
    }

    #[inline(always)]
    fn reflect(self, sum: Self, size: Self) -> Self {
        let (difference, borrow) = sum.overflowing_sub(self);
        if borrow { difference.wrapping_add(size) } else { difference }
    }

    #[inline(always)]
    unsafe fn load<B: Bytes + ?Sized>(bytes: &B, at: Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { bytes.load(at as usize) }
    }
}

/// Eight words. `NARROW`: every factor of a widening product or a scale is below 2^32, so that products of halves, which
/// vector units have, make up the whole. All but the largest tables are narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Eight<const NARROW: bool>(pub(crate) [u64; 8]);

/// Product of the low halves: one vector instruction.
#[inline(always)]
fn low_product(a: u64, b: u64) -> u64 {
    u64::from(a as u32) * u64::from(b as u32)
}

impl<const NARROW: bool> Word for Eight<NARROW> {
    #[inline(always)]
    fn splat(value: u64) -> Self {
        Eight([value; 8])
    }

    #[inline(always)]
    fn map(mut self, mut f: impl FnMut(u64) -> u64) -> Self {
        for lane in &mut self.0 {
            *lane = f(*lane);
        }
        self
    }

    #[inline(always)]
    fn zip(mut self, other: Self, mut f: impl FnMut(u64, u64) -> u64) -> Self {
        for (lane, other) in self.0.iter_mut().zip(other.0) {
            *lane = f(*lane, other);
        }
        self
    }

    #[inline(always)]
    fn widening(self, by: Self) -> (Self, Self) {
        if !NARROW {
            let high = self.zip(by, |a, b| super::widening(a, b).0);
            return (high, self.zip(by, u64::wrapping_mul));
        }
        let low = self.zip(by, low_product);
        let high = self.shr(32).zip(by, low_product);
        (high.plus(low.shr(32)).shr(32), high.map(|lane| lane << 32).plus(low))
    }

    #[inline(always)]
    fn of_four(words: [Self; 4], mut f: impl FnMut([u64; 4]) -> u64) -> Self {
        Eight(core::array::from_fn(|lane| f(words.map(|word| word.0[lane]))))
    }

    #[inline(always)]
    fn scale(self, by: u64) -> Self {
        match NARROW {
            true => self.map(|lane| low_product(lane, by)),
            false => self.times(by),
        }
    }

    #[inline(always)]
    fn reflect(self, sum: Self, size: Self) -> Self {
        // What has wrapped below zero is huge, and less than `size` again once `size` is added.
        let difference = sum.minus(self);
        difference.lesser(difference.plus(size))
    }

    #[inline(always)]
    unsafe fn load<B: Bytes + ?Sized>(bytes: &B, at: Self) -> Self {
        // SAFETY: the caller's promise.
        at.map(|at| unsafe { bytes.load_alone(at as usize) })
    }
}

macro_rules! by_lanes {
    ($($operator:ident $method:ident),*) => {$(
        impl<const NARROW: bool> $operator for Eight<NARROW> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, $operator::$method)
            }
        }
    )*};
}
by_lanes!(BitAnd bitand, BitOr bitor, BitXor bitxor);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The lanes of `Eight` do what single words do.
    #[test]
    fn eight_words_are_eight_times_one() {
        let mut rng = Rng::new(11);
        let mut words = |shift: u32| core::array::from_fn(|_| rng.next() >> shift);
        for round in 0..2_000u32 {
            let (a, b): ([u64; 8], [u64; 8]) = (words(round % 3), words(0));
            let size = words(32 + round % 31).map(|size| size.max(1));
            let each = |f: &dyn Fn(usize) -> u64| core::array::from_fn::<u64, 8, _>(f);
            assert_eq!((Eight::<true>(a) ^ Eight(b)).0, each(&|i| a[i] ^ b[i]));
            assert_eq!(Eight::<true>(a).plus(Eight(b)).0, each(&|i| a[i].plus(b[i])));
            assert_eq!(Eight::<true>(a).less(Eight(b)).0, each(&|i| a[i].less(b[i])));
            fn check<const NARROW: bool>(a: [u64; 8], b: [u64; 8], size: [u64; 8]) {
                let each = |f: &dyn Fn(usize) -> u64| core::array::from_fn::<u64, 8, _>(f);
                let (high, low) = Eight::<NARROW>(a).widening(Eight(size));
                assert_eq!(high.0, each(&|i| a[i].widening(size[i]).0));
                assert_eq!(low.0, each(&|i| a[i].widening(size[i]).1));
                let (i, sum) = (Eight::<NARROW>(a).widening(Eight(size)).0, Eight(b).widening(Eight(size)).0);
                assert_eq!(i.reflect(sum, Eight(size)).0, each(&|lane| i.0[lane].reflect(sum.0[lane], size[lane])));
                assert_eq!(i.scale(size[0]).0, each(&|lane| i.0[lane].scale(size[0])));
            }
            check::<true>(a, b, size);
            check::<false>(a, b, size);
        }
    }
}
