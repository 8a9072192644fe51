//! Used by one thread, a shared filter is the plain one: same answers, same refusals, same bytes.

use super::rig::{Noise, build, scaled, shapes, share};
use cuculus::{CuckooFilter, Geometry, Layout, Search, SyncFilter};

/// One of all calls, on both.
fn step(noise: &mut Noise, keys: u64, plain: &mut CuckooFilter, shared: &SyncFilter) {
    let key = noise.below(keys);
    match noise.below(16) {
        0..=6 => assert_eq!(plain.insert(&key), shared.insert(&key)),
        7 => assert_eq!(plain.insert_unique(&key), shared.insert_unique(&key)),
        8..=10 => assert_eq!(plain.remove(&key), shared.remove(&key)),
        11 => assert_eq!(plain.count(&key), shared.count(&key)),
        12 => {
            let many: Vec<u64> = (0..noise.below(40)).map(|_| noise.below(keys)).collect();
            assert_eq!(plain.insert_many(&many), shared.insert_many(&many));
        }
        13 => {
            let many: Vec<u64> = (0..noise.below(20)).map(|_| noise.below(keys)).collect();
            assert_eq!(plain.remove_many(&many), shared.remove_many(&many));
        }
        14 => {
            let many: Vec<u64> = (0..noise.below(100)).map(|_| noise.below(2 * keys)).collect();
            let hashes: Vec<u64> = many.iter().map(|key| shared.hash(key)).collect();
            assert_eq!(plain.contains_many(&many), shared.contains_many(&many));
            assert_eq!(plain.contains_many(&many), shared.contains_many_hash(&hashes));
        }
        _ => {}
    }
    assert_eq!(plain.contains(&key), shared.contains(&key));
    assert_eq!((plain.len(), plain.is_empty()), (shared.len(), shared.is_empty()));
}

#[test]
fn the_same_calls_lead_to_the_same_bytes() {
    for slots in [1, 40, 400, 5_000] {
        for geometry in shapes(slots) {
            let (mut plain, mut shared) = (build(geometry), share(geometry));
            let mut noise = Noise(slots);
            for round in 0..3 {
                for _ in 0..scaled(2_000.min(slots * 8 + 100)) {
                    step(&mut noise, slots * 2, &mut plain, &shared);
                }
                assert!(shared.snapshot() == plain, "{geometry:?}");
                assert_eq!(plain.validate(), Ok(()));
                // There and back again, then on.
                let back = CuckooFilter::from(shared);
                assert!(back == plain && back.to_bytes() == plain.to_bytes(), "{geometry:?}");
                shared = SyncFilter::try_from(back).unwrap();
                if round == 1 {
                    plain.clear();
                    shared.clear();
                }
            }
        }
    }
}

#[test]
fn a_filter_of_promised_capacity_takes_it_and_no_more() {
    for (items, rate) in [(0, 0.01), (1, 0.01), (100, 0.01), (100, 0.0001), (20_000, 0.03)] {
        let shared = SyncFilter::new(items, rate).unwrap();
        for key in 0..shared.capacity() {
            shared.insert(&key).unwrap();
        }
        assert!(shared.insert(&u64::MAX).is_err());
        assert_eq!((shared.len(), shared.promised_false_positive_rate()), (shared.capacity(), rate));
        assert!((0..shared.capacity()).all(|key| shared.contains(&key)));
        assert!(shared.remove(&0u64) && shared.insert(&0u64).is_ok() && shared.insert(&0u64).is_err());
    }
}

#[test]
fn what_cannot_be_shared_comes_back_unchanged() {
    let build = |layout, search| {
        let geometry = match layout {
            Layout::SemiSorted => Geometry::semi_sorted(9, 30),
            Layout::Packed => Geometry::packed(9, 4, 30),
            Layout::Compact => Geometry::compact(9, 54, 26, 4),
        };
        let mut filter = CuckooFilter::builder().geometry(geometry).search(search).build().unwrap();
        filter.insert("kept").unwrap();
        filter
    };
    let walk = Search::RandomWalk { kicks: 500 };
    let breadth = Search::BreadthFirst { positions: 1_000 };
    for (layout, search) in [(Layout::SemiSorted, breadth), (Layout::Packed, walk), (Layout::Compact, walk)] {
        let error = SyncFilter::try_from(build(layout, search)).unwrap_err();
        assert!(error.to_string().contains(if layout == Layout::SemiSorted { "semi-sorted" } else { "random walk" }));
        assert!(error.into_inner() == build(layout, search));
    }
    assert!(SyncFilter::try_from(build(Layout::Compact, breadth)).is_ok());
}
