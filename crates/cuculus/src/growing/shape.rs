//! What a growing filter's table looks like: the slots of a line, how many bits a slot holds, how many more lie in planes.

use crate::bits::{Word, mask, widening};
use crate::geometry::LINE_BITS;
use crate::index::spread;
use crate::rng::Rng;
use crate::table::unpaired;

/// The most slots of a line: the planes of a line are words.
pub(crate) const MAX_SLOTS: u32 = 64;

/// The most address bits of a line.
pub(crate) const MAX_DEPTH: u32 = 36;

/// The most rows: lines of a side whose address has no bits.
pub(crate) const MAX_ROWS: u32 = 128;

/// The numbers that make a shape; all of them are in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parameters {
    /// Slots of a line, 4 to 64.
    pub(crate) slots: u32,
    /// How many of them are one bit wider.
    pub(crate) wide: u32,
    /// Bits of a narrow slot.
    pub(crate) width: u32,
    /// Open end: the bits of a slot that never change. 0 with a declared maximum: all of them.
    pub(crate) core: u32,
    /// The lines of a side when the address of a line has no bits.
    pub(crate) rows: u32,
    /// Bits of an address that every entry knows, by its line or its planes. With a declared maximum, all that there are.
    pub(crate) planned: u32,
    /// How many of 1024 slots are occupied when a line splits.
    pub(crate) full: u32,
    /// Open end: the depths from which a line's slots have one bit more, in a plane. Ascending; 0 where there is none.
    pub(crate) steps: [u8; STEPS],
}

/// The most bits that the open end adds to its slots as it grows.
pub(crate) const STEPS: usize = 16;

impl Parameters {
    /// Whether a table can be made of them.
    pub(crate) fn validate(&self) -> Result<(), (&'static str, u64, &'static str)> {
        let ok = |good: bool, name, value: u64, allowed| if good { Ok(()) } else { Err((name, value, allowed)) };
        let (slots, wide, width) = (self.slots, self.wide, self.width);
        ok((4..=MAX_SLOTS).contains(&slots), "slots a line", slots.into(), "4 to 64")?;
        let lone = wide == 1 || wide + 1 == slots;
        ok(wide < slots && !lone, "wide slots", wide.into(), "neither 1, nor all slots, nor all but one")?;
        let open = self.core != 0;
        let (least, most) = if open { (self.core + 2, 48) } else { (8, 31) };
        ok(
            !open || (4..=16).contains(&self.core),
            "core bits",
            self.core.into(),
            "4 to 16; 0 with a declared maximum",
        )?;
        ok((least..=most).contains(&width), "slot bits", width.into(), "8 to 31; open end: core bits and 2 to 48")?;
        ok(slots * width + wide <= LINE_BITS, "slot bits", width.into(), "a line of 512 bits holds the slots")?;
        ok((1..=MAX_ROWS).contains(&self.rows), "rows", self.rows.into(), "1 to 128")?;
        ok(self.planned <= MAX_DEPTH, "planned address bits", self.planned.into(), "at most 36")?;
        ok((512..=972).contains(&self.full), "load at a split", self.full.into(), "512 to 972 of 1024")?;
        let mut last = self.planned as u8;
        for &step in self.steps.iter().take_while(|&&step| step != 0) {
            ok(open && step > last, "steps", step.into(), "ascending depths after the planned one, open end only")?;
            last = step;
        }
        let mut rest = self.steps.iter().skip_while(|&&step| step != 0);
        rest.try_for_each(|&step| ok(step == 0, "steps", step.into(), "0 after the last"))
    }
}

/// For each bit of an address, half of the ways have it and half have not: so of the lines that one line's items have on
/// the other side, half have split when half of all have.
fn ways(rows: u64) -> [Way; WAYS] {
    let mut rng = Rng::new(0x5EED);
    let mut addresses = [0; WAYS];
    for bit in 0..64 {
        let mut order: [usize; WAYS] = core::array::from_fn(|way| way);
        for last in (1..WAYS).rev() {
            order.swap(last, rng.below(last as u32 + 1) as usize);
        }
        order[..WAYS / 2].iter().for_each(|&way| addresses[way] |= 1 << bit);
    }
    addresses.map(|address| Way { address, rows: widening(rng.next(), rows).0 })
}

/// Slots of one width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Class {
    /// Number of the first slot, and of slots.
    pub(crate) first: u64,
    pub(crate) size: u64,
    /// 1 if `size` is even, 0 if it is odd.
    pub(crate) even: u64,
    /// Bit in the line at which slot 0 would lie, were all slots of this width (it may wrap below zero).
    origin: u64,
    pub(crate) width: u32,
    /// The number of cores.
    pub(crate) cores: u64,
    /// Open end: bits of a slot for further address bits and their mark. 0 with a declared maximum.
    pub(crate) field: u32,
}

impl Class {
    /// The bit of the line where a slot begins.
    #[inline(always)]
    pub(crate) fn bit(&self, slot: u64) -> u32 {
        self.origin.wrapping_add(slot * u64::from(self.width)) as u32
    }

    /// The sum of two partner slots of a core, counted in the class.
    #[inline(always)]
    fn sum(&self, core: u64) -> u64 {
        widening(spread(core + 1), self.size).0 | self.even
    }
}

/// Where an item may lie: in both sides, in the line of its address there, in two slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) class: usize,
    pub(crate) core: u64,
    pub(crate) slots: [u64; 2],
    /// The row and the address on each side.
    pub(crate) rows: [u64; 2],
    pub(crate) addresses: [u64; 2],
    /// How many bits of the addresses are known, from the lowest on.
    pub(crate) known: u32,
}

