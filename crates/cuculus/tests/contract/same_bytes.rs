//! Contract 6: same parameters, seed and operations give the same bytes, whatever the batch borders; and the hash is
//! fixed. BR-081, BR-083, BR-084.

use super::rig::{Keys, Noise, Row, rows, usual_or_full};
use cuculus::{CuckooFilter, HashKind, Key};
use std::cell::Cell;

/// One by one, skipping what is refused.
fn one_by_one(row: &Row, keys: &[u64]) -> CuckooFilter {
    let mut filter = row.build(3);
    keys.iter().for_each(|key| _ = filter.insert(key));
    filter
}

/// The same in calls of these lengths: a refused key is skipped, and the call goes on after it.
fn in_calls(row: &Row, keys: &[u64], mut length: impl FnMut() -> usize) -> CuckooFilter {
    let mut filter = row.build(3);
    let mut rest = keys;
    while !rest.is_empty() {
        let (mut call, after) = rest.split_at(length().min(rest.len()));
        while let Err(error) = filter.insert_many(call) {
            call = &call[error.inserted + 1..];
        }
        rest = after;
    }
    filter
}

#[test]
fn contract_6_batches_are_one_by_one_in_order_for_every_split() {
    for (number, row) in rows().into_iter().enumerate().step_by(5) {
        let mut noise = Noise(number as u64);
        let keys: Vec<u64> = (0..row.geometry.slots() + 20).map(|_| noise.next()).collect();
        let expected = one_by_one(&row, &keys);
        let lengths: Vec<usize> = (1..20).chain([23, 31, 32, 33, 40, 41, 63, 64, 65, 100, keys.len()]).collect();
        let few = lengths.into_iter().skip(number / 5 % 6).step_by(if number % 25 == 0 { 1 } else { 6 });
        for length in few {
            let filter = in_calls(&row, &keys, || length);
            assert!(filter == expected && filter.to_bytes() == expected.to_bytes(), "{length} in {row:?}");
        }
        let filter = in_calls(&row, &keys, || noise.below(50));
        assert!(filter == expected && filter.to_bytes() == expected.to_bytes(), "{row:?}");
    }
}

/// Larger tables: what a batch fetches ahead differs from what is there when it stores.
#[test]
fn contract_6_batches_in_large_full_tables() {
    let geometries = rows().into_iter().filter(|row| row.geometry.buckets == 16).step_by(29);
    for mut row in geometries.take(usual_or_full(20, 100)) {
        row.geometry.buckets = 512;
        let keys: Vec<u64> = (0..row.geometry.slots() + 200).map(|key| key << 32).collect();
        let expected = one_by_one(&row, &keys);
        for length in [1, 7, 8, 9, 24, 1000, keys.len()] {
            let filter = in_calls(&row, &keys, || length);
            assert!(filter == expected && filter.to_bytes() == expected.to_bytes(), "{length} in {row:?}");
        }
    }
}

/// Lookups and removals of many keys are those of one key after another; the `_hash` twins are the key forms.
#[test]
fn contract_6_br_081_many_and_hash_forms_agree_with_single_calls() {
    for (number, row) in rows().into_iter().enumerate().step_by(7) {
        let mut noise = Noise(number as u64);
        let keys: Vec<u64> = (0..row.geometry.slots() * 2 / 3).map(|_| noise.next()).collect();
        let (mut single, mut hashed, mut many_hashed) = (row.build(8), row.build(8), row.build(8));
        for key in &keys {
            let hash = single.hash(key);
            assert_eq!(single.insert(key), hashed.insert_hash(hash));
            _ = many_hashed.insert_many_hash(&[hash]);
        }
        assert!(single == hashed && single.to_bytes() == hashed.to_bytes() && single == many_hashed, "{row:?}");
        let asked: Vec<u64> = keys.iter().copied().chain((0..100).map(|_| noise.next())).collect();
        for length in [0, 1, 7, 8, 9, 31, 32, 33, 57, asked.len()] {
            let asked = &asked[asked.len() - length.min(asked.len())..];
            let hashes: Vec<u64> = asked.iter().map(|key| single.hash(key)).collect();
            let expected: Vec<bool> = asked.iter().map(|key| single.contains(key)).collect();
            assert_eq!(single.contains_many(asked), expected, "{row:?}");
            assert_eq!(single.contains_many_hash(&hashes), expected, "{row:?}");
            assert_eq!(hashes.iter().map(|&hash| single.contains_hash(hash)).collect::<Vec<_>>(), expected);
            for (key, &hash) in asked.iter().zip(&hashes) {
                assert_eq!(single.count(key), single.count_hash(hash));
            }
            let (mut one, mut hash, mut many, mut many_hash) =
                (single.clone(), single.clone(), single.clone(), single.clone());
            let removed: Vec<bool> = asked.iter().map(|key| one.remove(key)).collect();
            assert_eq!(hashes.iter().map(|&h| hash.remove_hash(h)).collect::<Vec<_>>(), removed);
            assert_eq!(many.remove_many(asked), removed);
            assert_eq!(many_hash.remove_many_hash(&hashes), removed);
            assert!(one == hash && one == many && one == many_hash, "{row:?}");
        }
        let mut unique = (single.clone(), single);
        let stored: Vec<_> = asked.iter().map(|key| unique.0.insert_unique(key)).collect();
        let hashes: Vec<u64> = asked.iter().map(|key| unique.1.hash(key)).collect();
        assert_eq!(hashes.iter().map(|&hash| unique.1.insert_unique_hash(hash)).collect::<Vec<_>>(), stored);
        assert!(unique.0 == unique.1);
    }
}

