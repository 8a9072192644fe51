//! What the parts promise each other.

use super::GrowingFilter;
use crate::InsertError;
use crate::rng::Rng;
use alloc::vec::Vec;

fn both_modes() -> [GrowingFilter; 2] {
    let builder = || GrowingFilter::builder().start_items(500).false_positive_rate(0.01);
    [builder().build().unwrap(), builder().maximum_items(60_000).build().unwrap()]
}

fn measured_rate(filter: &GrowingFilter, lookups: usize) -> f64 {
    let mut rng = Rng::new(0xAB5E);
    let hashes: Vec<u64> = (0..lookups).map(|_| rng.next()).collect();
    filter.contains_many_hash(&hashes).iter().filter(|&&found| found).count() as f64 / lookups as f64
}

/// BR-008: growth from a small start, a hundredfold, and back: nothing is lost on the way, the rate holds, memory follows.
#[test]
fn grows_and_shrinks_without_losing_anything() {
    for mut filter in both_modes() {
        let mut rng = Rng::new(3);
        let hashes: Vec<u64> = (0..60_000).map(|_| rng.next()).collect();
        for (stored, some) in hashes.chunks(6_000).enumerate() {
            filter.insert_many_hash(some).unwrap();
            let stored = &hashes[..6_000 * (stored + 1)];
            assert!(filter.contains_many_hash(stored).iter().all(|&found| found));
            assert!(stored.iter().all(|&hash| filter.contains_hash(hash) && filter.count_hash(hash) > 0));
            let rate = measured_rate(&filter, 200_000);
            assert!(rate < 0.0108, "{rate} with {} items", stored.len());
            assert!(filter.load_factor() < 0.93 && (stored.len() < 8_000 || filter.load_factor() > 0.85));
        }
        let (keep, drop) = hashes.split_at(6_000);
        assert!(filter.remove_many_hash(drop).iter().all(|&removed| removed));
        assert!(keep.iter().all(|&hash| filter.contains_hash(hash)));
        while !filter.compact(1) {}
        assert!(filter.load_factor() > 0.7);
        assert!(filter.contains_many_hash(keep).iter().all(|&found| found));
        assert!(keep.iter().all(|&hash| filter.remove_hash(hash)));
        assert!(filter.is_empty() && filter.ghosts() == 0);
        filter.insert_hash(1).unwrap();
        filter.clear();
        assert!(both_modes().contains(&filter));
    }
}

/// BR-029: one key without end is refused after its copies and takes no memory; others still go in.
#[test]
fn one_key_without_end_is_refused() {
    for mut filter in both_modes() {
        let bytes = filter.memory_bytes();
        for copies in 0..8 {
            assert_eq!(filter.count("one"), copies);
            filter.insert("one").unwrap();
        }
        for _ in 0..10_000 {
            assert_eq!(filter.insert("one"), Err(InsertError::TooManyCopies { copies: 8 }));
        }
        assert!(filter.memory_bytes() <= bytes + 1_000);
        filter.insert("other").unwrap();
        assert_eq!((filter.len(), filter.count("one")), (9, 8));
        for copies in (0..8).rev() {
            assert!(filter.remove("one"));
            assert_eq!(filter.count("one"), copies);
        }
        assert!(!filter.remove("one") && filter.contains("other"));
    }
}
