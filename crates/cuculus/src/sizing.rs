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

/// Bits an item of an optimal Bloom filter, which cannot remove: `1.4427 log2(1 / rate)`.
pub fn bloom_bits_per_item(rate: f64) -> f64 {
    core::f64::consts::LOG2_E * log2(1.0 / rate)
}

/// Bits an item that any set with this rate needs at least: `log2(1 / rate)` (Carter et al. 1978).
pub fn information_limit_bits_per_item(rate: f64) -> f64 {
    log2(1.0 / rate)
}

/// Bits an item that any filter with inserts and removals needs at least: `log2(1 / rate) + 1.4427` (Kuszmaul, Liang,
/// Zhou 2025).
pub fn dynamic_limit_bits_per_item(rate: f64) -> f64 {
    log2(1.0 / rate) + core::f64::consts::LOG2_E
}

/// Expected rate of absent keys at a load: each candidate slot is taken with probability `load` and then equal with
/// probability `1 / (2^f - 1)` (paper, section 5.1, for a load of one; zero marks an empty slot and is no fingerprint).
pub fn false_positive_rate(geometry: &Geometry, load: f64) -> f64 {
    let width = |bits: u32, slots: u32| {
        let miss = 1.0 - load / (((1u64 << bits) - 1) as f64);
        1.0 - (0..slots).fold(1.0, |all, _| all * miss)
    };
    let candidates = geometry.candidate_slots();
    let f = geometry.fingerprint_bits;
    match geometry.layout {
        Layout::Packed | Layout::SemiSorted => width(f, candidates),
        Layout::Compact => {
            let wide = f64::from(geometry.wide_slots) / f64::from(geometry.slots_per_bucket);
            wide * width(f + 1, candidates) + (1.0 - wide) * width(f, candidates)
        }
    }
}

/// The largest load at which absent keys are found with at most this rate, 0 where even an empty table's first item
/// breaks it. By bisection on [`false_positive_rate`], which grows with the load.
pub fn load_for_rate(geometry: &Geometry, rate: f64) -> f64 {
    if false_positive_rate(geometry, 1.0) <= rate {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match false_positive_rate(geometry, middle) <= rate {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}
