//! The paper's loads: by bucket size, with its random walk of 500 kicks and xor placement; by fingerprint width (its
//! figure 1); and what breadth-first search and the compact layout reach beyond them.

use super::rig::{Noise, Row, WALK, full, usual_or_full};
use cuculus::{Geometry, Placement, Search};

/// Load at the first refusal, mean over seeds.
fn load(geometry: Geometry, search: Search, seeds: usize) -> f64 {
    let mut filter = Row { geometry, search }.build(0);
    let mut sum = 0.0;
    for seed in 0..seeds as u64 {
        filter.clear();
        let mut noise = Noise(seed << 50 | geometry.buckets << 6 | u64::from(geometry.fingerprint_bits));
        while filter.insert_hash(noise.next()).is_ok() {}
        sum += filter.load_factor();
    }
    sum / seeds as f64
}

fn paper(f: u32, b: u32, buckets: u64) -> Geometry {
    Geometry::packed(f, b, buckets).with_placement(Placement::Xor)
}

/// "50 %, 84 %, 95 %, 98 %" for 1, 2, 4, 8 slots a bucket.
#[test]
fn paper_loads_by_bucket_size() {
    let log = if full() { 20 } else { 16 };
    for (b, least, most) in [(1, 0.47, 0.52), (2, 0.84, 0.90), (4, 0.95, 0.98), (8, 0.98, 0.998)] {
        let reached = load(paper(16, b, (1 << log) / u64::from(b)), WALK, usual_or_full(4, 20));
        assert!((least..most).contains(&reached), "{b} slots a bucket: {reached}");
    }
}

/// Figure 1: the load reached grows with the width and then stays; the fewer slots, the more bits it takes.
#[test]
fn paper_figure_1_load_by_fingerprint_width() {
    let buckets = 1 << if full() { 15 } else { 13 };
    let curve = |b| [4, 5, 6, 8, 12, 16].map(|f| load(paper(f, b, buckets), WALK, usual_or_full(4, 10)));
    let [one, two, four, eight] = [1, 2, 4, 8].map(curve);
    assert!(four[2..].iter().all(|load| (0.95..0.98).contains(load)), "{four:?}");
    assert!(eight[1..].iter().all(|load| (0.975..0.995).contains(load)), "{eight:?}");
    assert!(two[4..].iter().all(|load| (0.84..0.90).contains(load)), "{two:?}");
    for (name, curve) in [("one", one), ("two", two), ("four", four), ("eight", eight)] {
        // Rising, but for noise.
        assert!(curve.is_sorted_by(|before, after| before - 0.02 <= *after), "{name}: {curve:?}");
    }
    assert!(one[0] < 0.7 * one[5] && two[0] < two[5] - 0.02 && four[0] > 0.88, "{one:?} {two:?} {four:?}");
    assert!(one[5] < two[5] && two[5] < four[5] && four[5] < eight[5]);
}

/// Four slots a bucket, a million slots: 0.975 with at most 10,000 buckets looked at; 0.97 for certain.
#[test]
fn breadth_first_reaches_0975_at_a_million_slots() {
    let search = Search::BreadthFirst { positions: 10_000 };
    for geometry in [Geometry::packed(12, 4, 1 << 18), Geometry::semi_sorted(13, 1 << 18), paper(12, 4, 1 << 18)] {
        let reached = load(geometry, search, usual_or_full(1, 5));
        assert!(reached >= 0.975, "{geometry:?}: {reached}");
    }
    if full() {
        let reached = load(Geometry::packed(12, 4, 25_000_000), search, 1);
        assert!(reached >= 0.97, "a hundred million slots: {reached}");
    }
}

/// Compact: four candidate slots reach 0.965 with 20,000 slots looked at, with one width a line or two.
#[test]
fn compact_reaches_0965() {
    let search = Search::BreadthFirst { positions: 20_000 };
    for (f, slots, wide) in [(9, 56, 0), (9, 54, 26), (11, 45, 17), (7, 71, 15), (12, 41, 20)] {
        for placement in [Placement::AnySize, Placement::Xor] {
            let geometry = Geometry::compact(f, slots, wide, 1 << 13).with_placement(placement);
            let reached = load(geometry, search, usual_or_full(1, 5));
            assert!(reached >= 0.965, "{geometry:?}: {reached}");
        }
    }
}
