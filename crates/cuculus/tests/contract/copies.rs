//! Contracts 8, 9 and 11: copies of one item have a limit, removal is honest, every call ends. BR-007, BR-017, BR-021,
//! BR-029, BR-087, BR-088.

use super::rig::{BREADTH_FIRST, Identity, Noise, Row, WALK, identity, rows, scaled, shapes, usual_or_full};
use cuculus::{CuckooFilter, Geometry, InsertError, Layout, Placement};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The most copies of one item.
fn most_copies(geometry: &Geometry) -> u32 {
    match geometry.layout {
        Layout::Compact => 8,
        _ => 2 * geometry.slots_per_bucket,
    }
}

/// BR-007: with two buckets of b slots, 2b copies of one item go in; and of twenty the rest is a clear error.
#[test]
fn contract_8_br_007_twenty_copies_of_one_key() {
    for row in rows() {
        let most = most_copies(&row.geometry);
        let mut filter = row.build(4);
        let room = row.geometry.slots().min(most.into()) as u32;
        for copies in 0..20u32 {
            let before = filter.clone();
            let result = filter.insert("again");
            if copies < room {
                result.unwrap_or_else(|error| panic!("{error} after {copies} copies in {row:?}"));
                assert_eq!(filter.count("again"), copies + 1);
            } else {
                let full = InsertError::Full { capacity: row.geometry.slots() };
                let expected = match u64::from(room) == row.geometry.slots() {
                    true => full,
                    false => InsertError::TooManyCopies { copies: room },
                };
                assert_eq!(result, Err(expected), "{row:?}");
                assert!(filter == before && filter.to_bytes() == before.to_bytes(), "{row:?}");
            }
        }
        assert_eq!(filter.stashed(), u64::from(room.saturating_sub(row.geometry.candidate_slots())));
        for copies in (0..room).rev() {
            assert!(filter.contains("again") && filter.remove("again"));
            assert_eq!(filter.count("again"), copies);
        }
        assert!(!filter.contains("again") && !filter.remove("again") && filter.is_empty());
        assert_eq!((filter.stashed(), filter.iter().count()), (0, 0));
    }
}

/// Other keys do not suffer from copies, and copies find the way round other keys.
#[test]
fn contract_8_copies_leave_other_keys_alone() {
    for shape in shapes() {
        for placement in [Placement::AnySize, Placement::Xor] {
            let mut geometry = shape.with_placement(placement);
            geometry.buckets = 64;
            let mut filter = Row { geometry, search: BREADTH_FIRST }.build(6);
            let others: Vec<u64> = (0..geometry.slots() / 5).filter(|key| filter.insert(key).is_ok()).collect();
            let held: Vec<u32> = others.iter().map(|key| filter.count(key)).collect();
            let mut stored = 0;
            while filter.insert("again").is_ok() {
                stored += 1;
                assert!(stored <= most_copies(&geometry));
            }
            assert!(filter.contains_many(&others).into_iter().all(|found| found), "{geometry:?}");
            (0..stored).for_each(|_| assert!(filter.remove("again")));
            assert_eq!(others.iter().map(|key| filter.count(key)).collect::<Vec<_>>(), held, "{geometry:?}");
            filter.validate().unwrap();
        }
    }
}

/// BR-029: a million copies cost nothing, and other keys still go in.
#[test]
fn contract_8_br_029_a_million_copies_cost_no_memory() {
    for layout in [Layout::Packed, Layout::SemiSorted, Layout::Compact] {
        let mut filter = CuckooFilter::builder().items(1_000).false_positive_rate(0.01).layout(layout).build().unwrap();
        let bytes = filter.table_bytes();
        let accepted = (0..scaled(1_000_000)).filter(|_| filter.insert("again").is_ok()).count();
        assert_eq!(accepted, most_copies(filter.geometry()) as usize);
        assert_eq!((filter.table_bytes(), filter.len()), (bytes, accepted as u64));
        let others = 1_000 - accepted as u64;
        (0..others).for_each(|key| filter.insert(&key).unwrap());
        assert!((0..others).all(|key| filter.contains(&key)) && filter.contains("again"));
    }
}

/// BR-088: a bulk build from copies, from colliding keys, or from 0 to 3 keys ends.
#[test]
fn contract_11_br_088_bulk_builds_from_copies_end() {
    for row in rows().into_iter().step_by(13) {
        let started = Instant::now();
        for (distinct, total) in [(1, 0), (1, 1), (1, 2), (2, 3), (1, 1_000), (2, 1_000), (3, 3)] {
            let keys: Vec<u64> = (0..total).map(|number| number % distinct).collect();
            let mut filter = row.build(0);
            let inserted = filter.insert_many(&keys).map_or_else(|error| error.inserted, |()| keys.len());
            assert_eq!(filter.len(), inserted as u64);
            assert!(filter.contains_many(&keys[..inserted]).into_iter().all(|found| found));
        }
        assert!(started.elapsed() < Duration::from_secs(5), "{row:?}");
    }
}

/// The work of one call is bounded: the worst insert of a table filled to its end, and of the ones refused after it.
#[test]
fn contract_11_no_call_takes_long() {
    for (geometry, search) in [
        (Geometry::packed(12, 4, 1 << 14), BREADTH_FIRST),
        (Geometry::packed(12, 4, 1 << 14), WALK),
        (Geometry::semi_sorted(13, 1 << 14), BREADTH_FIRST),
        (Geometry::compact(9, 54, 26, 1 << 10), BREADTH_FIRST),
    ] {
        let mut filter = Row { geometry, search }.build(0);
        let mut slow = 0;
        for key in 0..geometry.slots() + 200 {
            let started = Instant::now();
            _ = filter.insert(&key);
            // Refused inserts look at no more than the budget. Other programs may take the processor away now and then.
            slow += u64::from(started.elapsed() > Duration::from_millis(100));
        }
        assert!(slow <= 10, "{slow} slow calls: {geometry:?} {search:?}");
    }
}

