//! Which slots of which lines a search has looked at.

use alloc::vec;
use alloc::vec::Vec;

/// A map from lines to the slots seen there, one bit each. It is emptied in constant time: entries carry the number of the
/// search that made them.
#[derive(Default)]
pub(crate) struct Seen {
    /// `round << LINE_BITS | line` and the slots, by linear probing. The length is a power of two.
    entries: Vec<(u64, u64)>,
    round: u64,
    len: usize,
}

/// Numbers of lines, with their side, are below 2^44: 2^36 lines of up to 128 rows a side.
const LINE_BITS: u32 = 44;

/// Enough for nearly every search, and 2 KiB: it stays in the first cache.
const SMALL: usize = 128;

impl Seen {
    /// Empties the map.
    pub(crate) fn start(&mut self) {
        self.round += 1;
        self.len = 0;
        if self.entries.len() != SMALL || self.round >> (64 - LINE_BITS) != 0 {
            self.entries = vec![(0, 0); SMALL];
            self.round = 1;
        }
    }

    /// The slots seen in a line: none yet if it is new.
    #[inline(always)]
    pub(crate) fn slots(&mut self, line: u64) -> &mut u64 {
        if 2 * self.len >= self.entries.len() {
            self.grow();
        }
        let key = self.round << LINE_BITS | line;
        let last = self.entries.len() - 1;
        let mut at = (line.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & last;
        // At most half full: the line or a free entry comes soon.
        while self.entries[at].0 != key {
            if self.entries[at].0 >> LINE_BITS != self.round {
                self.entries[at] = (key, 0);
                self.len += 1;
                break;
            }
            at = (at + 1) & last;
        }
        &mut self.entries[at].1
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(0, 0); 4 * self.entries.len()];
        let old = core::mem::replace(&mut self.entries, larger);
        self.len = 0;
        for (key, slots) in old {
            if key >> LINE_BITS == self.round {
                *self.slots(key & ((1 << LINE_BITS) - 1)) = slots;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    #[test]
    fn agrees_with_a_map_over_many_rounds() {
        let mut rng = crate::rng::Rng::new(2);
        let mut seen = Seen::default();
        for round in 0..20_000u32 {
            seen.start();
            let mut model = BTreeMap::new();
            let visits = if round % 1_000 == 0 { 3_000 } else { 5 };
            for _ in 0..visits {
                let (line, bit) = (u64::from(rng.below(1_000)) << (round % 34), 1 << rng.below(64));
                let expected: &mut u64 = model.entry(line).or_default();
                assert_eq!(seen.slots(line), expected);
                *expected |= bit;
                *seen.slots(line) |= bit;
            }
        }
    }
}
