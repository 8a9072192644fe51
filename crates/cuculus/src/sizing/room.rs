//! How many items a table takes for certain. Loads and deviations were found by simulation with the default search, some
//! 10^8 builds in all (DESIGN.md, "Planned load"), and are kept here in whole numbers.

use crate::geometry::{Geometry, Layout};

/// How many distinct items a table takes with the default search: fewer than 1 build in 10,000 refuses one (the figures
/// aim at 2 in 100,000). Says nothing about too many *equal* items: that is [`expected_crowds`]. 0 for a geometry that is
/// [not valid](Geometry::validate).
///
/// Three things stop a table before its last slot: in tiny ones some set of candidate slots is chosen too often, in
/// middle ones the load that can be reached varies, with `1 / sqrt(slots)`, and in large ones the search gives up.
pub fn room(geometry: &Geometry) -> u64 {
    if geometry.validate().is_err() {
        return 0;
    }
    let slots = geometry.slots();
    match (geometry.layout, geometry.slots_per_bucket) {
        (Layout::Compact, slots_per_line) => {
            compact(geometry.buckets, slots_per_line.into(), geometry.wide_slots.into())
        }
        (_, 1) => one_slot(slots),
        (_, 2) => two_slots(slots),
        (_, 8) => eight_slots(slots),
        _ => four_slots(slots),
    }
}

/// Thousandths, without overflow.
fn permille(x: u64, p: u64) -> u64 {
    x / 1000 * p + x % 1000 * p / 1000
}

/// One slot a bucket: the load in thousandths by powers of two.
fn one_slot(slots: u64) -> u64 {
    const LOAD: [u64; 28] = [
        0, 0, 0, 0, 100, 115, 115, 115, 120, 125, 140, 165, 190, 215, 245, 270, 295, 320, 345, 365, 385, 400, 415, 425,
        435, 445, 455, 460,
    ];
    let log = (slots.max(1).ilog2() as usize).min(LOAD.len() - 1);
    permille(slots, LOAD[log]).max(slots.min(2))
}

fn two_slots(slots: u64) -> u64 {
    let root = slots.isqrt();
    let tiny = slots.saturating_mul(root) / 22;
    let middle = (permille(slots, 897) + slots / 2000).saturating_sub(root * 12 / 5);
    let large = permille(slots, 883).min(permille(slots, 879) + 4_194);
    tiny.min(middle).min(large).max(slots.min(4))
}

fn four_slots(slots: u64) -> u64 {
    let middle = permille(slots, 980).saturating_sub(slots.isqrt() + 8);
    let large = permille(slots, 970).min(permille(slots, 967) + (3 << 30) / 1000);
    middle.min(large).max(slots.min(8))
}

fn eight_slots(slots: u64) -> u64 {
    let middle = permille(slots, 998).saturating_sub(slots.isqrt() / 2 + 9);
    middle.min(permille(slots, 988)).max(slots.min(16))
}

/// Lines of `slots` slots, `wide` of them of one width and the others of another. The items that fall to a class vary:
/// 4.1 standard deviations more than its share still find room in a class.
fn compact(lines: u64, slots: u64, wide: u64) -> u64 {
    let by_class = |size: u64| {
        let class = lines * size;
        let root = class.isqrt();
        let tiny = class.saturating_mul(root) / 20;
        let middle = permille(class, 976).saturating_sub(root);
        // What two classes lose to chance, one class may use.
        let reached = if size == slots { 970 } else { 965 };
        let large = permille(class, reached).min(permille(class, reached - 3) + 3_145);
        let most = tiny.min(middle);
        let variance = most.min(large) * (slots - size) / slots;
        let deviation = (variance.saturating_mul(1681) / 100).isqrt() + u64::from(size < slots);
        let share = most.saturating_sub(deviation).min(large);
        (u128::from(share) * u128::from(slots) / u128::from(size)) as u64
    };
    let least = 4.min(lines * slots);
    match wide {
        _ if wide == 0 || wide == slots => by_class(slots).max(least),
        _ => by_class(wide).min(by_class(slots - wide)).max(least),
    }
}

/// The expected number of crowds: sets of items, one more than their candidate slots, that are equal in candidates and
/// fingerprint or the like, so that no search can place them all. Equal fingerprints do not count in the compact layout,
/// whose stash takes them; different ones with the same four slots do.
///
/// The first factor counts as if every fingerprint had a partner of its own, the second that in small tables many
/// fingerprints share one (a Touchard polynomial). NaN for a geometry that is [not valid](Geometry::validate).
pub fn expected_crowds(geometry: &Geometry, items: u64) -> f64 {
    if geometry.validate().is_err() {
        return f64::NAN;
    }
    let (n, slots) = (items as f64, geometry.slots() as f64);
    let fingerprints = ((1u64 << geometry.fingerprint_bits) - 1) as f64;
    let sharing = |candidates: f64| slots / (candidates * fingerprints);
    match (geometry.layout, geometry.slots_per_bucket) {
        (Layout::Compact, slots_per_line) => {
            let class = |size: u32, bits: u32| {
                let share = f64::from(size) / f64::from(slots_per_line);
                four_candidates(n * share, slots * share, ((1u64 << bits) - 1) as f64, 0.0)
            };
            let wide = geometry.wide_slots;
            let wide_crowds = if wide == 0 { 0.0 } else { class(wide, geometry.fingerprint_bits + 1) };
            wide_crowds + class(slots_per_line - wide, geometry.fingerprint_bits)
        }
        (_, 1) => {
            let (x, u) = (4.0 * n / (slots * slots), sharing(2.0));
            n * x * x / 6.0 * (1.0 + u * (3.0 + u))
        }
        (_, 2) => four_candidates(n, slots, fingerprints, 1.0),
        (_, 8) => {
            let x = 16.0 * n / (slots * fingerprints);
            let x4 = x * x * x * x;
            n * x4 * x4 * x4 * x4 / 355_687_428_096_000.0
        }
        _ => {
            let (x, u) = (64.0 * n / (slots * slots), sharing(8.0));
            let x4 = x * x * x * x;
            let touchard = [255.0, 3025.0, 7770.0, 6951.0, 2646.0, 462.0, 36.0];
            n * x4 * x4 / 362_880.0 * (1.0 + u * touchard.iter().fold(1.0, |sum, c| c + u * sum))
        }
    }
}

/// Five items on four slots; `equal` is 1 if five equal fingerprints count, 0 if not.
fn four_candidates(n: f64, slots: f64, fingerprints: f64, equal: f64) -> f64 {
    if n == 0.0 {
        return 0.0;
    }
    let (x, u) = (16.0 * n / (slots * slots), slots / (4.0 * fingerprints));
    n * x * x * x * x / 120.0 * (1.0 + u * (10.0 + u * (25.0 + u * (15.0 + u * equal))))
}
