//! BR-069: a snapshot is of one moment.

use super::rig::{scaled, share};
use cuculus::{CuckooFilter, Geometry};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Each writer's items are a window that moves on, one insert or removal at a time. At any one moment the window has no
/// gap and one of two lengths; a copy made bit by bit shows gaps and double ends.
#[test]
fn br_069_snapshots_while_others_write_are_of_one_moment() {
    const WRITERS: u64 = 2;
    const LENGTH: u64 = 5_000;
    // 32-bit fingerprints: no two of these keys can be taken for each other.
    for geometry in [Geometry::packed(32, 4, 2_800), Geometry::compact(31, 16, 16, 700)] {
        let shared = share(geometry);
        let stop = AtomicBool::new(false);
        let key = |writer: u64, i: u64| writer << 40 | i;
        for writer in 0..WRITERS {
            (0..LENGTH).for_each(|i| shared.insert(&key(writer, i)).unwrap());
        }
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (shared, stop) = (&shared, &stop);
                scope.spawn(move || {
                    for i in LENGTH.. {
                        if stop.load(Relaxed) {
                            break;
                        }
                        shared.insert(&key(writer, i)).unwrap();
                        assert!(shared.remove(&key(writer, i - LENGTH)));
                    }
                });
            }
            let mut from = [0; WRITERS as usize];
            for _ in 0..scaled(300) {
                let copy = shared.snapshot();
                assert_eq!(copy.validate(), Ok(()));
                let mut len = 0;
                for (writer, from) in (0..).zip(&mut from) {
                    while !copy.contains(&key(writer, *from)) {
                        *from += 1;
                    }
                    let there = (*from..).take_while(|&i| copy.contains(&key(writer, i))).count() as u64;
                    assert!(there == LENGTH || there == LENGTH + 1, "{there} in a row");
                    len += there;
                }
                assert_eq!(copy.len(), len);
                assert!(CuckooFilter::from_bytes(&copy.to_bytes(), None).unwrap() == copy);
            }
            stop.store(true, Relaxed);
        });
    }
}
