//! The lines of a side: blocks of 2 MiB, on huge pages where there are any, and the last block in pieces while it fills.
//!
//! Nothing is moved but one block at a time, when it is full or when a quarter of it is no longer needed.

use super::chunks;
use crate::memory::Memory;
use alloc::vec::Vec;

/// Lines of a block.
const BLOCK: u64 = 1 << BLOCK_LOG;
const BLOCK_LOG: u32 = 15;

/// Lines of a piece of a block, but for the first block, whose pieces grow with it.
const PIECE: u64 = 1 << PIECE_LOG;
const PIECE_LOG: u32 = 10;

#[derive(Clone, Default)]
pub(crate) struct Lines {
    blocks: Vec<Memory>,
    pieces: Vec<Memory>,
    most: u64,
}

impl Lines {
    /// Of at most `most` lines.
    pub(crate) fn new(most: u64) -> Self {
        Lines { blocks: Vec::new(), pieces: Vec::new(), most }
    }

    fn first_of_pieces(&self) -> u64 {
        (self.blocks.len() as u64) << BLOCK_LOG
    }

    /// The piece of a line that lies in no block, and its number in it.
    #[inline(always)]
    fn place(&self, line: u64) -> (usize, usize) {
        match self.blocks.is_empty() {
            true => chunks::place(line),
            false => (((line % BLOCK) >> PIECE_LOG) as usize, (line % PIECE) as usize),
        }
    }

    /// The first line of a piece and how many it has.
    fn extent(&self, piece: usize) -> (u64, u64) {
        let (first, lines) = match self.blocks.is_empty() {
            true => chunks::extent(piece),
            false => (self.first_of_pieces() + ((piece as u64) << PIECE_LOG), PIECE),
        };
        (first, lines.min(self.most - first))
    }

    /// Makes sure that there is memory for a line, given that there is for all before it; false if there is none.
    pub(crate) fn ensure(&mut self, line: u64) -> bool {
        if line >> BLOCK_LOG > self.blocks.len() as u64 && !self.fill_block() {
            return false;
        }
        if line < self.first_of_pieces() || self.place(line).0 < self.pieces.len() {
            return true;
        }
        let (_, lines) = self.extent(self.pieces.len());
        let Some(piece) = Memory::zeroed(lines as usize * 64) else { return false };
        let room = self.pieces.try_reserve_exact(1).is_ok();
        if room {
            self.pieces.push(piece);
        }
        room
    }

    /// Makes one block of the pieces, which are all there.
    #[cold]
    fn fill_block(&mut self) -> bool {
        let Some(mut block) = Memory::huge(BLOCK as usize * 64) else { return false };
        if self.blocks.try_reserve_exact(1).is_err() {
            return false;
        }
        let mut rest = block.as_mut();
        for piece in &self.pieces {
            let (now, later) = rest.split_at_mut(piece.as_ref().len());
            now.copy_from_slice(piece.as_ref());
            rest = later;
        }
        self.blocks.push(block);
        self.pieces = Vec::new();
        true
    }

    /// Gives back what the lines from `lines` on have.
    pub(crate) fn truncate(&mut self, lines: u64) {
        while lines + BLOCK / 4 <= self.first_of_pieces() {
            if !self.break_block(lines) {
                return;
            }
        }
        let unused = |pieces: usize| pieces > 0 && self.extent(pieces - 1).0 >= lines;
        let mut pieces = self.pieces.len();
        while unused(pieces) {
            pieces -= 1;
        }
        self.pieces.truncate(pieces);
    }

    /// Makes pieces of the last block, as far as it is needed; false if there is no memory for them.
    #[cold]
    fn break_block(&mut self, lines: u64) -> bool {
        let Some(block) = self.blocks.pop() else { return false };
        let first = self.first_of_pieces();
        self.pieces = Vec::new();
        while first + self.piece_lines() < lines {
            let at = self.piece_lines() as usize * 64;
            if !self.ensure(first + self.piece_lines()) {
                self.pieces = Vec::new();
                self.blocks.push(block);
                return false;
            }
            if let Some(piece) = self.pieces.last_mut() {
                let piece = piece.as_mut();
                piece.copy_from_slice(&block.as_ref()[at..at + piece.len()]);
            }
        }
        true
    }

    fn piece_lines(&self) -> u64 {
        match self.pieces.len() {
            0 => 0,
            pieces => {
                let (first, lines) = self.extent(pieces - 1);
                first + lines - self.first_of_pieces()
            }
        }
    }

    /// The bytes in which a line lies, and where in them it begins.
    #[inline(always)]
    pub(crate) fn find(&self, line: u64) -> Option<(&[u8], usize)> {
        if let Some(block) = self.blocks.get((line >> BLOCK_LOG) as usize) {
            return Some((block.as_ref(), (line % BLOCK) as usize * 64));
        }
        let (piece, number) = self.place(line);
        Some((self.pieces.get(piece)?.as_ref(), number * 64))
    }

    #[inline(always)]
    pub(crate) fn find_mut(&mut self, line: u64) -> Option<(&mut [u8], usize)> {
        let (piece, number) = self.place(line);
        if let Some(block) = self.blocks.get_mut((line >> BLOCK_LOG) as usize) {
            return Some((block.as_mut(), (line % BLOCK) as usize * 64));
        }
        Some((self.pieces.get_mut(piece)?.as_mut(), number * 64))
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
        let end = match from < self.first_of_pieces() {
            true => (from >> BLOCK_LOG << BLOCK_LOG) + BLOCK,
            false => {
                let (first, lines) = self.extent(self.place(from).0);
                first + lines
            }
        };
        to.min(end).min(from + (most / 64) as u64)
    }

    /// Bytes that all of it takes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let all = self.blocks.iter().chain(&self.pieces).map(|memory| memory.as_ref().len() as u64).sum::<u64>();
        all + ((self.blocks.capacity() + self.pieces.capacity()) * size_of::<Memory>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_bytes_while_blocks_fill_and_break() {
        let mut lines = Lines::new(100_000);
        let byte = |line: u64| (line * 7 % 251) as u8 + 1;
        let fill = |lines: &mut Lines, from: u64, to: u64| {
            for line in from..to {
                assert!(lines.ensure(line));
                let (bytes, at) = lines.find_mut(line).unwrap();
                assert!(bytes[at..at + 64].iter().all(|&byte| byte == 0), "{line} is not empty");
                bytes[at..at + 64].fill(byte(line));
            }
        };
        fill(&mut lines, 0, 100_000);
        assert!(lines.memory_bytes() < 100_000 * 64 + 5_000);
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
            }
            assert!(lines.memory_bytes() <= now * 64 * 33 / 32 + (1 << 20) + 4_096, "{now}");
        }
        fill(&mut lines, 1, 70_000);
    }
}
