//! The file format: every filter comes back as it was and goes on alike; whatever else arrives is refused with a reason.

use crate::rig::{Hashes, builders, filled};
use cuculus::{CuckooFilter, FilterKind, FormatError, GrowingFilter, GrowingInfo};

pub(crate) fn samples() -> Vec<GrowingFilter> {
    let sizes = [0, 1, 300, 1_234, 5_000, 20_000, 30_000];
    let mut samples: Vec<_> = sizes.into_iter().flat_map(|items| filled(items, items as u64)).collect();
    // One with a stash.
    for mut filter in filled(2_000, 9) {
        (0..7).for_each(|_| filter.insert("one").unwrap());
        samples.push(filter);
    }
    samples
}

/// BR-054: what is read back equals what was written, gives the same bytes, and after the same further operations too.
#[test]
fn round_trips_and_goes_on_alike() {
    for mut filter in samples() {
        let bytes = filter.to_bytes();
        let mut copy = GrowingFilter::from_bytes(&bytes, None).unwrap();
        assert!(copy == filter && copy.to_bytes() == bytes);
        assert_eq!(copy.validate(), Ok(()));
        let same = |a: &GrowingFilter, b: &GrowingFilter| {
            assert_eq!((a.len(), a.slots(), a.maximum(), a.ghosts()), (b.len(), b.slots(), b.maximum(), b.ghosts()));
            assert_eq!((a.false_positive_rate(), a.stashed()), (b.false_positive_rate(), b.stashed()));
            assert_eq!(a.promised_false_positive_rate(), b.promised_false_positive_rate());
        };
        same(&copy, &filter);
        for filter in [&mut filter, &mut copy] {
            Hashes(77).take(3_000).for_each(|hash| _ = filter.insert_hash(hash));
            Hashes(77).take(3_000).step_by(2).for_each(|hash| _ = filter.remove_hash(hash));
            filter.compact(5);
        }
        same(&copy, &filter);
        assert!(copy.to_bytes() == filter.to_bytes());
    }
}

#[test]
fn the_header_says_what_the_filter_is() {
    for filter in samples() {
        let bytes = filter.to_bytes();
        let info = GrowingInfo::read(&bytes).unwrap();
        assert_eq!((info.len, info.maximum), (filter.len(), filter.maximum()));
        assert_eq!(info.file_bytes, bytes.len() as u64);
        assert_eq!(info.lines * u64::from(info.slots_per_line), filter.slots());
        assert_eq!(GrowingInfo::verify_bytes(&bytes), Ok(info));
        assert_eq!(FilterKind::read(&bytes), Ok(FilterKind::Growing));
    }
}

/// BR-043: a file of the other kind is named as such, both ways.
#[test]
fn the_other_kind_is_refused() {
    let fixed = CuckooFilter::new(100, 0.01).unwrap().to_bytes();
    assert_eq!(FilterKind::read(&fixed), Ok(FilterKind::Fixed));
    assert!(matches!(GrowingFilter::from_bytes(&fixed, None), Err(FormatError::OtherKind { .. })));
    for filter in filled(500, 1) {
        let bytes = filter.to_bytes();
        assert!(matches!(CuckooFilter::from_bytes(&bytes, None), Err(FormatError::OtherKind { .. })));
        assert!(matches!(cuculus::verify_bytes(&bytes), Err(FormatError::OtherKind { .. })));
    }
}

#[test]
fn every_changed_byte_is_noticed_and_every_length() {
    for mut filter in filled(700, 3) {
        (0..6).for_each(|_| filter.insert("one").unwrap());
        let bytes = filter.to_bytes();
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(GrowingFilter::from_bytes(&bytes, None).is_err(), "byte {at}");
        }
        for length in 0..bytes.len() {
            let error = GrowingFilter::from_bytes(&bytes[..length], None).unwrap_err();
            let good = matches!(error, FormatError::Truncated { .. } | FormatError::NotAFilter { .. });
            assert!(good, "{length}: {error}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(GrowingFilter::from_bytes(&longer, None), Err(FormatError::TrailingBytes { .. })));
    }
}

#[test]
fn secret_keys_are_asked_for() {
    let key = [7; 16];
    for builder in builders(0.01, 1_000) {
        let mut filter = builder.secret_key(key).build().unwrap();
        filter.insert("cuckoo").unwrap();
        let bytes = filter.to_bytes();
        assert!(GrowingFilter::from_bytes(&bytes, Some(&key)).unwrap().contains("cuckoo"));
        assert_eq!(GrowingFilter::from_bytes(&bytes, None).unwrap_err(), FormatError::KeyNeeded);
        assert_eq!(GrowingFilter::from_bytes(&bytes, Some(&[8; 16])).unwrap_err(), FormatError::WrongKey);
        assert!(GrowingInfo::verify_bytes(&bytes).unwrap().keyed);
        assert!(!bytes.windows(16).any(|window| window == key));
    }
}

#[test]
fn files_are_saved_and_loaded() {
    let directory = std::env::temp_dir().join(format!("cuculus-growing-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("filter");
    for filter in filled(3_000, 8) {
        filter.save(&path).unwrap();
        assert!(GrowingFilter::load(&path, None).unwrap() == filter);
        assert_eq!(GrowingInfo::of_file(&path).unwrap(), GrowingInfo::verify_file(&path).unwrap());
        assert_eq!(FilterKind::of_file(&path).unwrap(), FilterKind::Growing);
        let mut written = Vec::new();
        filter.write_to(&mut written).unwrap();
        assert!(written == filter.to_bytes());
        assert!(CuckooFilter::load(&path, None).is_err());
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[cfg(feature = "serde")]
#[test]
fn serde_keeps_everything() {
    for filter in filled(900, 4) {
        let text = serde_json::to_string(&filter).unwrap();
        assert!(serde_json::from_str::<GrowingFilter>(&text).unwrap() == filter);
    }
}
