//! The slots of a 64-byte line of the compact layouts: of two widths, the wide ones first.
//!
//! ```text
//!  line, 512 bits:  | wide slots, w + 1 bits each | narrow slots, w bits each | unused |
//! ```
//! Partners stay in their class: `p <-> sum - p`, with `sum` from the fingerprint. In a class of even size `sum` is odd, so
//! that no slot is its own partner; in a class of odd size each `sum` has one such slot, which is left out.

use crate::bits::Word;
use crate::geometry::LINE_BITS;

/// `ODD`: whether a class may be of odd size; without, the steps for it are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Classes<const ODD: bool> {
    /// Slots of a line, and the wide ones among them.
    pub(crate) slots: u64,
    pub(crate) wide: u64,
    /// Bits of a narrow slot.
    pub(crate) width: u64,
}

/// The slots of one width.
#[derive(Clone, Copy)]
pub(crate) struct Class<W> {
    /// Number of the first slot, and of slots.
    pub(crate) first: W,
    pub(crate) size: W,
    /// 1 if `size` is even, 0 if it is odd: what keeps `sum` odd where it has to be.
    pub(crate) even: W,
    /// 1 if the slots are wide, else 0.
    pub(crate) is_wide: W,
}

impl<const ODD: bool> Classes<ODD> {
    /// The class of a slot, without a branch.
    #[inline(always)]
    pub(crate) fn class_of<W: Word>(&self, slot: W) -> Class<W> {
        let is_wide = slot.less(W::splat(self.wide));
        let all_if_wide = W::splat(0).minus(is_wide);
        let (wide, narrow) = (self.wide, self.slots - self.wide);
        let size = W::splat(narrow) ^ all_if_wide & W::splat(narrow ^ wide);
        Class {
            first: W::splat(wide) ^ all_if_wide & W::splat(wide),
            size,
            even: if ODD { size & W::splat(1) ^ W::splat(1) } else { W::splat(1) },
            is_wide,
        }
    }

    /// The class of an item, the choice of a slot in it for [`Class::first_slot`], and what is left of the hash. A class
    /// gets items in proportion to its slots.
    #[inline(always)]
    pub(crate) fn choose<W: Word>(&self, rest: W) -> (Class<W>, W, W) {
        let (slot, rest) = rest.widening(W::splat(self.slots));
        let class = self.class_of(slot);
        // A class of odd size has one slot fewer to choose from, so the choice in it needs a digit of its own: the share of
        // items that a class gets must stay that of its slots.
        let (slot, rest) = match ODD {
            true => rest.widening(class.size.minus(W::splat(1)).plus(class.even)),
            false => (slot.minus(class.first), rest),
        };
        (class, slot, rest)
    }

    /// Where in a line a slot starts: every wide slot before it takes one bit more.
    #[inline(always)]
    pub(crate) fn bit<W: Word>(&self, slot: W) -> W {
        slot.scale(self.width).plus(slot.lesser(W::splat(self.wide)))
    }
}

impl<W: Word> Class<W> {
    /// The sum of two partner slots counted in their class, from what is left of a fingerprint's hash.
    #[inline(always)]
    pub(crate) fn sum(&self, rest: W) -> W {
        rest.widening(self.size).0 | self.even
    }

    /// The two slots of a choice, numbered in the line.
    #[inline(always)]
    pub(crate) fn slots<const ODD: bool>(&self, choice: W, sum: W) -> [W; 2] {
        let slot = match ODD {
            true => choice.plus(unpaired(sum, self.size, self.even).less(choice.plus(W::splat(1)))),
            false => choice,
        };
        [self.first.plus(slot), self.first.plus(slot.reflect(sum, self.size))]
    }

    /// The partner of a slot numbered in the line.
    #[inline(always)]
    pub(crate) fn partner(&self, slot: W, sum: W) -> W {
        self.first.plus(slot.minus(self.first).reflect(sum, self.size))
    }
}

/// The byte of its line where a slot's word starts: never past the last word, so that no read crosses into another line;
/// and where in the word the slot starts.
#[inline(always)]
pub(crate) fn word_of<W: Word>(bit: W) -> (W, W) {
    let start = bit.shr(3).lesser(W::splat(u64::from(LINE_BITS / 8 - 8)));
    (start, bit.minus(start.times(8)))
}

/// In a class of odd size, the slot that is its own partner: half of `sum`, modulo the size. Past every slot if even.
#[inline(always)]
fn unpaired<W: Word>(sum: W, size: W, even: W) -> W {
    let all_if_odd = W::splat(0).minus(sum & W::splat(1));
    sum.plus(all_if_odd & size).shr(1) | W::splat(0).minus(even)
}
