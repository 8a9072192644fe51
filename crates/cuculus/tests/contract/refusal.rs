//! Contract 2: a refused insert changes nothing: same bytes, same count. BR-002, BR-008.

use super::rig::{BREADTH_FIRST, Keys, Row, WALK, grouped, rows, scaled};
use cuculus::{CuckooFilter, Geometry, InsertError, Layout, Placement};

/// BR-002: filled until refused, then 500 more keys; after every refusal the bytes and counts are what they were.
#[test]
fn contract_2_br_002_a_refused_insert_leaves_bytes_and_counts() {
    for row in rows().into_iter().step_by(7) {
        let mut filter = row.build(2);
        let mut accepted: Vec<u64> = Vec::new();
        let mut key = 0;
        while filter.insert(&key).is_ok() {
            accepted.push(key);
            key += 1;
        }
        for key in key..key + 500 {
            let (before, len) = (filter.to_bytes(), filter.len());
            match filter.insert(&key) {
                Ok(()) => accepted.push(key),
                Err(_) => {
                    assert!(filter.to_bytes() == before, "{row:?}");
                    assert_eq!(filter.len(), len, "{row:?}");
                }
            }
        }
        assert_eq!(filter.len(), accepted.len() as u64);
        assert!(filter.contains_many(&accepted).into_iter().all(|found| found), "{row:?}");
    }
}

/// The random walk has something to undo here: long walks in tables of thousands of slots.
#[test]
fn contract_2_long_walks_and_searches_are_undone() {
    let shapes = [
        Geometry::packed(9, 1, 2048),
        Geometry::packed(13, 2, 1024),
        Geometry::packed(12, 4, 512),
        Geometry::packed(27, 8, 256),
        Geometry::semi_sorted(13, 512),
        Geometry::semi_sorted(32, 512),
        Geometry::compact(9, 54, 26, 32),
        Geometry::compact(11, 45, 17, 32),
    ];
    for geometry in shapes {
        for placement in [Placement::AnySize, Placement::Xor] {
            for search in [BREADTH_FIRST, WALK] {
                let row = Row { geometry: geometry.with_placement(placement), search };
                let mut filter = row.build(5);
                let mut refused = 0;
                for key in 0u64.. {
                    let before = filter.clone();
                    if let Err(error) = filter.insert(&key) {
                        assert!(matches!(error, InsertError::NoRoom { .. } | InsertError::Full { .. }), "{row:?}");
                        assert!(filter == before && filter.to_bytes() == before.to_bytes(), "{row:?}");
                        // What the refusal left is as good as a filter that never saw the key.
                        let (mut left, mut right) = (filter.clone(), before);
                        for key in key + 1..key + 20 {
                            assert_eq!(left.insert(&key), right.insert(&key));
                        }
                        assert!(left == right);
                        refused += 1;
                        if refused == 40 {
                            break;
                        }
                    }
                }
            }
        }
    }
}

/// BR-008: four times the planned number ends in `Full`, each time, and the filter goes on.
#[test]
fn contract_2_br_008_past_the_capacity_an_error_and_the_filter_goes_on() {
    for layout in [Layout::Packed, Layout::SemiSorted, Layout::Compact] {
        for items in [0, 1, 10, scaled(1_000) as u64] {
            let builder = CuckooFilter::builder().items(items).false_positive_rate(0.01).layout(layout);
            let mut filter = builder.build().unwrap();
            let capacity = filter.capacity();
            assert!(capacity >= items);
            for number in 0..4 * capacity {
                let key = Keys::Random.key(number);
                let result = filter.insert(&key);
                if number < capacity {
                    result.unwrap();
                } else {
                    assert_eq!(result, Err(InsertError::Full { capacity }));
                    let text = result.unwrap_err().to_string();
                    assert!(text.contains("full") && text.contains(&grouped(capacity)), "{text}");
                }
            }
            assert!((0..capacity).all(|number| filter.contains(&Keys::Random.key(number))));
            assert!(filter.remove(&Keys::Random.key(0)));
            filter.insert("room again").unwrap();
            assert!(filter.contains("room again"));
        }
    }
}

/// A many-key call is the one that may succeed in part: what it kept and what it reports are the same.
#[test]
fn contract_2_a_many_key_insert_keeps_what_came_before_the_refusal() {
    for row in rows().into_iter().step_by(11) {
        let keys: Vec<u64> = (0..row.geometry.slots() * 2).collect();
        let mut filter = row.build(1);
        let error = filter.insert_many(&keys).unwrap_err();
        assert_eq!(filter.len(), error.inserted as u64);
        let mut one_by_one = row.build(1);
        let refused = keys.iter().position(|key| one_by_one.insert(key).is_err()).unwrap();
        assert_eq!(error.inserted, refused, "{row:?}");
        assert!(filter.to_bytes() == one_by_one.to_bytes(), "{row:?}");
        let text = error.to_string();
        assert!(text.contains(&format!("key {refused} ")), "{text}");
    }
}
