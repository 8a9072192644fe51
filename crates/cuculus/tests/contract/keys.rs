//! Contract 7: a key is bytes. BR-049, BR-084.

use super::rig::rows;
use cuculus::CuckooFilter;
use std::borrow::Cow;

#[test]
fn contract_7_br_049_br_084_every_type_with_the_same_bytes_is_the_same_item() {
    for row in rows().into_iter().step_by(97) {
        let keyed = CuckooFilter::builder().geometry(row.geometry).secret_key([7; 16]).build().unwrap();
        for mut filter in [row.build(0), keyed] {
            // Each against the first, in both directions.
            macro_rules! same {
                ($bytes:expr, $($key:expr),* $(,)?) => {$({
                    let (bytes, key): (&[u8], _) = (&$bytes, $key);
                    assert_eq!(filter.hash(bytes), filter.hash(&key));
                    filter.insert(&key).unwrap();
                    assert!(filter.contains(bytes) && filter.count(bytes) == 1 && filter.contains_many(&[bytes])[0]);
                    assert!(filter.remove(bytes) && filter.is_empty());
                    filter.insert(bytes).unwrap();
                    assert!(filter.contains(&key) && filter.count(&key) == 1, "{row:?}");
                    assert!(filter.contains_many(&[&key])[0] && filter.remove(&key) && filter.is_empty());
                })*};
            }
            same!(
                *b"abc",
                *b"abc",
                b"abc",
                "abc",
                &"abc",
                String::from("abc"),
                b"abc".as_slice(),
                b"abc".to_vec(),
                Cow::Borrowed("abc"),
                Cow::<str>::Owned("abc".into()),
                Box::<str>::from("abc"),
            );
            same!(*"Grüße, 世界".as_bytes(), "Grüße, 世界", String::from("Grüße, 世界").into_bytes());
            same!([], "", b"", Vec::<u8>::new(), String::new());
            let running = [1u8, 2, 3, 4, 5, 6, 7, 8];
            same!(running, 0x0807_0605_0403_0201u64, 0x0807_0605_0403_0201i64, running);
            same!([0xfe, 255, 255, 255, 255, 255, 255, 255], -2i64, u64::MAX - 1);
            same!([1u8, 2, 3, 4], 0x0403_0201u32, 0x0403_0201i32);
            same!([1u8, 2], 0x0201u16, 0x0201i16);
            same!(*b"A", 65u8, 65i8, "A");
            same!((1u128 << 100).to_le_bytes(), 1u128 << 100, 1i128 << 100);
        }
    }
}

/// Widths tell integers apart, and nothing is added to a key: no length, no terminator.
#[test]
fn contract_7_other_bytes_are_other_items() {
    let filter = CuckooFilter::new(10, 0.01).unwrap();
    let hashes = [
        filter.hash(&1u8),
        filter.hash(&1u16),
        filter.hash(&1u32),
        filter.hash(&1u64),
        filter.hash(&1u128),
        filter.hash("1"),
        filter.hash("1\n"),
        filter.hash("1\0\0"),
        filter.hash(""),
    ];
    for (at, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..at].contains(hash));
    }
}

/// Keys of every length up to 600 bytes, and a long one.
#[test]
fn contract_7_keys_of_any_length() {
    let bytes: Vec<u8> = (0..1 << 20).map(|at: u32| (at.wrapping_mul(0x9E37_79B1) >> 24) as u8).collect();
    for secret in [false, true] {
        let builder = CuckooFilter::builder().items(700).false_positive_rate(1e-6);
        let builder = if secret { builder.secret_key(*b"a key of 16 byte") } else { builder };
        let mut filter = builder.build().unwrap();
        let lengths: Vec<usize> = (0..=600).chain([4_095, 65_536, 1 << 20]).collect();
        for &length in &lengths {
            assert!(filter.insert_unique(&bytes[..length]).unwrap(), "{length}");
        }
        assert!(lengths.iter().all(|&length| filter.contains(&bytes[..length])));
        assert!(!filter.contains(&bytes[..601]));
    }
}
