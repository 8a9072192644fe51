//! Storage that grows by small pieces: nothing is ever moved.
//!
//! Of every doubling, 32 chunks; the smallest have 32 records, the largest 65,536 (4 MiB of lines, on huge pages).

use crate::memory::Memory;
use alloc::vec::Vec;

const SMALLEST: u32 = 5;
const LARGEST: u32 = 16;
const PER_DOUBLING: u32 = 5;

/// Where a record is: the chunk, and its number in it.
#[inline(always)]
pub(crate) fn place(record: u64) -> (usize, usize) {
    let log = (record | 1).ilog2().saturating_sub(PER_DOUBLING).clamp(SMALLEST, LARGEST);
    let chunk = ((u64::from(log - SMALLEST)) << PER_DOUBLING) + (record >> log);
    (chunk as usize, (record & ((1 << log) - 1)) as usize)
}

/// The first record of a chunk, and how many it has.
pub(crate) fn extent(chunk: usize) -> (u64, u64) {
    let (chunk, step) = (chunk as u64, 1 << PER_DOUBLING);
    let log = (chunk / step).saturating_sub(1).min(u64::from(LARGEST - SMALLEST));
    ((chunk - log * step) << (log + u64::from(SMALLEST)), 1 << (log + u64::from(SMALLEST)))
}

/// Chunks of records of `stride` bytes, some of them absent.
#[derive(Clone, Default)]
pub(crate) struct Chunks {
    list: Vec<Option<Memory>>,
    stride: usize,
    /// Bytes after the last record, for reads of whole words.
    past: usize,
    most: u64,
}

impl Chunks {
    /// Of at most `most` records.
    pub(crate) fn new(stride: usize, past: usize, most: u64) -> Self {
        Chunks { list: Vec::new(), stride, past, most }
    }

    /// Makes sure that the chunk of a record is there; false if the system has not got the memory.
    pub(crate) fn ensure(&mut self, record: u64) -> bool {
        let (chunk, _) = place(record);
        if self.list.get(chunk).is_some_and(Option::is_some) {
            return true;
        }
        let (first, records) = extent(chunk);
        let records = records.min(self.most - first) as usize;
        let Some(memory) = Memory::zeroed(records * self.stride + self.past) else { return false };
        if chunk >= self.list.len() {
            let more = chunk + 1 - self.list.len();
            if self.list.try_reserve_exact(more).is_err() {
                return false;
            }
            self.list.resize_with(chunk + 1, || None);
        }
        self.list[chunk] = Some(memory);
        true
    }

    /// Gives back every chunk that has none of the records `from..to`.
    pub(crate) fn release_outside(&mut self, from: u64, to: u64) {
        let keep = if from < to { place(from).0..place(to - 1).0 + 1 } else { 0..0 };
        self.list.truncate(keep.end);
        let before = keep.start.min(self.list.len());
        self.list[..before].iter_mut().rev().map_while(Option::take).for_each(drop);
        if self.list.iter().all(Option::is_none) {
            self.list = Vec::new();
        }
    }

    /// The chunk of a record, and where in it the record begins.
    #[inline(always)]
    pub(crate) fn find(&self, record: u64) -> Option<(&[u8], usize)> {
        let (chunk, number) = place(record);
        let memory = self.list.get(chunk)?.as_ref()?;
        Some((memory.as_ref(), number * self.stride))
    }

    #[inline(always)]
    pub(crate) fn find_mut(&mut self, record: u64) -> Option<(&mut [u8], usize)> {
        let (chunk, number) = place(record);
        let memory = self.list.get_mut(chunk)?.as_mut()?;
        Some((memory.as_mut(), number * self.stride))
    }

    /// The bytes of records that follow each other, from one on, up to `to` and about `most` bytes; and the next record.
    pub(crate) fn run(&self, from: u64, to: u64, most: usize) -> (&[u8], u64) {
        let (next, bytes) = self.run_of(from, to, most);
        let (chunk, at) = self.find(from).expect("a record that is there");
        (&chunk[at..at + bytes], next)
    }

    pub(crate) fn run_mut(&mut self, from: u64, to: u64, most: usize) -> (&mut [u8], u64) {
        let (next, bytes) = self.run_of(from, to, most);
        let (chunk, at) = self.find_mut(from).expect("a record that is there");
        (&mut chunk[at..at + bytes], next)
    }

    fn run_of(&self, from: u64, to: u64, most: usize) -> (u64, usize) {
        let (first, records) = extent(place(from).0);
        let next = to.min(first + records).min(from + (most / self.stride) as u64);
        (next, (next - from) as usize * self.stride)
    }

    /// Bytes that the chunks and their list take.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let chunks = self.list.iter().flatten().map(|memory| memory.as_ref().len().next_multiple_of(64) as u64);
        chunks.sum::<u64>() + (self.list.capacity() * size_of::<Option<Memory>>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_follow_each_other_without_gaps() {
        let mut next = 0;
        for chunk in 0..1_000 {
            let (first, records) = extent(chunk);
            assert_eq!(first, next);
            assert_eq!(place(first), (chunk, 0));
            assert_eq!(place(first + records - 1), (chunk, records as usize - 1));
            assert!(records <= 32.max(first / 16));
            next = first + records;
        }
    }
}