/// In how many ways the places on the two sides differ: a line's items have their other line among so many.
pub(crate) const WAYS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) parameters: Parameters,
    pub(crate) slots: u64,
    pub(crate) classes: [Class; 2],
    /// How many bits of an entry lie in planes, in a line of each depth.
    pub(crate) planes: [u8; 64],
    pub(crate) ways: [Way; WAYS],
}

/// How the lines on the two sides differ: it undoes itself, and the first bits of an address give the first bits of the
/// other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    /// What the addresses differ in.
    pub(crate) address: u64,
    /// The sum of the two rows.
    pub(crate) rows: u64,
}

impl Shape {
    /// Of parameters that [`Parameters::validate`] accepts.
    pub(crate) fn new(parameters: Parameters) -> Self {
        let Parameters { slots, wide, width, core, planned, steps, .. } = parameters;
        let open = core != 0;
        let class = |first: u32, size: u32, width: u32, start: u32| Class {
            first: first.into(),
            size: size.into(),
            even: u64::from(1 - size % 2),
            origin: u64::from(start).wrapping_sub(u64::from(first) * u64::from(width)),
            width,
            cores: if open { 1 << core } else { mask(width) },
            field: if open { width - core } else { 0 },
        };
        let classes = [class(0, wide, width + 1, 0), class(wide, slots - wide, width, wide * (width + 1))];
        let planes = core::array::from_fn(|depth| {
            let depth = depth as u8;
            let further = steps.iter().filter(|&&step| step != 0 && step <= depth).count() as u8;
            (planned as u8).saturating_sub(depth) + further
        });
        let ways = ways(parameters.rows.into());
        Shape { parameters, slots: slots.into(), classes, planes, ways }
    }

    #[inline(always)]
    pub(crate) fn open(&self) -> bool {
        self.parameters.core != 0
    }

    /// The lines of a side whose addresses have `depth` bits.
    pub(crate) fn lines(&self, depth: u32) -> u64 {
        u64::from(self.parameters.rows) << depth
    }

    /// The most lines a side.
    pub(crate) fn most_lines(&self) -> u64 {
        self.lines(if self.open() { MAX_DEPTH } else { self.parameters.planned })
    }

    /// The address bits that entries of a line have in their slots and planes end before this one, but for the mark.
    pub(crate) fn planes_end(&self, depth: u32) -> u32 {
        depth + u32::from(self.planes[depth as usize])
    }

    /// Whether lines of a depth have bits of the open end in planes, which lookups have to read.
    pub(crate) fn is_deep(&self, depth: u32) -> bool {
        self.planes_end(depth) > self.parameters.planned.max(depth)
    }

    /// The address bits in planes that lookups do not read in a line of a depth.
    pub(crate) fn unread(&self, depth: u32) -> u64 {
        mask(self.parameters.planned) & !mask(depth)
    }

    /// The most address bits that an entry knows in a line of a depth.
    pub(crate) fn most_known(&self, class: usize, depth: u32) -> u32 {
        self.planes_end(depth) + self.classes[class].field.saturating_sub(1)
    }

    #[inline(always)]
    pub(crate) fn class_of(&self, slot: u64) -> usize {
        (slot >= self.classes[1].first) as usize
    }

    /// Where the item of a hash may lie.
    #[inline(always)]
    pub(crate) fn item(&self, hash: u64) -> Item {
        // The address is the hash itself. The highest bits of a product with an odd number are uniform whatever the
        // lowest bits of the hash are.
        let (row, rest) = widening(hash.wrapping_mul(ODD), self.parameters.rows.into());
        let (slot, rest) = widening(rest, self.slots);
        let number = self.class_of(slot);
        let class = &self.classes[number];
        let (slot, rest) = widening(rest, class.size - 1 + class.even);
        let (core, _) = widening(rest, class.cores);
        let core = core + u64::from(!self.open());
        let sum = class.sum(core);
        let slot = slot + u64::from(slot >= unpaired(sum, class.size, class.even));
        let way = &self.ways[core as usize % WAYS];
        Item {
            class: number,
            core,
            slots: [class.first + slot, class.first + slot.reflect(sum, class.size)],
            rows: [row, row.reflect(way.rows, self.parameters.rows.into())],
            addresses: [hash, hash ^ way.address],
            known: 64,
        }
    }

    /// The item of an entry in a slot of a side's line.
    #[inline(always)]
    pub(crate) fn item_from(&self, side: usize, row: u64, slot: u64, entry: &Entry) -> Item {
        let number = self.class_of(slot);
        let class = &self.classes[number];
        let way = &self.ways[entry.core as usize % WAYS];
        let in_class = slot - class.first;
        let mut item = Item {
            class: number,
            core: entry.core,
            slots: [slot, class.first + in_class.reflect(class.sum(entry.core), class.size)],
            rows: [row, row.reflect(way.rows, self.parameters.rows.into())],
            addresses: [entry.address, entry.address ^ way.address],
            known: entry.known,
        };
        if side == 1 {
            item.rows.swap(0, 1);
            item.addresses.swap(0, 1);
        }
        item
    }
}

/// What the hash is multiplied with: odd, without a pattern.
const ODD: u64 = 0xD6E8_FEB8_6659_FD93;

/// What a slot and its planes say: the core, and as much of the address as is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) core: u64,
    pub(crate) address: u64,
    pub(crate) known: u32,
}

impl Item {
    /// The two items that it may be if one bit more were known.
    pub(crate) fn halves(&self) -> [Item; 2] {
        [0, 1 << self.known].map(|bit| {
            let addresses = self.addresses.map(|address| address ^ bit);
            Item { addresses, known: self.known + 1, ..*self }
        })
    }

    /// The item as an entry of a side.
    #[inline(always)]
    pub(crate) fn entry(&self, side: usize) -> Entry {
        Entry { core: self.core, address: self.addresses[side], known: self.known }
    }
}
