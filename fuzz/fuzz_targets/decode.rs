//! Arbitrary bytes to the reader: no panic, no large allocation, and what opens can be used.
//!
//! The first byte of the input says whether the rest is taken as it is, or whether its lengths (2) or checksums (1) are
//! made right first.
#![no_main]

use cuculus::{CuckooFilter, FileInfo, FilterView, FormatError, verify_bytes};
use cuculus_fuzz::forge::{KEY, forge, forge_lengths};
use cuculus_fuzz::meter::{Meter, peak};
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static METER: Meter = Meter;

/// Deflate shrinks to no less than a thousandth, and a growing table is held twice.
const MOST_UNPACKED: usize = 2 * 1_040;

/// Uniform enough, and the extremes.
fn hashes() -> impl Iterator<Item = u64> {
    let spread = (1..64u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    [0, 1, u64::MAX, u64::MAX - 1, 1 << 63].into_iter().chain(spread)
}

fuzz_target!(|input: &[u8]| {
    let Some((mode, bytes)) = input.split_first() else { return };
    let mut bytes = bytes.to_vec();
    if mode & 2 != 0 {
        forge_lengths(&mut bytes);
    }
    if mode & 1 != 0 {
        forge(&mut bytes);
    }
    _ = FileInfo::read(&bytes);
    let verified = verify_bytes(&bytes);
    let keyed = FileInfo::read(&bytes).is_ok_and(|info| info.keyed);
    let key = keyed.then_some(&KEY);

    let (loaded, most) = peak(|| CuckooFilter::from_bytes(&bytes, key));
    let compressed = FileInfo::read(&bytes).is_ok_and(|info| info.compressed);
    let allowed = (1 << 20) + bytes.len() * if compressed { MOST_UNPACKED } else { 2 };
    assert!(most <= allowed, "{most} bytes were allocated for a file of {}", bytes.len());

    match FilterView::open(&bytes, key) {
        Ok(view) => {
            // The table may be damaged: wrong answers are fine, nothing else.
            look(&view);
            assert_eq!(view.verify().is_ok(), loaded.is_ok());
            if let Ok(filter) = &loaded {
                assert!(view == *filter);
                assert!(filter.to_bytes() == bytes);
            }
        }
        Err(FormatError::Compressed) => {}
        Err(_) => assert!(loaded.is_err()),
    }
    if let Ok(mut filter) = loaded {
        assert!(verified.is_ok());
        look(&filter);
        work(&mut filter);
    }
});

fn look<S: AsRef<[u8]>>(filter: &CuckooFilter<S>) {
    let hashes = Vec::from_iter(hashes());
    let single: Vec<bool> = hashes.iter().map(|&hash| filter.contains_hash(hash)).collect();
    assert_eq!(filter.contains_many_hash(&hashes), single);
    for &hash in &hashes {
        filter.count_hash(hash);
    }
    _ = filter.validate();
    filter.iter().count();
    assert!(filter.false_positive_rate() <= 1.0);
}

/// A verified filter works like any other.
fn work(filter: &mut CuckooFilter) {
    for hash in hashes() {
        if filter.insert_hash(hash).is_ok() {
            assert!(filter.contains_hash(hash));
        }
    }
    for hash in hashes() {
        filter.remove_hash(hash);
    }
    assert_eq!(filter.validate(), Ok(()));
}
