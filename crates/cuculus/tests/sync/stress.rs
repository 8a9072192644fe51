//! BR-068: readers poll items that are there while writers insert and remove at high load, so that the items move all the
//! time. `CUCULUS_STRESS_SECONDS=60` for a long run.

use super::rig::{Noise, shapes, share};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const READERS: u64 = 3;
const WRITERS: u64 = 2;

#[test]
fn br_068_readers_never_miss_an_item_that_moves() {
    let seconds = std::env::var("CUCULUS_STRESS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5.0);
    let shapes: Vec<_> = shapes(600).into_iter().filter(|shape| shape.candidate_slots() > 2).collect();
    let time = Duration::from_secs_f64(seconds / shapes.len() as f64);
    for geometry in shapes {
        let shared = share(geometry);
        let load = if geometry.slots_per_bucket == 2 { 0.84 } else { 0.95 };
        let items = (geometry.slots() as f64 * load) as u64;
        let fixed = items / 4;
        (0..fixed).for_each(|key| shared.insert(&key).unwrap());
        let each = (items - fixed) / WRITERS;
        let (stop, lookups, writes) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (shared, stop, writes) = (&shared, &stop, &writes);
                scope.spawn(move || {
                    let key = |i: u64| (1 + writer) << 40 | i;
                    let mut noise = Noise(writer);
                    let mut mine: Vec<u64> = (0..each).map(key).filter(|key| shared.insert(key).is_ok()).collect();
                    let mut next = each;
                    while !stop.load(Relaxed) {
                        // Own items, and a further copy of one of the readers': neither removal may hide the other copy.
                        let at = noise.below(mine.len() as u64) as usize;
                        assert!(shared.contains(&mine[at]) && shared.remove(&mine[at]));
                        let kept = noise.below(fixed);
                        if shared.insert(&kept).is_ok() {
                            assert!(shared.contains(&kept) && shared.remove(&kept));
                        }
                        next += 1;
                        match shared.insert(&key(next)) {
                            Ok(()) => mine[at] = key(next),
                            Err(_) => _ = mine.swap_remove(at),
                        }
                        writes.fetch_add(1, Relaxed);
                    }
                    mine.iter().for_each(|key| assert!(shared.remove(key)));
                });
            }
            for reader in 0..READERS {
                let (shared, stop, lookups) = (&shared, &stop, &lookups);
                scope.spawn(move || {
                    let keys: Vec<u64> = (0..fixed).collect();
                    let start = keys.len() * reader as usize / READERS as usize;
                    while !stop.load(Relaxed) {
                        let missed = keys[start..].iter().chain(&keys[..start]).find(|key| !shared.contains(*key));
                        assert_eq!(missed, None, "{geometry:?}");
                        assert!(shared.contains_many(&keys).iter().all(|&found| found), "{geometry:?}");
                        lookups.fetch_add(2 * fixed, Relaxed);
                    }
                });
            }
            let end = Instant::now() + time;
            while Instant::now() < end && !stop.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(10));
            }
            stop.store(true, Relaxed);
        });
        assert!(lookups.load(Relaxed) > 0 && writes.load(Relaxed) > 0);
        let plain = shared.into_inner();
        assert_eq!((plain.len(), plain.validate()), (fixed, Ok(())), "{geometry:?}");
        assert!((0..fixed).all(|key| plain.contains(&key)));
        println!("{geometry:?}: {lookups:?} lookups, {writes:?} writes, none missed");
    }
}
