//! Bit fields in little-endian bytes, and the comparison of several fields in one word.
//!
//! Everything above this room sees slots and buckets; only here are there shifts and masks. The portable SWAR form
//! ([`Lanes`]) is the one every other back-end is tested against.

pub(crate) mod bytes;
pub(crate) mod lanes;
pub(crate) mod word;

pub(crate) use bytes::{Bytes, BytesMut, prefetch_address};
pub(crate) use lanes::Lanes;
pub(crate) use word::{Eight, Word};

/// Low 64 bits and high 64 bits of `a * b`, as `(high, low)`: one digit of a mixed-radix number and the rest of it.
///
/// `widening(h, m)` gives the digit `floor(h * m / 2^64)`, uniform in `0..m`, and a remainder from which the next
/// digit can be taken the same way. Digits taken one after the other come from independent bits of `h`.
#[inline(always)]
pub(crate) const fn widening(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    ((product >> 64) as u64, product as u64)
}

/// The `width` lowest bits set (`width` from 0 to 64).
#[inline(always)]
pub(crate) const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}
