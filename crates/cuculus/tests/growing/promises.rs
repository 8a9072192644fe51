//! Growth a thousandfold and back, measured: the rate, the bits, the memory.

use crate::rig::{Hashes, scaled};
use cuculus::{CuckooFilter, GrowingFilter, Layout};

/// Absent keys that a filter finds, of a million.
fn found(filter: &GrowingFilter) -> f64 {
    let absent: Vec<u64> = Hashes(1 << 60).take(1_000_000).collect();
    filter.contains_many_hash(&absent).iter().filter(|&&found| found).count() as f64
}

/// BR-008, BR-028: from 1,000 items a thousandfold the rate holds at every size, not times the number of parts, and what it costs
/// stays under what is promised of it; nine in ten removed, the space comes back.
#[test]
fn a_thousandfold_the_rate_and_the_bits_hold() {
    for (rate, most_bits) in [(0.01, 1.6), (0.001, 1.45), (0.0001, 1.4)] {
        let items = scaled(1_000_000) as usize;
        let builder = || GrowingFilter::builder().start_items(1_000).false_positive_rate(rate);
        for (mut filter, most_bits) in
            [(builder().build().unwrap(), most_bits), (builder().maximum_items(items as u64).build().unwrap(), 1.08)]
        {
            let hashes: Vec<u64> = Hashes(items as u64).take(items).collect();
            let mut stored = 0;
            let sizes = (0..).map(|step| (1_000.0 * 1.9f64.powi(step)) as usize);
            for size in sizes.take_while(|&size| size < items).chain([items]) {
                filter.insert_many_hash(&hashes[stored..size]).unwrap();
                stored = size;
                // What chance exceeds once in a thousand times.
                let expected = rate * 1e6;
                let found = found(&filter);
                assert!(found <= expected + 3.1 * expected.sqrt() + 4.0, "{found} of {expected} with {size} items");
                let known = filter.false_positive_rate() * 1e6;
                assert!(known <= expected && found <= known + 3.1 * known.sqrt() + 4.0, "{found}, known {known}");
                let fixed = |items: usize| {
                    let fixed = CuckooFilter::builder().items(items as u64).false_positive_rate(rate);
                    fixed.layout(Layout::Compact).plan().unwrap().table_bytes() as f64
                };
                let bytes = filter.memory_bytes() as f64;
                match filter.maximum() {
                    None => {
                        assert!(size < 32_000 || bytes <= most_bits * fixed(size), "{} bits", filter.bits_per_item())
                    }
                    Some(_) => assert!(bytes <= most_bits * fixed(items), "{bytes} with {size}"),
                }
            }
            assert!(filter.contains_many_hash(&hashes).iter().all(|&found| found));
            let (keep, drop) = hashes.split_at(items / 10);
            assert!(filter.remove_many_hash(drop).iter().all(|&removed| removed));
            while !filter.compact(1_000) {}
            let mut anew = builder().maximum_items(filter.maximum().unwrap_or(items as u64)).build().unwrap();
            if filter.maximum().is_none() {
                anew = builder().build().unwrap();
            }
            anew.insert_many_hash(keep).unwrap();
            let (now, grown) = (filter.memory_bytes() as f64, anew.memory_bytes() as f64);
            assert!(now <= 1.4 * grown, "{now} bytes, {grown} grown to that size");
            assert!(filter.contains_many_hash(keep).iter().all(|&found| found));
            assert_eq!(filter.validate(), Ok(()));
        }
    }
}

/// BR-023: at a steady number of items, removals and inserts without end leave rate, memory and items as they are.
#[test]
fn sixteen_turnovers_change_nothing() {
    let items = scaled(60_000) as usize;
    for open in [true, false] {
        let builder = GrowingFilter::builder().start_items(1_000).false_positive_rate(0.01);
        let mut filter = if open { builder } else { builder.maximum_items(items as u64) }.build().unwrap();
        let hashes: Vec<u64> = Hashes(5).take(17 * items).collect();
        filter.insert_many_hash(&hashes[..items]).unwrap();
        let before = filter.memory_bytes() as f64;
        for (old, new) in hashes.iter().zip(&hashes[items..]) {
            assert!(filter.remove_hash(*old));
            filter.insert_hash(*new).unwrap();
        }
        assert!(filter.contains_many_hash(&hashes[16 * items..]).iter().all(|&found| found));
        let found = found(&filter);
        assert!(found <= 10_000.0 + 314.0, "{found}");
        assert!(filter.memory_bytes() as f64 <= 1.1 * before, "{} after {before}", filter.memory_bytes());
        assert_eq!((filter.len(), filter.validate()), (items as u64, Ok(())));
    }
}
