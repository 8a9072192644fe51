//! The `serde` feature.

use super::samples::{key_of, samples};
use cuculus::{CuckooFilter, Geometry};

/// BR-064: one byte string, or base64, within 1.4 times the table; and everything comes back.
#[test]
fn every_sample_through_serde() {
    for filter in samples().into_iter().filter(|filter| key_of(filter).is_none()) {
        let json = serde_json::to_string(&filter).unwrap();
        assert!(serde_json::from_str::<CuckooFilter>(&json).unwrap() == filter);
        let mut cbor = Vec::new();
        ciborium::into_writer(&filter, &mut cbor).unwrap();
        assert!(ciborium::from_reader::<CuckooFilter, _>(cbor.as_slice()).unwrap() == filter);
        let sequence = serde_json::to_string(&filter.to_bytes()).unwrap();
        assert!(serde_json::from_str::<CuckooFilter>(&sequence).unwrap() == filter);
    }
    let filter = CuckooFilter::new(10_000, 0.01).unwrap();
    let json = serde_json::to_string(&filter).unwrap().len() as u64;
    assert!(json * 10 <= filter.table_bytes() * 14, "{json} of {}", filter.table_bytes());
}

/// Base64 of every length modulo three.
#[test]
fn every_length_of_base64() {
    for lines in 1..=6 {
        let filter = CuckooFilter::builder().geometry(Geometry::compact(8, 64, 0, 2 * lines)).build().unwrap();
        let json = serde_json::to_string(&filter).unwrap();
        assert!(serde_json::from_str::<CuckooFilter>(&json).unwrap() == filter);
    }
}

/// BR-061: the reader's checks apply here too.
#[test]
fn damage_is_refused() {
    let filter = CuckooFilter::new(100, 0.01).unwrap();
    let json = serde_json::to_string(&filter).unwrap();
    for at in 1..json.len() - 1 {
        let mut changed = json.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        assert!(serde_json::from_str::<CuckooFilter>(&changed).is_err(), "character {at}");
    }
    for text in
        ["\"\"", "\"=\"", "\"A\"", "\"A===\"", "\"AA=A\"", "\"AB==\"", "\"Ä\"", "[]", "[256]", "17", "null", "{}"]
    {
        assert!(serde_json::from_str::<CuckooFilter>(text).is_err(), "{text}");
    }
}

/// `serde` cannot ask for a key.
#[test]
fn keyed_filters_are_refused() {
    let keyed = samples().into_iter().find(|filter| key_of(filter).is_some()).unwrap();
    let error = serde_json::from_str::<CuckooFilter>(&serde_json::to_string(&keyed).unwrap()).unwrap_err();
    assert!(error.to_string().contains("secret key"), "{error}");
}
