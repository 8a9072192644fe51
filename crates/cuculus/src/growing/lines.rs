//! The lines of a side: blocks of 2 MiB, on huge pages where there are any; the last block grows in steps.
//!
//! Nothing is moved but the last block, when it grows or shrinks by a step.

use crate::bits::{Bytes, prefetch_address};
use crate::memory::Memory;
use alloc::vec::Vec;

/// Lines of a block.
const BLOCK: u64 = 1 << BLOCK_LOG;
const BLOCK_LOG: u32 = 15;

/// A step is a 128th of the lines that there are.
const STEP_LOG: u32 = 7;

/// The fewest lines of a step.
const LEAST_STEP: u64 = 8;

#[derive(Clone, Default)]
pub(crate) struct Lines {
    /// All but the last are whole.
    blocks: Vec<Memory>,
    most: u64,
}

impl Lines {
    /// Of at most `most` lines.
    pub(crate) fn new(most: u64) -> Self {
        Lines { blocks: Vec::new(), most }
    }

    /// Lines that there is memory for.
    fn len(&self) -> u64 {
        match self.blocks.last() {
            Some(last) => ((self.blocks.len() as u64 - 1) << BLOCK_LOG) + last.as_ref().len() as u64 / 64,
            None => 0,
        }
    }

    /// The lines to have memory for when `lines` are needed.
    fn rounded(&self, lines: u64) -> u64 {
        let step = (lines >> STEP_LOG).clamp(LEAST_STEP, BLOCK);
        let block_end = lines.next_multiple_of(BLOCK);
        lines.next_multiple_of(step).min(block_end).min(self.most)
    }

    /// Makes sure that there is memory for a line, given that there is for all before it; false if there is none.
    #[inline]
    pub(crate) fn ensure(&mut self, line: u64) -> bool {
        line < self.len() || self.resize(self.rounded(line + 1))
    }

    /// Gives the last block, or a new one, the memory for `lines` lines; false if there is none.
    #[cold]
    fn resize(&mut self, lines: u64) -> bool {
        let whole = (lines - 1) >> BLOCK_LOG;
        let bytes = (lines - (whole << BLOCK_LOG)) as usize * 64;
        let memory = if bytes == BLOCK as usize * 64 { Memory::huge(bytes) } else { Memory::zeroed(bytes) };
        let Some(mut memory) = memory else { return false };
        if let Some(last) = self.blocks.get_mut(whole as usize) {
            let both = bytes.min(last.as_ref().len());
            memory.as_mut()[..both].copy_from_slice(&last.as_ref()[..both]);
            *last = memory;
            return true;
        }
        if self.blocks.try_reserve_exact(1).is_err() {
            return false;
        }
        self.blocks.push(memory);
        true
    }

    /// Gives back what the lines from `lines` on have, but for a few steps.
    pub(crate) fn truncate(&mut self, lines: u64) {
        self.blocks.truncate(lines.div_ceil(BLOCK).max(1) as usize);
        let rounded = self.rounded(lines.max(1));
        if rounded + rounded / 16 + LEAST_STEP < self.len() {
            // Without memory for the smaller block the larger one stays.
            self.resize(rounded);
        }
    }

    /// The bytes in which a line lies, and where in them it begins.
    #[inline(always)]
    pub(crate) fn find(&self, line: u64) -> Option<(&[u8], usize)> {
        let block = self.blocks.get((line >> BLOCK_LOG) as usize)?;
        Some((block.as_ref(), (line % BLOCK) as usize * 64))
    }

    #[inline(always)]
    pub(crate) fn find_mut(&mut self, line: u64) -> Option<(&mut [u8], usize)> {
        let block = self.blocks.get_mut((line >> BLOCK_LOG) as usize)?;
        Some((block.as_mut(), (line % BLOCK) as usize * 64))
    }

