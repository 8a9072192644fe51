//! A lookup: the two lines of an item, and what their slots have to hold.

use super::shape::{Class, Shape};
use super::stash::Stash;
use super::table::{Table, word};
use crate::bits::{Bytes, mask};

/// Everything that comparing needs, found before the lines have arrived.
#[derive(Clone, Copy)]
pub(crate) struct Probe<'a> {
    lines: [&'a [u8; 64]; 2],
    bits: [u32; 2],
    /// For each side, what a slot holds of the item if it holds as much as it can.
    wanted: [u64; 2],
    slot: u64,
    /// The bits of a slot that hold address bits and their mark; 0 with a declared maximum.
    field: u64,
    /// The lowest bit where marks may lie in planes, else 0.
    least: u64,
    /// Whether the stash may hold the item.
    pub(crate) stashed: bool,
}

impl<'a> Probe<'a> {
    #[inline(always)]
    pub(crate) fn new<const OPEN: bool>(table: &'a Table, stash: &Stash, hash: u64) -> Self {
        let shape: &Shape = &table.shape;
        let item = shape.item(hash);
        let class: &Class = &shape.classes[item.class];
        let slot = mask(class.width);
        let field = mask(class.field);
        let deep = table.deep;
        // An empty slot is all zeros; a bit above every slot keeps it from being found. Where marks may lie in planes, a
        // slot that looks empty may not be.
        let never = u64::from(!deep) << class.width;
        let side = |side: usize| {
            let address = item.addresses[side];
            let (line, shift) = table.sides[side].locate(item.rows[side], address);
            let wanted = if OPEN { item.core << class.field | (address >> shift) & field | never } else { item.core };
            (table.line(side, line), wanted)
        };
        let [(first, a), (second, b)] = [side(0), side(1)];
        let bits = item.slots.map(|slot| class.bit(slot));
        Probe {
            lines: [first, second],
            bits,
            wanted: [a, b],
            slot,
            field,
            least: u64::from(deep),
            stashed: stash.may_hold(&item),
        }
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        for line in self.lines {
            line.prefetch(0);
        }
    }

    /// Whether some slot holds the item, as far as slots tell without their planes.
    #[inline(always)]
    pub(crate) fn matches<const OPEN: bool>(&self) -> bool {
        let mut found = false;
        for side in 0..2 {
            for bit in self.bits {
                let held = word(self.lines[side], bit) & self.slot;
                let differ = held ^ self.wanted[side];
                found |= if OPEN {
                    // The bits below the mark are address bits. In an empty slot all bits count, the one above it too.
                    let below = (1u64 << 63).rotate_left(64 - ((held & self.field) | self.least).leading_zeros()) - 1;
                    differ & (below | (self.slot & !self.field)) == 0
                } else {
                    differ == 0
                };
            }
        }
        found
    }
}
