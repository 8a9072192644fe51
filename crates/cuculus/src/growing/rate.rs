//! From what is known of a growing filter to its shape: the fewest bits that keep the rate at every size.

use super::shape::{MAX_DEPTH, MAX_ROWS, MAX_SLOTS, Parameters, STEPS, Shape};
use crate::bits::mask;
use crate::geometry::LINE_BITS;
use crate::sizing::crowding;

/// How many of 1024 slots are occupied when a line splits. With a declared maximum, memory is scarce only at the end; with
/// an open end always. Inserts look at twice as many slots at 0.90 as at 0.86.
const DECLARED_FULL: u32 = 880;
const OPEN_FULL: u32 = 919;

/// The load with a declared maximum when all lines have split: what is planned, and the most that rounding makes of it.
const LAST_FULL: u64 = 942;
const MOST_FULL: u64 = 950;

/// The load that rates are planned with. While lines split, those that have not are fuller than the average, and asked for
/// more often; when all have split, no load is higher than `MOST_FULL`.
const PLANNED_LOAD: f64 = 0.93;

/// The fewest slots of a class: smaller ones have too few partners.
const LEAST_CLASS: u32 = 8;

/// Lines a side up to which entries know all bits of their address: such tables are small, whatever that costs.
const PLANNED: u32 = 9;

/// How many doublings the slots of the open end have to serve before they get one bit more: each takes one and a half.
const LEAST_BUDGET: f64 = 17.0;

/// Lines for `items` at the load at which lines split.
pub(crate) fn lines_for(items: u64, slots: u32, full: u64) -> u64 {
    (u128::from(items) << 10).div_ceil(u128::from(slots) * u128::from(full)) as u64
}

/// The smallest line with a declared maximum of `items` and a rate of at most `rate`.
pub(crate) fn declared(items: u64, rate: f64) -> Option<Parameters> {
    let fits = |(slots, wide, width): &(u32, u32, u32)| {
        let found = |size: u32, bits: u32| share(size, *slots) / mask(bits) as f64;
        4.0 * PLANNED_LOAD * (found(*wide, width + 1) + found(slots - wide, *width)) <= rate
    };
    let (slots, wide, width) = lines(8..=31).filter(fits).max_by_key(|&(slots, wide, _)| (slots, wide))?;
    // Halved until they are few enough: so every line stands for equally many lines of the table's last size.
    let least = lines_for(items, slots, MOST_FULL).div_ceil(2).max(1);
    let half = lines_for(items, slots, LAST_FULL).div_ceil(2).max(1);
    let planned = (0..).find(|&planned| half.div_ceil(1 << planned) <= MAX_ROWS.into())?;
    let rows = least.div_ceil(1 << planned).max(half >> planned) as u32;
    Some(Parameters { slots, wide, width, core: 0, rows, planned, full: DECLARED_FULL, steps: [0; STEPS] })
}

/// The smallest line for the open end that starts with `first_lines` lines.
pub(crate) fn open(first_lines: u64, rate: f64) -> Option<Parameters> {
    // Doublings' worth of newest entries that the rate allows: an entry in a slot of w bits that has lost no bit of its
    // address is found by one absent key in 2^(w - 1), one that has lost one by twice as many.
    let budget = |&(slots, wide, width): &(u32, u32, u32)| {
        let found = |size: u32, bits: u32| share(size, slots) / (1u64 << bits) as f64;
        rate / (4.0 * f64::from(OPEN_FULL) / 1024.0 * (found(wide, width + 1) + found(slots - wide, width)))
    };
    let best = lines(10..=47).filter(|line| budget(line) >= LEAST_BUDGET).max_by_key(|&(slots, wide, _)| (slots, wide));
    let (slots, wide, width) = best?;
    let planned = PLANNED.max(64 - (first_lines.div_ceil(2) - 1).leading_zeros());
    let core = (width * 3 / 8).clamp(4, 8);
    let steps = steps(budget(&(slots, wide, width)), planned);
    Some(Parameters { slots, wide, width, core, rows: 1, planned, full: OPEN_FULL, steps })
}

/// When the slots get one bit more: the slots as they are may use 0.85 of the rate, every further bit half of
/// what is left then. A doubling with `n` bits more uses `1.5 / 2^n` of the budget.
fn steps(budget: f64, planned: u32) -> [u8; STEPS] {
    let (mut steps, mut depth) = ([0; STEPS], f64::from(planned));
    let (mut left, mut doubling) = (0.85 * budget - 2.0, 1.5);
    let mut rest = 0.15 * budget;
    for step in &mut steps {
        depth += left / doubling;
        if depth >= f64::from(MAX_DEPTH) {
            break;
        }
        // The lines of this depth come from a doubling that the bits so far still serve.
        *step = depth as u8 + 1;
        (left, rest, doubling) = (rest / 2.0, rest / 2.0, doubling / 2.0);
    }
    steps
}

/// The part of the items that a class gets, with what its odd size makes of it.
fn share(size: u32, slots: u32) -> f64 {
    match size {
        0 => 0.0,
        _ => f64::from(size) / f64::from(slots) * crowding(size),
    }
}

/// Every line with slots of these widths: slots, wide ones, narrow width.
fn lines(widths: core::ops::RangeInclusive<u32>) -> impl Iterator<Item = (u32, u32, u32)> {
    widths.flat_map(|width| {
        let slots = LINE_BITS / (width + 1)..=(LINE_BITS / width).min(MAX_SLOTS);
        slots.flat_map(move |slots| {
            let most = (LINE_BITS - slots * width).min(slots);
            let wide = most.min(slots.saturating_sub(LEAST_CLASS));
            // An even class has no slot without a partner, which is worth one narrower slot at times.
            let mixed = [wide, wide.saturating_sub(1)].into_iter().filter(|&wide| wide >= LEAST_CLASS);
            mixed.chain([0]).map(move |wide| (slots, wide, width))
        })
    })
}

/// The share of absent keys that the entries of a table find.
pub(crate) fn expected(shape: &Shape, occupied: [u64; 2], slots: u64, weight: u128) -> f64 {
    if shape.open() {
        // One of the item's slots' pairs in the line.
        return weight as f64 / (1u128 << super::table::WEIGHT) as f64 * 2.0 / shape.slots() as f64;
    }
    let of_class = |number: usize| {
        4.0 * crowding(shape.size(number) as u32) * occupied[number] as f64
            / (slots as f64 * shape.cores(number) as f64)
    };
    of_class(0) + of_class(1)
}

/// The weight of entries at which a rate is reached.
pub(crate) fn most_weight(shape: &Shape, rate: f64) -> u128 {
    let share = rate * shape.slots() as f64 / 2.0 * (1u64 << 40) as f64;
    (share as u128) << (super::table::WEIGHT - 40)
}
