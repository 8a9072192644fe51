//! Any sequence of calls keeps the promise, and goes on alike after a copy or a file; with inputs that shrink.

use crate::rig::{builders, scaled};
use cuculus::{GrowingFilter, InsertError};
use proptest::prelude::*;
use std::collections::HashMap;

#[derive(Clone, Debug)]
enum Step {
    Insert(u16),
    /// Keys from one number on, in one call.
    InsertMany(u16, u16),
    Unique(u16),
    Remove(u16),
    RemoveAll,
    Compact,
    Clone,
    Reload,
    Merge,
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    let key = || 0..900u16;
    prop_oneof![
        8 => key().prop_map(Step::Insert),
        6 => (any::<u16>(), 0..600u16).prop_map(|(from, count)| Step::InsertMany(from, count)),
        4 => key().prop_map(Step::Unique),
        8 => key().prop_map(Step::Remove),
        2 => Just(Step::RemoveAll),
        2 => Just(Step::Compact),
        1 => Just(Step::Clone),
        1 => Just(Step::Reload),
        1 => Just(Step::Merge),
        1 => Just(Step::Clear),
    ]
}

fn hash(key: u16) -> u64 {
    (u64::from(key) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

/// What was stored: the filter's copies of each key that it owns.
type Model = HashMap<u16, u32>;

fn agree(filter: &GrowingFilter, model: &Model) {
    assert_eq!(filter.validate(), Ok(()));
    assert_eq!(filter.len(), model.values().map(|&copies| u64::from(copies)).sum::<u64>());
    for (&key, &copies) in model {
        assert!(filter.count_hash(hash(key)) >= copies && filter.contains_hash(hash(key)), "{key}");
    }
    let hashes: Vec<u64> = model.keys().map(|&key| hash(key)).collect();
    assert!(filter.contains_many_hash(&hashes).iter().all(|&found| found));
}

/// BR-023, BR-054: growth, shrinking, copies, files and merges in any order lose nothing, and a refused call changes nothing.
#[test]
fn every_sequence_of_operations_keeps_the_promise() {
    let config = ProptestConfig { cases: scaled(150) as u32, failure_persistence: None, ..ProptestConfig::default() };
    let filter = (any::<bool>(), any::<u64>(), prop::sample::select(vec![0.1, 0.01, 0.000_1]));
    proptest!(config, |((open, seed, rate) in filter, steps in prop::collection::vec(step(), 0..40))| {
        let [unbounded, declared] = builders(rate, 4_000);
        let builder = if open { unbounded } else { declared }.seed(seed);
        let mut filter = builder.build().unwrap();
        let mut model = Model::new();
        for step in steps {
            match step {
                Step::Insert(key) => {
                    let before = filter.clone();
                    match filter.insert_hash(hash(key)) {
                        Ok(()) => *model.entry(key).or_default() += 1,
                        Err(error) => {
                            prop_assert!(filter == before);
                            let copies = model.get(&key).copied().unwrap_or(0);
                            let full = !open && filter.len() == 4_000;
                            let _: InsertError = error;
                            prop_assert!(full || copies >= 4, "{error}: {copies} copies of {} items", filter.len());
                        }
                    }
                }
                Step::InsertMany(from, count) => {
                    let keys: Vec<u16> = (0..count).map(|i| from.wrapping_add(i)).collect();
                    let hashes: Vec<u64> = keys.iter().map(|&key| hash(key)).collect();
                    let mut alone = filter.clone();
                    let singly = hashes.iter().take_while(|&&hash| alone.insert_hash(hash).is_ok()).count();
                    let inserted = filter.insert_many_hash(&hashes).map_or_else(|error| error.inserted, |()| hashes.len());
                    prop_assert!(inserted == singly && filter == alone);
                    keys[..inserted].iter().for_each(|&key| *model.entry(key).or_default() += 1);
                }
                Step::Unique(key) => match filter.insert_unique_hash(hash(key)) {
                    Ok(true) => *model.entry(key).or_default() += 1,
                    Ok(false) => prop_assert!(filter.contains_hash(hash(key))),
                    Err(_) => prop_assert!(!open && filter.len() == 4_000),
                },
                Step::Remove(key) => {
                    if let Some(copies) = model.get_mut(&key) {
                        prop_assert!(filter.remove_hash(hash(key)));
                        *copies -= 1;
                        if *copies == 0 {
                            model.remove(&key);
                        }
                    }
                }
                Step::RemoveAll => {
                    let mut keys: Vec<u16> = model.keys().copied().filter(|key| key % 4 != 0).collect();
                    keys.sort_unstable();
                    let all = keys.iter().flat_map(|key| core::iter::repeat_n(hash(*key), model[key] as usize));
                    let hashes: Vec<u64> = all.collect();
                    prop_assert!(filter.remove_many_hash(&hashes).iter().all(|&removed| removed));
                    keys.iter().for_each(|key| _ = model.remove(key));
                }
                Step::Compact => _ = filter.compact(7),
                Step::Clone => filter = filter.clone(),
                Step::Reload => {
                    let copy = GrowingFilter::from_bytes(&filter.to_bytes(), None).unwrap();
                    prop_assert!(copy == filter);
                    filter = copy;
                }
                Step::Merge => {
                    let mut other = builder.build().unwrap();
                    for key in (0..200u16).step_by(7) {
                        other.insert_hash(hash(key)).unwrap();
                    }
                    let before = filter.clone();
                    match filter.merge(&other) {
                        Ok(()) => (0..200u16).step_by(7).for_each(|key| *model.entry(key).or_default() += 1),
                        Err(_) => prop_assert!(filter == before),
                    }
                }
                Step::Clear => {
                    filter.clear();
                    model.clear();
                    prop_assert!(filter == builder.build().unwrap());
                }
            }
            agree(&filter, &model);
        }
    });
}
