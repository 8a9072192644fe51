//! Bits of entries that do not fit their slots: for each bit of the address a plane of one bit a slot. Lookups stay away
//! from them; a line's splitting, removals and moves read them.

use super::chunks::Chunks;
use crate::bits::{BytesMut, mask};
use alloc::vec::Vec;

/// The planes of one side.
#[derive(Clone, Default)]
pub(crate) struct Planes {
    /// By number of the address bit.
    list: Vec<Chunks>,
    slots: u32,
    rows: u64,
}

impl Planes {
    pub(crate) fn new(slots: u64, rows: u32) -> Self {
        Planes { list: Vec::new(), slots: slots as u32, rows: rows.into() }
    }

    /// Bytes of a line in a plane.
    pub(crate) fn stride(&self) -> usize {
        self.slots.div_ceil(8) as usize
    }

    /// Makes sure that the planes of some address bits are there for a line.
    pub(crate) fn ensure(&mut self, bits: core::ops::Range<u32>, line: u64) -> bool {
        while self.list.len() < bits.end as usize {
            if self.list.try_reserve_exact(1).is_err() {
                return false;
            }
            // Later lines have this bit in their address.
            let lines = self.rows << self.list.len();
            self.list.push(Chunks::new(self.stride(), 8, lines));
        }
        bits.into_iter().all(|bit| self.list[bit as usize].ensure(line))
    }

    /// Gives back what a plane has outside some lines.
    pub(crate) fn release_outside(&mut self, bit: u32, from: u64, to: u64) {
        if let Some(plane) = self.list.get_mut(bit as usize) {
            plane.release_outside(from, to);
        }
    }

    /// One bit for each slot of a line.
    #[inline]
    pub(crate) fn word(&self, bit: u32, line: u64) -> u64 {
        let found = self.list.get(bit as usize).and_then(|plane| plane.find(line));
        let word = found.and_then(|(bytes, at)| bytes.get(at..at + 8));
        word.map_or(0, |word| u64::from_le_bytes(word.try_into().expect("eight bytes"))) & mask(self.slots)
    }

    /// What lies in a line's bytes past the last slot.
    pub(crate) fn rest(&self, bit: u32, line: u64) -> u64 {
        let found = self.list.get(bit as usize).and_then(|plane| plane.find(line));
        let record = found.and_then(|(bytes, at)| bytes.get(at..at + self.stride()));
        let used = (self.slots - 1) % 8 + 1;
        record.and_then(|record| record.last()).map_or(0, |&last| u64::from(last) >> used)
    }

    /// The plane of an address bit.
    pub(crate) fn plane(&self, bit: u32) -> &Chunks {
        &self.list[bit as usize]
    }

    pub(crate) fn plane_mut(&mut self, bit: u32) -> &mut Chunks {
        &mut self.list[bit as usize]
    }

    /// Replaces the bits of `keep = 0` by those of `bits`.
    pub(crate) fn set_word(&mut self, bit: u32, line: u64, keep: u64, bits: u64) {
        let keep = keep | !mask(self.slots);
        let plane = self.list.get_mut(bit as usize).and_then(|plane| plane.find_mut(line));
        let (bytes, at) = plane.expect("the planes of a line are there");
        bytes.store(at, keep, bits);
    }

    /// What the planes of `count` address bits from `from` on hold of a slot.
    #[inline]
    pub(crate) fn get(&self, from: u32, count: u32, line: u64, slot: u64) -> u64 {
        (0..count).fold(0, |value, i| value | (self.word(from + i, line) >> slot & 1) << i)
    }

    #[inline]
    pub(crate) fn set(&mut self, from: u32, count: u32, line: u64, slot: u64, value: u64) {
        for i in 0..count {
            self.set_word(from + i, line, !(1 << slot), (value >> i & 1) << slot);
        }
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        let list = (self.list.capacity() * size_of::<Chunks>()) as u64;
        self.list.iter().map(Chunks::memory_bytes).sum::<u64>() + list
    }
}
