//! The mathematics of sizes and rates: free functions, the same on every platform (`+ - * /` on `f64` and integers
//! only, never the platform's mathematics library).

use crate::geometry::{Geometry, Layout};

mod room;

pub use room::{expected_crowds, room};

/// Base-two logarithm of a positive finite number, by repeated squaring: 40 bits behind the point.
pub fn log2(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return f64::NAN;
    }
    let (mut x, mut whole) = (x, 0.0);
    while x >= 2.0 {
        (x, whole) = (x / 2.0, whole + 1.0);
    }
    while x < 1.0 {
        (x, whole) = (x * 2.0, whole - 1.0);
    }
    let (mut fraction, mut bit) = (0.0, 0.5);
    for _ in 0..40 {
        x *= x;
        if x >= 2.0 {
            x /= 2.0;
            fraction += bit;
        }
        bit /= 2.0;
    }
    whole + fraction
}

/// Bits an item of an optimal Bloom filter, which cannot remove: `1.4427 log2(1 / rate)`. NaN where `rate` is no rate.
pub fn bloom_bits_per_item(rate: f64) -> f64 {
    core::f64::consts::LOG2_E * information_limit_bits_per_item(rate)
}

/// Bits an item that any set with this rate needs at least: `log2(1 / rate)` (Carter et al. 1978). `rate` is more than 0
/// and at most 1; NaN for anything else.
pub fn information_limit_bits_per_item(rate: f64) -> f64 {
    if rate <= 1.0 { 0.0 - log2(rate) } else { f64::NAN }
}

/// Bits an item that any filter with inserts and removals needs at least: `log2(1 / rate) + 1.4427` (Kuszmaul, Liang,
/// Zhou 2025). NaN where `rate` is no rate.
pub fn dynamic_limit_bits_per_item(rate: f64) -> f64 {
    information_limit_bits_per_item(rate) + core::f64::consts::LOG2_E
}

/// Expected rate of absent keys at a load of 0 to 1: each candidate slot is taken with probability `load` and then equal
/// with probability `1 / (2^f - 1)` (paper, section 5.1, for a load of one; zero marks an empty slot and is no
/// fingerprint). NaN for another load, or for a geometry that is [not valid](Geometry::validate).
pub fn false_positive_rate(geometry: &Geometry, load: f64) -> f64 {
    match geometry.validate() {
        Ok(()) if (0.0..=1.0).contains(&load) => rate_at(geometry, load),
        _ => f64::NAN,
    }
}

fn rate_at(geometry: &Geometry, load: f64) -> f64 {
    let width = |bits: u32, slots: u32, crowding: f64| {
        let one = load * crowding / (((1u64 << bits) - 1) as f64);
        let sum = f64::from(slots) * one;
        // Near zero a difference from one has no digits left; the sum of the chances is never too low, and right to 2^-26.
        if sum < SMALL { sum } else { 1.0 - (0..slots).fold(1.0, |all, _| all * (1.0 - one)) }
    };
    let candidates = geometry.candidate_slots();
    let f = geometry.fingerprint_bits;
    match geometry.layout {
        Layout::Packed | Layout::SemiSorted => width(f, candidates, 1.0),
        Layout::Compact => {
            let (wide, narrow) = (geometry.wide_slots, geometry.slots_per_bucket - geometry.wide_slots);
            let share = f64::from(wide) / f64::from(geometry.slots_per_bucket);
            share * width(f + 1, candidates, crowding(wide)) + (1.0 - share) * width(f, candidates, crowding(narrow))
        }
    }
}

/// In a class of odd size each fingerprint leaves one slot out: how much likelier it is in the others.
pub(crate) fn crowding(class: u32) -> f64 {
    match class % 2 {
        1 if class > 1 => f64::from(class) / f64::from(class - 1),
        _ => 1.0,
    }
}

/// Where the sum of a few equal chances stands for the chance of any: 2^-25, where both ways are as exact.
const SMALL: f64 = 1.0 / (1 << 25) as f64;

/// The largest load at which absent keys are found with at most this rate, 0 where even an empty table's first item
/// breaks it. By bisection on [`false_positive_rate`], which grows with the load. NaN for a geometry that is
/// [not valid](Geometry::validate).
pub fn load_for_rate(geometry: &Geometry, rate: f64) -> f64 {
    match geometry.validate() {
        Ok(()) => load_at(geometry, rate),
        Err(_) => f64::NAN,
    }
}

fn load_at(geometry: &Geometry, rate: f64) -> f64 {
    if rate_at(geometry, 1.0) <= rate {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match rate_at(geometry, middle) <= rate {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}
