//! What a slot stores of an item.

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

    /// The next digit of a hash, and the number of fingerprints there are: `2^f - 1`.
    #[inline(always)]
    pub(crate) const fn from_digit(rest: u64, range: u64) -> (Self, u64) {
        let (digit, rest) = crate::bits::widening(rest, range);
        // `digit < range < 2^32`, so the sum is from 1 to 2^32 - 1 and the minimum never bites.
        let value = NonZeroU32::MIN.saturating_add(digit as u32);
        (Fingerprint(value), rest)
    }

    /// The stored value.
    #[inline(always)]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}
