//! The file format: a window comes back as it was, with its time, and goes on alike.

use super::rig::Hashes;
use core::time::Duration;
use cuculus::{CuckooFilter, FilterKind, FormatError, GrowingFilter, WindowFilter, WindowInfo};

/// Windows of both kinds in many states.
pub(crate) fn samples() -> Vec<WindowFilter> {
    let mut samples = Vec::new();
    for (items, steps, rate) in [(1, 1, 0.01), (40, 3, 0.01), (300, 12, 0.0005), (300, 60, 0.02), (2_000, 12, 0.01)] {
        for timed in [false, true] {
            for turns in [0, 1, 3, 17] {
                let builder = WindowFilter::builder().items(items).steps(steps).false_positive_rate(rate).seed(items);
                let mut filter = match timed {
                    true => builder.duration(Duration::from_nanos(items * 10)).build().unwrap(),
                    false => builder.build().unwrap(),
                };
                for (number, hash) in (0..).zip(Hashes(turns).take((turns * items / 2) as usize)) {
                    // Slower from turn to turn, and the last quarter in leaps.
                    filter.advance(Duration::from_nanos(if number % 4 == 3 {
                        number * 9 * turns
                    } else {
                        number * 11
                    }));
                    assert!(filter.insert_hash(hash).is_ok() || timed);
                }
                samples.push(filter);
            }
        }
    }
    samples
}

fn go_on(filter: &mut WindowFilter) -> Vec<bool> {
    let mut new = Vec::new();
    for hash in Hashes(77).take(700) {
        let now = match filter.now() {
            cuculus::Window::Time(now) => now,
            _ => Duration::ZERO,
        };
        filter.advance(now + Duration::from_nanos(hash % 40));
        new.push(filter.insert_hash(hash % 300).unwrap_or(false));
    }
    new
}

/// BR-054: what is read back equals what was written, gives the same bytes, and after the same further operations too.
#[test]
fn round_trips_and_goes_on_alike() {
    for mut filter in samples() {
        let bytes = filter.to_bytes();
        let mut copy = WindowFilter::from_bytes(&bytes, None).unwrap();
        assert!(copy == filter && copy.to_bytes() == bytes);
        assert_eq!(copy.validate(), Ok(()));
        assert_eq!((copy.len(), copy.now(), copy.window()), (filter.len(), filter.now(), filter.window()));
        assert_eq!(go_on(&mut copy), go_on(&mut filter));
        assert!(copy == filter && copy.to_bytes() == filter.to_bytes());
    }
}

#[test]
fn the_header_says_what_the_filter_is() {
    for filter in samples() {
        let bytes = filter.to_bytes();
        let info = WindowInfo::read(&bytes).unwrap();
        assert_eq!((info.len, info.capacity, info.steps), (filter.len(), filter.capacity(), filter.steps()));
        assert_eq!((info.window, info.now), (filter.window(), filter.now()));
        assert_eq!((info.geometry, info.stamp_bits), (*filter.geometry(), filter.stamp_bits()));
        assert_eq!((info.version, info.file_bytes), (3, bytes.len() as u64));
        assert_eq!(WindowInfo::verify_bytes(&bytes), Ok(info));
        assert_eq!(FilterKind::read(&bytes), Ok(FilterKind::Window));
    }
}

/// BR-043: a file of another kind is named as such, all ways.
#[test]
fn other_kinds_are_refused() {
    let fixed = CuckooFilter::new(100, 0.01).unwrap().to_bytes();
    let growing = GrowingFilter::new(0.01).unwrap().to_bytes();
    for (bytes, name) in [(&fixed, "a filter of a fixed size"), (&growing, "a growing filter")] {
        match WindowFilter::from_bytes(bytes, None) {
            Err(FormatError::OtherKind { found, .. }) => assert_eq!(found, name),
            other => panic!("{other:?}"),
        }
    }
    for filter in samples().iter().take(3) {
        let bytes = filter.to_bytes();
        assert!(matches!(CuckooFilter::from_bytes(&bytes, None), Err(FormatError::OtherKind { .. })));
        assert!(matches!(GrowingFilter::from_bytes(&bytes, None), Err(FormatError::OtherKind { .. })));
        assert!(matches!(cuculus::verify_bytes(&bytes), Err(FormatError::OtherKind { .. })));
    }
}

#[test]
fn every_changed_byte_is_noticed_and_every_length() {
    for filter in samples().into_iter().filter(|filter| filter.table_bytes() < 2_000) {
        let bytes = filter.to_bytes();
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(WindowFilter::from_bytes(&bytes, None).is_err(), "byte {at}");
        }
        for length in 0..bytes.len() {
            let error = WindowFilter::from_bytes(&bytes[..length], None).unwrap_err();
            let good = matches!(error, FormatError::Truncated { .. } | FormatError::NotAFilter { .. });
            assert!(good, "{length}: {error}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(WindowFilter::from_bytes(&longer, None), Err(FormatError::TrailingBytes { .. })));
    }
}

#[test]
fn secret_keys_are_asked_for() {
    let key = [7; 16];
    let mut filter = WindowFilter::builder().items(50).false_positive_rate(0.01).secret_key(key).build().unwrap();
    filter.insert("cuckoo").unwrap();
    let bytes = filter.to_bytes();
    assert!(WindowFilter::from_bytes(&bytes, Some(&key)).unwrap().contains("cuckoo"));
    assert_eq!(WindowFilter::from_bytes(&bytes, None).unwrap_err(), FormatError::KeyNeeded);
    assert_eq!(WindowFilter::from_bytes(&bytes, Some(&[8; 16])).unwrap_err(), FormatError::WrongKey);
    assert!(WindowInfo::verify_bytes(&bytes).unwrap().keyed);
    assert!(!bytes.windows(16).any(|window| window == key));
}

#[test]
fn files_are_saved_and_loaded() {
    let directory = std::env::temp_dir().join(format!("cuculus-window-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("filter");
    for filter in samples().into_iter().take(12) {
        filter.save(&path).unwrap();
        assert!(WindowFilter::load(&path, None).unwrap() == filter);
        assert_eq!(WindowInfo::of_file(&path).unwrap(), WindowInfo::verify_file(&path).unwrap());
        assert_eq!(FilterKind::of_file(&path).unwrap(), FilterKind::Window);
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
    for filter in samples() {
        let text = serde_json::to_string(&filter).unwrap();
        assert!(serde_json::from_str::<WindowFilter>(&text).unwrap() == filter);
    }
}
