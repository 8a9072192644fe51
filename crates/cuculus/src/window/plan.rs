//! From a window, its items and a rate to the smallest table.
#![forbid(unsafe_code)]

use super::clock::Steps;
use crate::builder::{LEAST_LOAD, LEAST_PLANNED_BITS, compact_shapes, smallest};
use crate::geometry::Geometry;
use crate::sizing;

/// How full a table may get. A stream without end needs room for every item, not for 9,999 of 10,000 fills.
const MOST_LOAD: f64 = 0.93;

/// The smallest lines that hold `items` with stamps at a rate: their geometry, with the bits of the fingerprints alone.
pub(super) fn lines(items: u64, rate: f64, cut: &Steps) -> Option<Geometry> {
    let stamp_bits = cut.stamp_bits;
    let of_fingerprints = |slots: Geometry| {
        let fingerprint_bits =
            slots.fingerprint_bits.checked_sub(stamp_bits).filter(|&bits| bits >= LEAST_PLANNED_BITS)?;
        Some(Geometry { fingerprint_bits, ..slots })
    };
    let candidates = compact_shapes().filter_map(of_fingerprints).filter_map(|shape| {
        let load = sizing::load_for_rate(&shape, rate).min(MOST_LOAD);
        if load < LEAST_LOAD {
            return None;
        }
        smallest(shape, |geometry| sizing::room(geometry).min((geometry.slots() as f64 * load) as u64) >= items)
    });
    candidates.min_by_key(Geometry::table_bytes)
}
