//! What slots hold below their fingerprints: nothing, or the stamp of when their item was last seen.

use super::compact::Compact;
use super::{Cell, Cells, validate_padding};
use crate::bits::{Word, mask};
use crate::fingerprint::Fingerprint;
use crate::geometry::LINE_BITS;

/// Bytes of a line.
const LINE: usize = LINE_BITS as usize / 8;

/// The stamps of a table's slots.
pub(crate) trait Stamps: Copy {
    /// Bits of a stamp.
    fn bits(&self) -> u32;
    /// 1 where a slot, given with its stamp lowest, counts as occupied by its stamp; else 0.
    fn counts<W: Word>(&self, slot: W) -> W;
}

/// Slots of fingerprints alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoStamps;

impl Stamps for NoStamps {
    #[inline(always)]
    fn bits(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn counts<W: Word>(&self, _: W) -> W {
        W::splat(1)
    }
}

/// Stamps of up to six bits, of which some are alive. A slot with a dead stamp is an empty one to every call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ages {
    bits: u32,
    /// Bit `s` says whether stamp `s` is alive.
    pub(crate) alive: u64,
}

impl Ages {
    pub(crate) const MAX_BITS: u32 = 6;

    pub(crate) fn new(bits: u32) -> Self {
        debug_assert!(bits <= Self::MAX_BITS);
        Ages { bits, alive: 0 }
    }
}

impl Stamps for Ages {
    #[inline(always)]
    fn bits(&self) -> u32 {
        self.bits
    }

    #[inline(always)]
    fn counts<W: Word>(&self, slot: W) -> W {
        let (alive, stamp) = (self.alive, mask(self.bits));
        slot.map(|slot| alive >> (slot & stamp) & 1)
    }
}

/// What only a table with stamps has.
impl<const ODD: bool> Compact<ODD, Ages> {
    /// Which stamps are alive from now on.
    pub(crate) fn set_alive(&mut self, alive: u64) {
        self.stamps.alive = alive;
    }

    /// Whether some item has this fingerprint, and this cell as the lowest of its candidates.
    pub(crate) fn is_lowest(&self, cell: Cell, fingerprint: u32) -> bool {
        let Some(value) = Fingerprint::from_slot(fingerprint << self.stamps.bits()) else { return false };
        if cell >= self.cells() || u64::from(fingerprint) > self.most_fingerprint(cell) {
            return false;
        }
        let candidates = self.candidates_from(cell, value);
        candidates.as_slice().iter().all(|&other| other >= cell) && candidates.as_slice()[1] != cell
    }

    /// Empties the slots of a line whose stamps are dead. Reads all slots before it writes: a read behind a write that it
    /// overlaps waits for that one.
    #[inline(always)]
    pub(crate) fn sweep(&self, bytes: &mut [u8], line: u64) {
        let at = line as usize * LINE;
        let Some(content) = bytes.get_mut(at..at + LINE) else { return };
        if content.iter().fold(0, |all, byte| all | byte) == 0 {
            return;
        }
        // Where nothing is to be emptied, and a word for what runs over the last one.
        let mut dead = [0u64; LINE / 8 + 1];
        let mut bit = 0u32;
        for (slots, mask) in self.class_masks() {
            let width = mask.count_ones();
            for _ in 0..slots {
                let start = (bit / 8).min(LINE as u32 - 8);
                let word = content[start as usize..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
                let is_dead = self.stamps.counts(word >> (bit - 8 * start)) ^ 1;
                let slot = u128::from(mask & 0u64.wrapping_sub(is_dead)) << (bit % 64);
                let number = bit as usize / 64;
                dead[number] |= slot as u64;
                dead[number + 1] |= (slot >> 64) as u64;
                bit += width;
            }
        }
        for (word, dead) in content.chunks_exact_mut(8).zip(dead) {
            word.iter_mut().zip(dead.to_le_bytes()).for_each(|(byte, dead)| *byte &= !dead);
        }
    }

    /// Hands line, fingerprint and stamp of every slot that is not all zero to `each`, dead ones too, which may refuse them.
    /// Fails where bytes are not what this crate writes.
    pub(crate) fn visit(
        &self,
        bytes: &[u8],
        mut each: impl FnMut(u64, u64) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        let used = self.classes.bit(self.classes.slots);
        for (line, content) in (0..).zip(bytes.chunks_exact(LINE)) {
            validate_padding(content, used)?;
            for slot in 0..self.classes.slots {
                let value = self.value(bytes, line, slot);
                if value == 0 {
                    continue;
                }
                let Some(item) = Fingerprint::from_slot(value as u32).filter(|_| value >> self.stamps.bits() != 0)
                else {
                    return Err("an empty slot has a stamp");
                };
                let cell = line * self.classes.slots + slot;
                if ODD && self.candidates_from(cell, item).as_slice()[1] == cell {
                    return Err("a fingerprint lies in the slot that it leaves out");
                }
                each(line, value & mask(self.stamps.bits()))?;
            }
        }
        Ok(())
    }
}
