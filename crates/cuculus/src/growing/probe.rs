//! Lookups: the two lines of an item, or of eight items in step, and what their slots have to hold.

use super::filter::GrowingFilter;
use super::lines::{Addresses, Lines};
use super::shape::{Home, Shape};
use super::side::Side;
use super::stash::Stash;
use crate::bits::{Bytes, Word};
use crate::table::word_of;

/// What lookups read. With an open end (`OPEN`), a slot holds from the lowest bit on: the core, address bits, and above
/// them a 1 that marks how many.
#[derive(Clone, Copy)]
pub(crate) struct Finder<'a, const OPEN: bool> {
    shape: &'a Shape,
    sides: &'a [Side; 2],
    lines: &'a [Lines; 2],
    stash: &'a Stash,
    /// Whether marks may lie in planes, so that a slot which looks empty may not be.
    pub(crate) deep: bool,
}

/// Everything that comparing needs, found before the lines have arrived.
#[derive(Clone, Copy)]
pub(crate) struct Probe<W> {
    /// For each side, the address of the line.
    lines: [W; 2],
    bits: [W; 2],
    /// For each side, what a slot holds of the item, if it holds so much of it. Bits above the slot do not matter.
    wanted: [W; 2],
    /// The bit after the slot.
    end: W,
    /// Not 0 where the stash may hold the item.
    stashed: W,
}

impl GrowingFilter {
    #[inline(always)]
    pub(crate) fn finder<const OPEN: bool>(&self) -> Finder<'_, OPEN> {
        let table = &self.table;
        let (shape, sides, lines) = (&table.shape, &table.sides, &table.storage);
        Finder { shape, sides, lines, stash: &self.stash, deep: table.deep }
    }
}

impl<'a, const OPEN: bool> Finder<'a, OPEN> {
    /// The same, with copies that nothing else can seem to change.
    #[inline(always)]
    pub(crate) fn with<'b>(self, shape: &'b Shape, sides: &'b [Side; 2]) -> Finder<'b, OPEN>
    where
        'a: 'b,
    {
        Finder { shape, sides, ..self }
    }

    #[inline(always)]
    pub(crate) fn locate<W: Word>(&self, hash: W) -> Probe<W> {
        let home = self.shape.home::<OPEN, W>(hash);
        let (first, a) = self.on_side(0, &home);
        let (second, b) = self.on_side(1, &home);
        let narrow = 1 << self.shape.parameters.width;
        Probe {
            lines: [first, second],
            bits: home.slots.map(|slot| self.shape.line.bit(slot)),
            wanted: [a, b],
            end: (W::splat(0).minus(home.is_wide) & W::splat(narrow)).plus(W::splat(narrow)),
            stashed: self.stash.may_find(&home),
        }
    }

    /// The address of the line on a side, and what a slot in it holds of the item.
    #[inline(always)]
    fn on_side<W: Word>(&self, side: usize, home: &Home<W>) -> (W, W) {
        let address = home.addresses[side];
        let (line, shift) = self.sides[side].locate(home.rows[side], address);
        let core_bits = self.shape.parameters.core;
        let wanted = match OPEN {
            true => address.zip(shift, |address, shift| (address >> (shift & 63)) << core_bits) | home.core,
            false => home.core,
        };
        (line.map(|line| self.lines[side].address(line)), wanted)
    }

    #[inline(always)]
    pub(crate) fn prefetch<W: Word>(&self, probe: &Probe<W>) {
        for side in 0..2 {
            probe.lines[side].each(|line| Addresses.prefetch(line as usize));
        }
    }

    /// Not 0 where some slot holds the item, as far as slots tell without their planes.
    #[inline(always)]
    pub(crate) fn matches<W: Word>(&self, probe: &Probe<W>) -> W {
        let slot_mask = probe.end.minus(W::splat(1));
        let shallow = W::splat(if self.deep { 0 } else { u64::MAX });
        let half_core = W::splat(1 << self.shape.parameters.core >> 1);
        let mut found = W::splat(0);
        for bit in probe.bits {
            let (start, shift) = word_of(bit);
            for side in 0..2 {
                // SAFETY: `locate` gave the address of a line, `start + 8 <= 64`, and no line has moved: the filter is borrowed.
                let word = unsafe { W::load(&Addresses, probe.lines[side].plus(start)) };
                let held = word.zip(shift, |word, shift| word >> (shift & 63)) & slot_mask;
                let differ = held ^ probe.wanted[side];
                found = found
                    | match OPEN {
                        // The lowest bit that differs has to be the mark or above: above half of what the slot holds.
                        true => {
                            let differ = differ | probe.end;
                            let lowest = differ & W::splat(0).minus(differ);
                            let below = (held.shr(1) | half_core).minus(lowest);
                            let empty = held.minus(W::splat(1)) & shallow;
                            (below & (empty ^ W::splat(u64::MAX))).shr(63)
                        }
                        false => (differ & slot_mask).is_zero(),
                    };
            }
        }
        found
    }

    /// Not 0 where what the slots tell is not all.
    #[inline(always)]
    pub(crate) fn in_doubt<W: Word>(&self, probe: &Probe<W>, found: W) -> W {
        if OPEN && self.deep { probe.stashed | found } else { probe.stashed }
    }
}
