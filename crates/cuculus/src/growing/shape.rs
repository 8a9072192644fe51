//! What a growing filter's table looks like: the slots of a line, how many bits a slot holds, how many more lie in planes.

use crate::bits::{Word, mask, widening};
use crate::geometry::LINE_BITS;
use crate::index::spread;
use crate::rng::Rng;
use crate::table::Classes;

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
        let lone = wide == 1 || wide == slots - 1;
        ok(wide < slots && !lone, "wide slots", wide.into(), "neither 1, nor all slots, nor all but one")?;
        let open = self.core != 0;
        ok(
            !open || (4..=16).contains(&self.core),
            "core bits",
            self.core.into(),
            "4 to 16; 0 with a declared maximum",
        )?;
        let (least, most) = if open { (self.core + 2, 48) } else { (8, 31) };
        ok((least..=most).contains(&width), "slot bits", width.into(), "8 to 31; open end: core bits and 2 to 48")?;
        ok(slots * width + wide <= LINE_BITS, "slot bits", width.into(), "a line of 512 bits holds the slots")?;
        ok(
            (1..=MAX_ROWS).contains(&self.rows) && (!open || self.rows == 1),
            "rows",
            self.rows.into(),
            "1 to 128; 1 with an open end",
        )?;
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

/// An item as lookups know it, or eight items.
#[derive(Clone, Copy)]
pub(crate) struct Home<W> {
    /// 1 if its slots are wide, else 0.
    pub(crate) is_wide: W,
    pub(crate) core: W,
    pub(crate) slots: [W; 2],
    pub(crate) rows: [W; 2],
    pub(crate) addresses: [W; 2],
}

/// In how many ways the places on the two sides differ: a line's items have their other line among so many.
pub(crate) const WAYS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) parameters: Parameters,
    pub(crate) line: Classes<true>,
    /// For each class, in 2^-20: what its size makes of the rate. A class of odd size has one slot fewer for each core.
    pub(crate) crowding: [u64; 2],
    /// For each class, the mask of a slot, and of the core in it.
    pub(crate) slot_masks: [u64; 2],
    pub(crate) core_mask: u64,
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
        let line = Classes { slots: slots.into(), wide: wide.into(), width: width.into() };
        let crowding = [wide, slots - wide].map(|size| match u64::from(size) {
            0 => 1 << 20,
            size => (size << 20) / (size - size % 2),
        });
        let planes = core::array::from_fn(|depth| {
            let depth = depth as u8;
            let further = steps.iter().filter(|&&step| step != 0 && step <= depth).count() as u8;
            (planned as u8).saturating_sub(depth) + further
        });
        let ways = ways(parameters.rows.into());
        let slot_masks = [mask(width + 1), mask(width)];
        let core_mask = if core != 0 { mask(core) } else { u64::MAX };
        Shape { parameters, line, crowding, slot_masks, core_mask, planes, ways }
    }

    #[inline(always)]
    pub(crate) fn open(&self) -> bool {
        self.parameters.core != 0
    }

    /// Slots of a line.
    #[inline(always)]
    pub(crate) fn slots(&self) -> u64 {
        self.line.slots
    }

    /// Slots of a class: 0 are the wide ones, 1 the narrow ones.
    pub(crate) fn size(&self, class: usize) -> u64 {
        if class == 0 { self.line.wide } else { self.line.slots - self.line.wide }
    }

    /// Bits of a slot of a class.
    #[inline(always)]
    pub(crate) fn width(&self, class: usize) -> u32 {
        self.parameters.width + u32::from(class == 0)
    }

    /// The number of cores of a class.
    pub(crate) fn cores(&self, class: usize) -> u64 {
        if self.open() { 1 << self.parameters.core } else { mask(self.width(class)) }
    }

    /// Open end: bits of a slot for further address bits and their mark. 0 with a declared maximum.
    #[inline(always)]
    pub(crate) fn field(&self, class: usize) -> u32 {
        if self.open() { self.width(class) - self.parameters.core } else { 0 }
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
        self.planes_end(depth) + self.field(class).saturating_sub(1)
    }

    #[inline(always)]
    pub(crate) fn class_of(&self, slot: u64) -> usize {
        (slot >= self.line.wide) as usize
    }

    /// Where the item of a hash may lie. With an open end there is one row.
    #[inline(always)]
    pub(crate) fn home<const OPEN: bool, W: Word>(&self, hash: W) -> Home<W> {
        // The address is the hash itself. The highest bits of a product with an odd number are uniform whatever the
        // lowest bits of the hash are.
        let rows = W::splat(self.parameters.rows.into());
        let spread_hash = hash.times(ODD);
        let (row, rest) = if OPEN { (W::splat(0), spread_hash) } else { spread_hash.widening(rows) };
        let (class, choice, rest) = self.line.choose(rest);
        let core = match OPEN {
            true => rest.shr(64 - self.parameters.core),
            false => {
                let narrow = mask(self.parameters.width);
                rest.widening(class.is_wide.scale(narrow + 1).plus(W::splat(narrow))).0.plus(W::splat(1))
            }
        };
        let slots = class.slots::<true>(choice, class.sum(spread(core.plus(W::splat(1)))));
        let way = |of: fn(&Way) -> u64| core.map(|core| of(&self.ways[core as usize % WAYS]));
        let other = if OPEN { row } else { row.reflect(way(|way| way.rows), rows) };
        Home {
            is_wide: class.is_wide,
            core,
            slots,
            rows: [row, other],
            addresses: [hash, hash ^ way(|way| way.address)],
        }
    }

    /// The item of a hash.
    #[inline(always)]
    pub(crate) fn item(&self, hash: u64) -> Item {
        let home = if self.open() { self.home::<true, u64>(hash) } else { self.home::<false, u64>(hash) };
        Item {
            class: 1 - home.is_wide as usize,
            core: home.core,
            slots: home.slots,
            rows: home.rows,
            addresses: home.addresses,
            known: 64,
        }
    }

    /// The item of an entry in a slot of a side's line.
    #[inline(always)]
    pub(crate) fn item_from(&self, side: usize, row: u64, slot: u64, entry: &Entry) -> Item {
        let way = self.way(entry.core);
        let mut item = Item {
            class: self.class_of(slot),
            core: entry.core,
            slots: [slot, self.partner(slot, entry.core)],
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

    /// The other slot of a core.
    #[inline(always)]
    pub(crate) fn partner(&self, slot: u64, core: u64) -> u64 {
        let class = self.line.class_of(slot);
        class.partner(slot, class.sum(spread(core + 1)))
    }

    #[inline(always)]
    pub(crate) fn way(&self, core: u64) -> &Way {
        &self.ways[core as usize % WAYS]
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