/// The same operations again, in another process or on another thread, give the same bytes; another seed does not.
#[test]
fn contract_6_the_same_history_gives_the_same_bytes() {
    for row in rows().into_iter().step_by(31) {
        let history = |seed: u64| {
            let mut filter = row.build(seed);
            for number in 0..row.geometry.slots() * 2 {
                _ = filter.insert(&Keys::SharedPrefix.key(number));
                if number % 3 == 0 {
                    filter.remove(&Keys::SharedPrefix.key(number / 2));
                }
            }
            filter.to_bytes()
        };
        let here = history(1);
        assert!(std::thread::scope(|scope| scope.spawn(|| history(1)).join().unwrap()) == here);
        assert!(history(2) != here);
    }
}

struct Counted<'a>(&'a Cell<u32>, u64);

impl Key for Counted<'_> {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        self.0.set(self.0.get() + 1);
        f(&self.1.to_le_bytes())
    }
}

/// BR-084: one hash a call, whatever the call has to do.
#[test]
fn br_084_one_hash_a_call() {
    let calls = Cell::new(0);
    let mut filter = CuckooFilter::new(100, 0.01).unwrap();
    let key = |number| Counted(&calls, number);
    let mut expect = |what: &str, run: &mut dyn FnMut(&mut CuckooFilter), hashes: u32| {
        calls.set(0);
        run(&mut filter);
        assert_eq!(calls.get(), hashes, "{what}");
    };
    expect("insert", &mut |filter| filter.insert(&key(1)).unwrap(), 1);
    expect("insert_unique, stored", &mut |filter| assert!(filter.insert_unique(&key(2)).unwrap()), 1);
    expect("insert_unique, there", &mut |filter| assert!(!filter.insert_unique(&key(2)).unwrap()), 1);
    expect("contains", &mut |filter| assert!(filter.contains(&key(1))), 1);
    expect("count", &mut |filter| assert_eq!(filter.count(&key(1)), 1), 1);
    expect("remove", &mut |filter| assert!(filter.remove(&key(1))), 1);
    let keys: Vec<Counted> = (10..60).map(key).collect();
    expect("insert_many", &mut |filter| filter.insert_many(&keys).unwrap(), 50);
    expect("contains_many", &mut |filter| assert!(filter.contains_many(&keys).iter().all(|&found| found)), 50);
    expect("remove_many", &mut |filter| assert!(filter.remove_many(&keys).iter().all(|&removed| removed)), 50);
}

/// BR-083: nothing public changes the hash of a filter. The list of all methods that change one is known.
#[test]
fn br_083_no_method_changes_the_hash() {
    let mut methods = Vec::new();
    for file in ["filter.rs", "batch.rs"] {
        let text = std::fs::read_to_string(format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let public = text.split("pub fn ").skip(1).filter(|rest| rest.split(')').next().unwrap().contains("&mut self"));
        methods.extend(public.map(|rest| rest.split(['(', '<']).next().unwrap().to_owned()));
    }
    methods.sort();
    let known = [
        "clear",
        "insert",
        "insert_hash",
        "insert_many",
        "insert_many_hash",
        "insert_unique",
        "insert_unique_hash",
        "merge",
        "remove",
        "remove_hash",
        "remove_many",
        "remove_many_hash",
    ];
    assert_eq!(methods, known);
    let mut filter = CuckooFilter::builder().items(50).false_positive_rate(0.01).seed(77).build().unwrap();
    (0..50u64).for_each(|key| filter.insert(&key).unwrap());
    filter.clear();
    assert_eq!(filter.hash_kind(), HashKind::Xxh3 { seed: 77 });
}
