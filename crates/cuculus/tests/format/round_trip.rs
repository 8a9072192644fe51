//! What was written comes back, and goes on as if nothing had happened.

use super::samples::{KEY, SEARCH, build, fill, geometries, key_of, samples, scaled};
use cuculus::{CuckooFilter, FileInfo, FilterView, FormatError, Geometry, HashKind, verify_bytes};

fn check(filter: &CuckooFilter) {
    let key = key_of(filter);
    for bytes in [filter.to_bytes(), filter.to_compressed_bytes()] {
        let info = verify_bytes(&bytes).unwrap();
        assert_eq!(info, FileInfo::read(&bytes).unwrap());
        assert_eq!(info.file_bytes, bytes.len() as u64);
        let loaded = CuckooFilter::from_bytes(&bytes, key).unwrap();
        assert!(&loaded == filter);
        assert!(if info.compressed { loaded.to_compressed_bytes() } else { loaded.to_bytes() } == bytes);
        if !info.compressed {
            let view = FilterView::open(&bytes, key).unwrap();
            view.verify().unwrap();
            assert!(&view == filter);
            assert!(view.to_bytes() == bytes);
        }
    }
    let mut written = Vec::new();
    filter.write_to(&mut written, false).unwrap();
    assert!(written == filter.to_bytes());
}

/// BR-053: every layout, slot count and width, empty and full.
#[test]
fn every_shape_empty_and_full() {
    for geometry in geometries() {
        let mut filter = build(geometry, HashKind::default(), SEARCH);
        check(&filter);
        fill(&mut filter);
        check(&filter);
    }
}

/// BR-053: sizes 0, 1, 2, 3 and around powers of two, as the builder makes them.
#[test]
fn every_size() {
    let around = (2..=12).flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1]);
    for items in [0, 1, 2, 3].into_iter().chain(around) {
        let mut filter = CuckooFilter::new(items, 0.01).unwrap();
        check(&filter);
        (0..items).for_each(|key| filter.insert(&key).unwrap());
        check(&filter);
    }
}

/// BR-054: every parameter is in the file, also those that nobody sets; the loaded filter and its unsaved twin go on to
/// the same bytes through refusals, removals and searches.
#[test]
fn a_loaded_filter_goes_on_like_its_twin() {
    for mut twin in samples() {
        let mut loaded = CuckooFilter::from_bytes(&twin.to_bytes(), key_of(&twin)).unwrap();
        assert_eq!(loaded.geometry(), twin.geometry());
        assert_eq!(loaded.search(), twin.search());
        assert_eq!(loaded.hash_kind(), twin.hash_kind());
        assert_eq!((loaded.len(), loaded.capacity(), loaded.slots()), (twin.len(), twin.capacity(), twin.slots()));
        assert_eq!(loaded.promised_false_positive_rate(), twin.promised_false_positive_rate());
        assert_eq!(loaded.false_positive_rate(), twin.false_positive_rate());
        assert_eq!((loaded.table_bytes(), loaded.stashed()), (twin.table_bytes(), twin.stashed()));
        assert!(loaded.iter().eq(twin.iter()));
        for key in 1_000..1_200u64 {
            assert_eq!(loaded.insert(&key), twin.insert(&key));
            if key % 3 == 0 {
                assert_eq!(loaded.remove(&(key / 2)), twin.remove(&(key / 2)));
            }
            if key % 20 == 0 {
                assert!(loaded.to_bytes() == twin.to_bytes());
                loaded = CuckooFilter::from_bytes(&loaded.to_bytes(), key_of(&twin)).unwrap();
            }
        }
        loaded.clear();
        twin.clear();
        assert!(loaded.to_bytes() == twin.to_bytes());
    }
}

