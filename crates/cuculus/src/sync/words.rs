//! A table as words that threads share: the same bytes as in [`Memory`], reached through atomic operations only.
//!
//! Slots do not keep to words: an unaligned read is put together of two words, and a slot across a border is written in
//! two steps. A slot that nobody changes is always read right, whatever happens to its neighbours: its bits in either word
//! stay what they are. So a torn read can only show a slot that is being changed.

use super::primitives::{AtomicU64, Ordering};
use crate::bits::{Bytes, BytesMut, prefetch_address};
use crate::memory::Memory;

/// The owner of the words.
#[cfg(not(loom))]
pub(crate) struct Words(Memory);

#[cfg(not(loom))]
impl Words {
    pub(crate) fn new(memory: Memory) -> Self {
        Words(memory)
    }

    /// The words of the table, and eight more, so that a read of two words stays inside.
    #[inline(always)]
    pub(crate) fn get(&self) -> &[AtomicU64] {
        let (start, len) = self.0.raw_parts();
        // SAFETY: `start` is the first of `len + 64` initialised bytes, aligned to 64, which `self.0` owns alone and which any
        // thread may write through it; `self.0` is private, and while it is borrowed here nothing else reads or writes its
        // bytes but by these atomics. An `AtomicU64` has the size and the values of a `u64`.
        unsafe { core::slice::from_raw_parts(start.as_ptr().cast::<AtomicU64>(), len / 8 + 8) }
    }

    pub(crate) fn into_memory(self) -> Memory {
        self.0
    }
}

/// The model checker's atomics are no plain words: they are filled from the bytes and written back.
#[cfg(loom)]
pub(crate) struct Words(std::vec::Vec<AtomicU64>, Memory);

#[cfg(loom)]
impl Words {
    pub(crate) fn new(memory: Memory) -> Self {
        let word = |bytes: &[u8]| AtomicU64::new(u64::from_ne_bytes(bytes.try_into().expect("eight bytes")));
        Words(memory.as_ref().chunks_exact(8).chain([[0; 8].as_slice(); 8]).map(word).collect(), memory)
    }

    pub(crate) fn get(&self) -> &[AtomicU64] {
        &self.0
    }

    pub(crate) fn into_memory(mut self) -> Memory {
        self.0[..].copy_to(self.1.as_mut());
        self.1
    }
}

/// What a snapshot needs.
pub(crate) trait CopyTo {
    /// Writes the words to as many bytes. A copy of one moment only while no one writes.
    fn copy_to(&self, bytes: &mut [u8]);
}

impl CopyTo for [AtomicU64] {
    fn copy_to(&self, bytes: &mut [u8]) {
        for (to, from) in bytes.chunks_exact_mut(8).zip(self) {
            to.copy_from_slice(&from.load(Ordering::Relaxed).to_ne_bytes());
        }
    }
}

impl Bytes for [AtomicU64] {
    #[inline(always)]
    unsafe fn load(&self, at: usize) -> u64 {
        debug_assert!(at + 8 <= self.len() * 8 - 64);
        // SAFETY: the caller promises that bytes `at` to `at + 7` lie inside the table; `self` has eight words more.
        let (low, high) = unsafe { (self.get_unchecked(at / 8), self.get_unchecked(at / 8 + 1)) };
        let (low, high) = (u64::from_le(low.load(Ordering::Relaxed)), u64::from_le(high.load(Ordering::Relaxed)));
        // One instruction where the processor has it.
        ((u128::from(high) << 64 | u128::from(low)) >> (at % 8 * 8)) as u64
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        prefetch_address(self.as_ptr().cast::<u8>().wrapping_add(at));
    }
}

/// The words in the hands of a thread that holds the locks of the lines whose slots it changes.
pub(crate) struct Locked<'a> {
    words: &'a [AtomicU64],
    /// So many words at the start of a line may hold slots of buckets that start in the line before, under another lock.
    shared: usize,
}

impl<'a> Locked<'a> {
    #[inline(always)]
    pub(crate) fn new(words: &'a [AtomicU64], shared: usize) -> Self {
        Locked { words, shared }
    }

    /// Makes the bits of `mask` those of `bits`, and lets a reader that sees them see all that was written before. Where
    /// others may change the rest of the word meanwhile, only the difference is written.
    #[inline(always)]
    fn change(&self, at: usize, mask: u64, bits: u64) {
        let word = &self.words[at];
        let old = u64::from_le(word.load(Ordering::Relaxed));
        let difference = (old ^ bits) & mask;
        if at % 8 < self.shared {
            word.fetch_xor(difference.to_le(), Ordering::Release);
        } else {
            word.store((old ^ difference).to_le(), Ordering::Release);
        }
    }
}

impl Bytes for Locked<'_> {
    #[inline(always)]
    unsafe fn load(&self, at: usize) -> u64 {
        // SAFETY: as the caller promises.
        unsafe { self.words.load(at) }
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        self.words.prefetch(at);
    }
}

impl BytesMut for Locked<'_> {
    #[inline(always)]
    fn store(&mut self, at: usize, keep: u64, bits: u64) {
        let (change, shift) = (!keep, at % 8 * 8);
        self.change(at / 8, change << shift, bits << shift);
        if change >> 1 >> (63 - shift) != 0 {
            self.change(at / 8 + 1, change >> 1 >> (63 - shift), bits >> 1 >> (63 - shift));
        }
    }
}
