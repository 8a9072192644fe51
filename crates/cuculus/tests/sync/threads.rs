//! Counts and refusals that threads must agree on.

use super::rig::{Noise, scaled, shapes, share};
use cuculus::{CuckooFilter, InsertError, SyncFilter};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const THREADS: u64 = 4;

/// Runs `work` in four threads that begin together.
fn together(work: impl Fn(u64) + Sync) {
    let barrier = Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (work, barrier) = (&work, &barrier);
            scope.spawn(move || {
                barrier.wait();
                work(thread);
            });
        }
    });
}

/// BR-067, at compile time.
#[test]
fn br_067_a_shared_filter_is_send_and_sync() {
    fn both<T: Send + Sync>() {}
    both::<SyncFilter>();
    both::<cuculus::ShareError>();
}

/// BR-067: no item is lost, and none is counted twice.
#[test]
fn br_067_nothing_is_lost_between_threads() {
    for geometry in shapes(scaled(20_000)) {
        let shared = share(geometry);
        let each = geometry.slots() * 4 / 5 / THREADS * if geometry.candidate_slots() == 2 { 1 } else { 2 } / 2;
        together(|thread| {
            let keys: Vec<u64> = (0..each).map(|i| i * THREADS + thread).collect();
            let (one_by_one, many) = keys.split_at(keys.len() / 2);
            one_by_one.iter().for_each(|key| shared.insert(key).unwrap());
            shared.insert_many(many).unwrap();
            assert!(shared.contains_many(&keys).iter().all(|&found| found));
        });
        assert_eq!(shared.len(), each * THREADS);
        assert!((0..each * THREADS).all(|key| shared.contains(&key) && shared.count(&key) > 0));
        let plain = shared.snapshot();
        assert_eq!((plain.len(), plain.validate()), (each * THREADS, Ok(())), "{geometry:?}");
        together(|thread| (0..each).for_each(|i| assert!(shared.remove(&(i * THREADS + thread)))));
        assert!(shared.is_empty() && shared.into_inner().to_bytes() == super::rig::build(geometry).to_bytes());
    }
}

/// Together they store what one thread would: the capacity, never one more, and freed room is found again.
#[test]
fn the_capacity_is_exact() {
    for items in [1, 50, 5_000] {
        let shared = SyncFilter::new(items, 0.01).unwrap();
        let (stored, capacity) = (AtomicU64::new(0), shared.capacity());
        for round in 0..20u64 {
            together(|thread| {
                for i in 0..capacity {
                    match shared.insert(&(i * THREADS + thread + round)) {
                        Ok(()) => _ = stored.fetch_add(1, Relaxed),
                        Err(error) => assert_eq!(error, InsertError::Full { capacity }),
                    }
                }
            });
            assert_eq!((stored.load(Relaxed), shared.len()), (capacity, capacity));
            let plain = shared.snapshot();
            assert_eq!((plain.len(), plain.validate()), (capacity, Ok(())));
            shared.clear();
            stored.store(0, Relaxed);
            assert!(
                shared.is_empty() && shared.snapshot().to_bytes() == CuckooFilter::new(items, 0.01).unwrap().to_bytes()
            );
        }
    }
}

/// Of all threads that store one item if it is absent, one does.
#[test]
fn one_thread_stores_each_unique_item() {
    for geometry in shapes(scaled(4_000)) {
        let shared = share(geometry);
        let keys = geometry.slots() * if geometry.candidate_slots() == 2 { 2 } else { 4 } / 5;
        let stored = AtomicU64::new(0);
        together(|thread| {
            let mut noise = Noise(thread);
            for i in 0..keys {
                // Everyone at nearly the same place.
                let key = i.saturating_sub(noise.below(3));
                stored.fetch_add(shared.insert_unique(&key).unwrap().into(), Relaxed);
            }
        });
        let shared = shared.into_inner();
        assert_eq!((shared.len(), shared.validate()), (stored.load(Relaxed), Ok(())), "{geometry:?}");
        let mut again = super::rig::build(geometry);
        let distinct = (0..keys).filter(|key| again.insert_unique(key).unwrap()).count() as u64;
        // Which of two items that cannot be told apart came first changes nothing.
        assert!(shared.len().abs_diff(distinct) <= 2 + distinct / 50, "{} {distinct}", shared.len());
    }
}

/// One item without end: the copies are exactly those that a plain filter takes.
#[test]
fn copies_are_limited_among_threads() {
    for geometry in shapes(400) {
        let (shared, mut plain) = (share(geometry), super::rig::build(geometry));
        let most = (0..100).filter(|_| plain.insert("again").is_ok()).count() as u64;
        let stored = AtomicU64::new(0);
        for _ in 0..20 {
            together(|_| (0..10).for_each(|_| _ = stored.fetch_add(shared.insert("again").is_ok().into(), Relaxed)));
            assert_eq!((stored.load(Relaxed), u64::from(shared.count("again"))), (most, most), "{geometry:?}");
            together(|_| (0..10).for_each(|_| _ = stored.fetch_sub(shared.remove("again").into(), Relaxed)));
            assert_eq!((stored.load(Relaxed), shared.count("again")), (0, 0), "{geometry:?}");
        }
    }
}