/// BR-054: what a builder was asked for, not only what the geometry gives.
#[test]
fn capacity_and_rate_as_asked() {
    let filter = CuckooFilter::builder().items(1_000).false_positive_rate(0.003).seed(u64::MAX).build().unwrap();
    let info = verify_bytes(&filter.to_bytes()).unwrap();
    assert_eq!((info.capacity, info.promised_false_positive_rate), (filter.capacity(), 0.003));
    assert_eq!((info.hash, info.seed, info.keyed), ("XXH3-64", Some(u64::MAX), false));
    let keyed = build(Geometry::packed(9, 2, 6), HashKind::SipHash13 { key: KEY }, SEARCH);
    let info = FileInfo::read(&keyed.to_bytes()).unwrap();
    assert_eq!((info.hash, info.seed, info.keyed), ("SipHash-1-3", None, true));
}

/// A secret key is never written; a missing, wrong or needless one is named.
#[test]
fn secret_keys() {
    let mut keyed = CuckooFilter::builder().items(500).false_positive_rate(0.01).secret_key(KEY).build().unwrap();
    keyed.insert("cuckoo").unwrap();
    let bytes = keyed.to_bytes();
    assert!(!bytes.windows(4).any(|window| KEY.windows(4).any(|part| part == window)));
    assert!(CuckooFilter::from_bytes(&bytes, Some(&KEY)).unwrap().contains("cuckoo"));
    for (key, error) in [(None, FormatError::KeyNeeded), (Some(&[7; 16]), FormatError::WrongKey)] {
        assert_eq!(CuckooFilter::from_bytes(&bytes, key).unwrap_err(), error);
        assert_eq!(FilterView::open(&bytes, key).unwrap_err(), error);
    }
    verify_bytes(&bytes).unwrap();
    let open = CuckooFilter::new(500, 0.01).unwrap().to_bytes();
    assert_eq!(CuckooFilter::from_bytes(&open, Some(&KEY)).unwrap_err(), FormatError::KeyNotNeeded);
    assert_eq!(FilterView::open(&open, Some(&KEY)).unwrap_err(), FormatError::KeyNotNeeded);
}

/// BR-064: a file is at most 1 KiB larger than the memory, and a sparse filter's compressed file far smaller.
#[test]
fn sizes_of_files() {
    for geometry in geometries().into_iter().chain([Geometry::packed(12, 4, 250_000), Geometry::semi_sorted(9, 77_776)])
    {
        let mut filter = build(geometry, HashKind::default(), SEARCH);
        (0..filter.slots() / 2).for_each(|key| filter.insert(&key).unwrap_or(()));
        for bytes in [filter.to_bytes(), filter.to_compressed_bytes()] {
            assert!(bytes.len() as u64 <= filter.table_bytes() + 1024, "{geometry:?}");
        }
    }
    let mut sparse = CuckooFilter::new(1_000_000, 0.001).unwrap();
    let empty = sparse.to_compressed_bytes().len();
    assert!(empty < 8_000, "empty: {empty} bytes of {}", sparse.table_bytes());
    (0..10_000u64).for_each(|key| sparse.insert(&key).unwrap());
    let packed = sparse.to_compressed_bytes().len() as u64;
    assert!(packed * 20 < sparse.table_bytes(), "1 % full: {packed} bytes of {}", sparse.table_bytes());
    check(&sparse);
}

/// Full tables do not shrink: then they are stored plain, and can be mapped.
#[test]
fn compression_is_left_where_it_does_not_pay() {
    let mut filter = CuckooFilter::new(scaled(50_000) as u64, 0.01).unwrap();
    (0..filter.capacity()).for_each(|key| filter.insert(&key).unwrap());
    assert!(filter.to_compressed_bytes() == filter.to_bytes());
}

/// Compressed tables of several pieces and growth steps.
#[test]
fn large_compressed_tables() {
    for items in [300_000, 3_000_000] {
        let mut filter = CuckooFilter::new(items, 0.01).unwrap();
        (0..items / 5).for_each(|key| filter.insert(&key).unwrap());
        let bytes = filter.to_compressed_bytes();
        assert!(FileInfo::read(&bytes).unwrap().compressed);
        assert!(CuckooFilter::from_bytes(&bytes, None).unwrap() == filter);
    }
}
