//! Merging: contract 1 for the items of both filters, contract 2 for refusals, and every difference by its name. BR-081.

use super::rig::{BREADTH_FIRST, Row, WALK, grouped, rows};
use cuculus::{CuckooFilter, Geometry, HashKind, InsertError, Layout, MergeError, Placement};

#[test]
fn contract_1_br_081_a_merged_filter_holds_the_items_of_both() {
    let mut stashed = 0;
    for row in rows().into_iter().step_by(5) {
        let (mut left, mut right) = (row.build(5), row.build(5));
        let half = row.geometry.slots() * 3 / 10;
        let ours: Vec<u64> = (0..half).filter(|key| left.insert(key).is_ok()).collect();
        let theirs: Vec<u64> = (half..2 * half).filter(|key| right.insert(key).is_ok()).collect();
        // Copies on both sides, as many as can be: in the compact layout most of the other's are in its stash.
        let most = if row.geometry.layout == Layout::Compact { 8 } else { row.geometry.candidate_slots() };
        let fit = 2 * half + u64::from(most) <= row.geometry.slots();
        let copies = if fit { [1, most - 1] } else { [0, 0] };
        let insert = |filter: &mut CuckooFilter, copies: u32| {
            (0..copies).filter(|_| filter.insert("both").is_ok()).count() as u32
        };
        let (a, b) = (insert(&mut left, copies[0]), insert(&mut right, copies[1]));
        stashed += right.stashed();
        let (before, other) = (left.clone(), right.clone());
        let result = left.merge(&right);
        assert!(right == other, "{row:?}");
        match result {
            Ok(()) => {
                assert_eq!(left.len(), before.len() + right.len());
                assert!(left.contains_many(&ours).into_iter().all(|found| found), "{row:?}");
                assert!(left.contains_many(&theirs).into_iter().all(|found| found), "{row:?}");
                assert!(left.count("both") >= a + b, "{row:?}");
                left.validate().unwrap();
                assert!(left.remove_many(&ours).into_iter().all(|removed| removed));
                assert!(left.remove_many(&theirs).into_iter().all(|removed| removed));
                (0..a + b).for_each(|_| assert!(left.remove("both")));
                assert!(left.is_empty() && left.iter().count() == 0 && left.stashed() == 0, "{row:?}");
            }
            Err(MergeError::NoRoom(InsertError::NoRoom { .. } | InsertError::TooManyCopies { .. })) => {
                assert!(left == before && left.to_bytes() == before.to_bytes(), "{row:?}");
            }
            Err(error) => panic!("{error}: {row:?}"),
        }
    }
    assert!(stashed > 100, "no stash was merged");
}

#[test]
fn contract_2_a_merge_over_capacity_changes_neither() {
    let builder = CuckooFilter::builder().items(1_000).false_positive_rate(0.01);
    let (mut left, mut right) = (builder.build().unwrap(), builder.build().unwrap());
    let capacity = left.capacity();
    (0..capacity / 2 + 1).for_each(|key| left.insert(&key).unwrap());
    (0..capacity / 2 + 1).for_each(|key| right.insert(&(key << 32)).unwrap());
    let (ours, theirs) = (left.to_bytes(), right.to_bytes());
    let needed = left.len() + right.len();
    let error = left.merge(&right).unwrap_err();
    assert_eq!(error, MergeError::OverCapacity { needed, capacity });
    let text = error.to_string();
    assert!(text.contains(&grouped(needed)) && text.contains(&grouped(capacity)), "{text}");
    assert!(left.to_bytes() == ours && right.to_bytes() == theirs);
    // One item less and it fits, to the last.
    while left.len() + right.len() > capacity {
        assert!(right.remove(&((right.len() - 1) << 32)));
    }
    left.merge(&right).unwrap();
    assert_eq!(left.len(), capacity);
    let mut empty = builder.build().unwrap();
    empty.merge(&left).unwrap();
    assert_eq!(empty.len(), capacity);
    assert!((0..capacity / 2 + 1).all(|key| empty.contains(&key)));
}

/// Merging an explicit table that has no room left: the last item is refused, nothing changes.
#[test]
fn contract_2_a_merge_without_room_changes_neither() {
    for search in [BREADTH_FIRST, WALK] {
        let row = Row { geometry: Geometry::packed(12, 1, 512), search };
        let (mut left, mut right) = (row.build(0), row.build(0));
        (0..220u64).for_each(|key| left.insert(&key).unwrap());
        (300..520u64).for_each(|key| right.insert(&key).unwrap());
        let before = left.clone();
        let error = left.merge(&right).unwrap_err();
        assert!(matches!(error, MergeError::NoRoom(InsertError::NoRoom { .. })), "{error}");
        assert!(left == before && left.to_bytes() == before.to_bytes());
    }
}

#[test]
fn contract_10_every_mismatch_is_named() {
    let base = Geometry::packed(12, 4, 64);
    let compact = Geometry::compact(9, 40, 20, 64);
    let seed = HashKind::Xxh3 { seed: 1 };
    let secret = |byte| HashKind::SipHash13 { key: [byte; 16] };
    for (left, right, what, values) in [
        ((base, seed), (Geometry::semi_sorted(12, 64), seed), "layout", ["Packed", "SemiSorted"]),
        ((base, seed), (base.with_placement(Placement::Xor), seed), "placement", ["AnySize", "Xor"]),
        ((base, seed), (Geometry::packed(13, 4, 64), seed), "fingerprint bits", ["12", "13"]),
        ((base, seed), (Geometry::packed(12, 2, 64), seed), "slots a bucket", ["4", "2"]),
        ((compact, seed), (Geometry::compact(9, 40, 18, 64), seed), "wide slots a bucket", ["20", "18"]),
        ((base, seed), (Geometry::packed(12, 4, 66), seed), "buckets", ["64", "66"]),
        ((base, seed), (base, HashKind::Xxh3 { seed: 2 }), "seed", ["1", "2"]),
        ((base, seed), (base, secret(1)), "hash", ["Xxh3", "SipHash13"]),
        ((base, secret(2)), (base, secret(3)), "secret key (its check value)", ["", ""]),
    ] {
        let build = |(geometry, hash)| CuckooFilter::builder().geometry(geometry).hash(hash).build().unwrap();
        let (mut left, mut right) = (build(left), build(right));
        left.insert("ours").unwrap();
        right.insert("theirs").unwrap();
        let before = left.clone();
        let error = left.merge(&right).unwrap_err();
        let text = error.to_string();
        assert!(matches!(&error, MergeError::Mismatch { what: named, .. } if *named == what), "{error:?}");
        assert!(text.contains(what) && values.iter().all(|value| text.contains(value)), "{text}");
        assert!(left == before && left.to_bytes() == before.to_bytes());
        assert!(!text.contains("[2, 2") && !text.contains("[3, 3"), "the key is shown: {text}");
    }
}

/// Search, capacity and promised rate may differ: they say how to fill, not where items lie.
#[test]
fn filters_that_differ_only_in_search_merge() {
    let geometry = Geometry::packed(12, 4, 64);
    let mut left = Row { geometry, search: BREADTH_FIRST }.build(1);
    let mut right = Row { geometry, search: WALK }.build(1);
    (0..100u64).for_each(|key| left.insert(&key).unwrap());
    (100..200u64).for_each(|key| right.insert(&key).unwrap());
    left.merge(&right).unwrap();
    assert!((0..200u64).all(|key| left.contains(&key)));
}
