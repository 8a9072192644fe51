//! What a slot stores of an item.

use crate::bits::Word;
use core::num::NonZeroU32;

/// A fingerprint: 1 to 2^f - 1. Zero marks an empty slot and is no fingerprint by construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(NonZeroU32);

impl Fingerprint {
    /// From what a slot holds; `None` where the slot is empty.
    #[inline(always)]
    pub const fn from_slot(value: u32) -> Option<Self> {
        match NonZeroU32::new(value) {
            Some(value) => Some(Fingerprint(value)),
            None => None,
        }
    }

    /// The value of an item's fingerprint: the next digit of its hash, where there are `range = 2^f - 1` fingerprints.
    #[inline(always)]
    pub(crate) fn digit<W: Word>(rest: W, range: W) -> W {
        rest.widening(range).0.plus(W::splat(1))
    }

    /// From a value of [`digit`](Self::digit).
    #[inline(always)]
    pub(crate) fn from_digit(value: u64) -> Self {
        // From 1 to 2^32 - 1, so nothing wraps and the sum never saturates.
        Fingerprint(NonZeroU32::MIN.saturating_add((value as u32).wrapping_sub(1)))
    }

    /// The stored value.
    #[inline(always)]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}