    /// The bytes of lines that follow each other, from one on, up to `to` and about `most` bytes; and the next line.
    pub(crate) fn run(&self, from: u64, to: u64, most: usize) -> (&[u8], u64) {
        let next = self.run_end(from, to, most);
        let (bytes, at) = self.find(from).expect("a line that is there");
        (&bytes[at..at + (next - from) as usize * 64], next)
    }

    pub(crate) fn run_mut(&mut self, from: u64, to: u64, most: usize) -> (&mut [u8], u64) {
        let next = self.run_end(from, to, most);
        let (bytes, at) = self.find_mut(from).expect("a line that is there");
        (&mut bytes[at..at + (next - from) as usize * 64], next)
    }

    fn run_end(&self, from: u64, to: u64, most: usize) -> u64 {
        let block_end = (from >> BLOCK_LOG << BLOCK_LOG) + BLOCK;
        to.min(block_end).min(self.len()).min(from + (most / 64) as u64)
    }

    /// Bytes that all of it takes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let all = self.blocks.iter().map(|memory| memory.as_ref().len() as u64).sum::<u64>();
        all + (self.blocks.capacity() * size_of::<Memory>()) as u64
    }

    /// The address of a line.
    #[inline(always)]
    pub(crate) fn address(&self, line: u64) -> u64 {
        let block = &self.blocks[(line >> BLOCK_LOG) as usize];
        block.as_ref().as_ptr().wrapping_add((line % BLOCK) as usize * 64).expose_provenance() as u64
    }
}

/// Memory by address, which [`Lines::address`] gives.
pub(crate) struct Addresses;

impl Bytes for Addresses {
    #[inline(always)]
    unsafe fn load(&self, at: usize) -> u64 {
        // SAFETY: the caller promises that the eight bytes are there; the read is unaligned.
        u64::from_le(unsafe { core::ptr::with_exposed_provenance::<u64>(at).read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_alone(&self, at: usize) -> u64 {
        #[derive(Clone, Copy)]
        #[repr(Rust, packed)]
        struct Unaligned(u64);
        // SAFETY: as in `load`; volatile only so that the read stays one of its own.
        u64::from_le(unsafe { core::ptr::with_exposed_provenance::<Unaligned>(at).read_volatile() }.0)
    }

    #[inline(always)]
    fn prefetch(&self, at: usize) {
        prefetch_address(core::ptr::without_provenance(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_bytes_while_blocks_grow_and_shrink() {
        let mut lines = Lines::new(100_000);
        let byte = |line: u64| (line * 7 % 251) as u8 + 1;
        let fill = |lines: &mut Lines, from: u64, to: u64| {
            for line in from..to {
                assert!(lines.ensure(line));
                let (bytes, at) = lines.find_mut(line).unwrap();
                assert!(bytes[at..at + 64].iter().all(|&byte| byte == 0), "{line} is not empty");
                bytes[at..at + 64].fill(byte(line));
                assert!(from != 0 || lines.len() <= (line + 1) * 129 / 128 + LEAST_STEP);
            }
        };
        fill(&mut lines, 0, 100_000);
        assert_eq!(lines.len(), 100_000);
        let mut now = 100_000;
        for to in [99_000, 60_000, 41_000, 40_000, 20_000, 5_000, 100, 1] {
            for line in (to..now).rev() {
                let (bytes, at) = lines.find_mut(line).unwrap();
                bytes[at..at + 64].fill(0);
                lines.truncate(line);
            }
            now = to;
            for line in 0..now {
                let (bytes, at) = lines.find(line).unwrap();
                assert!(bytes[at..at + 64].iter().all(|&b| b == byte(line)));
                // SAFETY: the line is there.
                let word = unsafe { Addresses.load(lines.address(line) as usize + 8) };
                assert_eq!(word, u64::from_ne_bytes([byte(line); 8]));
            }
            assert!(lines.len() <= now * 9 / 8 + 2 * LEAST_STEP, "{now}: {}", lines.len());
        }
        fill(&mut lines, 1, 70_000);
    }
}