/// BR-021: whoever removes just what `insert_unique` says it stored loses nothing and ends empty.
#[test]
fn contract_9_br_021_insert_unique_says_what_may_be_removed() {
    for row in rows().into_iter().step_by(5) {
        let mut filter = row.build(11);
        let mut stored: Vec<u64> = Vec::new();
        for key in 0..row.geometry.slots() * 2 {
            match filter.insert_unique(&key) {
                Ok(true) => stored.push(key),
                Ok(false) => assert!(filter.contains(&key)),
                Err(_) => assert!(!filter.contains(&key)),
            }
        }
        assert_eq!(filter.len(), stored.len() as u64);
        let mut noise = Noise(1);
        while !stored.is_empty() {
            let key = stored.swap_remove(noise.below(stored.len()));
            assert!(filter.remove(&key), "{row:?}");
            assert!(stored.iter().all(|key| filter.contains(key)), "{row:?}");
        }
        assert!(filter.is_empty() && filter.iter().count() == 0);
    }
}

/// `remove` says whether it took a copy: of an absent item it took none, and nothing has changed.
#[test]
fn contract_9_remove_says_whether_it_took_a_copy() {
    for row in rows().into_iter().step_by(5) {
        let mut filter = row.build(12);
        (0..row.geometry.slots() / 2).for_each(|key| _ = filter.insert(&key));
        for key in 1_000_000..1_000_400u64 {
            let (held, before) = (filter.count(&key), filter.clone());
            assert_eq!(filter.remove(&key), held > 0, "{row:?}");
            assert_eq!(filter.len(), before.len() - u64::from(held > 0));
            assert!(held > 0 || filter == before);
        }
    }
}

/// Contract 9, BR-021: the documentation of removal warns, wherever it is.
#[test]
fn contract_9_the_documentation_warns() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/filter.rs")).unwrap();
    assert!(text.matches("Remove only what was stored").count() >= 2, "at the type and at `remove`");
    assert!(text.contains("must not\n    /// be removed") || text.contains("must not be removed"));
}

/// BR-017: no fingerprint is lost for being zero: every value occurs, each key is found at once, and counts add up.
#[test]
fn br_017_every_fingerprint_value_is_stored_and_found() {
    for shape in shapes().into_iter().filter(|shape| shape.fingerprint_bits <= 8) {
        let mut filter = Row { geometry: shape, search: BREADTH_FIRST }.build(0);
        let widest = shape.fingerprint_bits + u32::from(shape.wide_slots > 0);
        let mut seen = vec![false; 1 << widest];
        for key in 0..20_000u64 {
            filter.insert(&key).unwrap();
            assert!(filter.contains(&key) && filter.count(&key) == 1 && filter.len() == 1);
            let (bucket, fingerprint) = filter.iter().next().unwrap();
            assert!(bucket < shape.buckets);
            seen[fingerprint.get() as usize] = true;
            assert!(filter.remove(&key) && filter.is_empty());
        }
        assert!(!seen[0] && seen[1..].iter().all(|&seen| seen), "{shape:?}");
    }
}

/// BR-087: keys crafted for one pair of buckets stop at the slots there without harm; under another seed they spread.
#[test]
fn br_087_crafted_keys_are_refused_early_and_spread_under_another_seed() {
    for geometry in [Geometry::packed(8, 4, 64), Geometry::semi_sorted(8, 64), Geometry::compact(7, 64, 0, 4)] {
        let row = Row { geometry, search: BREADTH_FIRST };
        let mut filter = row.build(0);
        let mut crowds: HashMap<Identity, Vec<u64>> = HashMap::new();
        let crowd = (0u64..)
            .find_map(|key| {
                let crowd = crowds.entry(identity(&geometry, filter.hash(&key))).or_default();
                crowd.push(key);
                (crowd.len() == 20).then(|| crowd.clone())
            })
            .unwrap();
        (1 << 40..(1 << 40) + 50u64).for_each(|key| filter.insert(&key).unwrap());
        let accepted: Vec<u64> = crowd.iter().copied().filter(|key| filter.insert(key).is_ok()).collect();
        assert_eq!(accepted.len(), most_copies(&geometry) as usize);
        assert!(accepted.iter().all(|key| filter.contains(key)));
        assert!((1 << 40..(1 << 40) + 50u64).all(|key| filter.contains(&key)));
        for mut other in [row.build(1), CuckooFilter::builder().geometry(geometry).secret_key([1; 16]).build().unwrap()]
        {
            crowd.iter().for_each(|key| other.insert(key).unwrap());
        }
    }
}

/// BR-020: distinct items that cannot be told apart each own a copy, at the narrowest widths.
#[test]
fn br_020_colliding_items_keep_their_own_copies() {
    for shape in shapes().into_iter().filter(|shape| shape.fingerprint_bits <= 8) {
        for seed in 0..usual_or_full(8, 100) as u64 {
            let mut geometry = shape;
            geometry.buckets = 128;
            let mut filter = Row { geometry, search: BREADTH_FIRST }.build(seed);
            let keys: Vec<u64> = (0..geometry.slots() * 4 / 5).filter(|key| filter.insert(key).is_ok()).collect();
            let (gone, kept): (Vec<u64>, Vec<u64>) = keys.iter().partition(|&&key| Noise(key).next() % 2 == 0);
            assert!(filter.remove_many(&gone).into_iter().all(|removed| removed));
            assert!(filter.contains_many(&kept).into_iter().all(|found| found), "{geometry:?}");
            assert_eq!(filter.len(), kept.len() as u64);
        }
    }
}
