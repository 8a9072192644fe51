//! Bytes that changed, are missing, or are too many; bytes that were never a filter.

use super::samples::{KEY, Noise, SEARCH, build, key_of, samples, scaled, seal, set};
use cuculus::{CuckooFilter, FileInfo, FilterView, FormatError, Geometry, HashKind, verify_bytes};

/// Three small files, one with a stash and one compressed.
fn files() -> Vec<Vec<u8>> {
    let all = samples();
    let mut sparse = build(Geometry::packed(16, 4, 300), HashKind::default(), SEARCH);
    (0..20u64).for_each(|key| sparse.insert(&key).unwrap());
    let stashed = all.iter().find(|filter| filter.stashed() > 0).unwrap();
    vec![all[0].to_bytes(), stashed.to_bytes(), sparse.to_compressed_bytes()]
}

/// BR-062: each byte, changed to each other value, is noticed by verifying; in header and stash by opening too.
#[test]
fn every_single_byte_change() {
    for file in files() {
        let info = verify_bytes(&file).unwrap();
        let table = 256..256 + info.stored_bytes as usize;
        let mut changed = file.clone();
        for at in 0..file.len() {
            for flip in 1..=255 {
                changed[at] = file[at] ^ flip;
                assert!(verify_bytes(&changed).is_err(), "byte {at} changed by {flip:02x}");
                if !info.compressed && !table.contains(&at) {
                    assert!(FilterView::open(&changed, None).is_err(), "byte {at} changed by {flip:02x}");
                }
                if at < 256 {
                    assert!(FileInfo::read(&changed).is_err(), "byte {at} changed by {flip:02x}");
                }
                if flip % 16 == 1 {
                    assert!(CuckooFilter::from_bytes(&changed, None).is_err());
                }
            }
            changed[at] = file[at];
        }
    }
}

/// BR-062: cut at every length.
#[test]
fn every_truncation() {
    for file in files() {
        for length in 0..file.len() {
            let cut = &file[..length];
            let expected = |error| match error {
                FormatError::NotAFilter { .. } => length == 0,
                FormatError::Truncated { found, expected } => found == length as u64 && expected > found,
                _ => false,
            };
            assert!(expected(verify_bytes(cut).unwrap_err()), "{length}");
            assert!(expected(CuckooFilter::from_bytes(cut, None).unwrap_err()), "{length}");
            assert!(expected(FilterView::open(cut, None).unwrap_err()), "{length}");
            assert_eq!(FileInfo::read(cut).is_ok(), length >= 256);
        }
    }
}

#[test]
fn something_after_the_end() {
    for mut file in files() {
        let expected = FormatError::TrailingBytes { expected: file.len() as u64 };
        file.push(0);
        assert_eq!(verify_bytes(&file).unwrap_err(), expected);
        assert_eq!(CuckooFilter::from_bytes(&file, None).unwrap_err(), expected);
        assert_eq!(FilterView::open(&file, None).unwrap_err(), expected);
    }
}

/// BR-046: a version of tomorrow is named, not guessed.
#[test]
fn unknown_versions() {
    let mut file = files().remove(0);
    for version in [0, 4, 256, u16::MAX] {
        set(&mut file, (8, 2), version.into());
        seal(&mut file);
        let expected = FormatError::UnknownVersion { version, newest: 3 };
        assert_eq!(verify_bytes(&file).unwrap_err(), expected);
        assert_eq!(FilterView::open(&file, None).unwrap_err(), expected);
        assert_eq!(FileInfo::read(&file).unwrap_err(), expected);
    }
}

/// BR-043, BR-063: foreign bytes are refused by name.
#[test]
fn foreign_bytes_are_named() {
    for (bytes, name) in [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), "PNG"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gzip"),
        (b"\x28\xb5\x2f\xfd\x04\x00", "zstd"),
        (b"\x7fELF\x02\x01\x01", "program"),
        (b"", "no bytes"),
        (&[0; 400], "zeros"),
        ("ein Kuckuck\nzwei Möwen\n".as_bytes(), "text"),
        ("Möwen".split_at(1).0.as_bytes(), "text"),
        (b"\xff\xfe\xfd\xfc\0\0", "unknown"),
    ] {
        let error = verify_bytes(bytes).unwrap_err();
        assert!(matches!(error, FormatError::NotAFilter { .. }), "{name}: {error:?}");
        assert!(error.to_string().contains(name), "{name}: {error}");
    }
}

/// BR-078: a filter that went through a text decoder is told so.
#[test]
fn text_decoders_are_named() {
    let file = files().remove(0);
    let lossy = String::from_utf8_lossy(&file).into_owned();
    let latin: String = file.iter().map(|&byte| char::from(byte)).collect();
    for text in [lossy, latin] {
        assert!(verify_bytes(text.as_bytes()).unwrap_err().to_string().contains("text decoder"));
    }
}

/// BR-062: a table that nobody verified gives wrong answers at worst.
#[test]
fn unverified_damage_is_harmless() {
    let mut noise = Noise(3);
    for filter in samples() {
        for round in 0..scaled(40) {
            let mut file = filter.to_bytes();
            let table = 256..256 + filter.table_bytes() as usize;
            match round {
                0 => file[table].fill(0),
                1 => file[table].fill(0xff),
                _ => file[table].iter_mut().for_each(|byte| *byte = noise.next() as u8),
            }
            let view = FilterView::open(&file, key_of(&filter)).unwrap();
            assert!(view.verify().is_err());
            let _ = view.validate();
            let keys: Vec<u64> = (0..200).map(|_| noise.next()).collect();
            let found = view.contains_many(&keys);
            for (key, found) in keys.iter().zip(found) {
                assert_eq!(view.contains(key), found);
                assert!(view.count(key) <= 16 + 4);
            }
            let listed = view.iter().inspect(|(bucket, _)| assert!(*bucket < view.geometry().buckets)).count();
            assert!(listed as u64 <= view.slots() + view.stashed());
            let mut other = build(*filter.geometry(), filter.hash_kind(), filter.search());
            let _ = other.merge(&view);
            assert!(view != filter);
        }
    }
}

/// Damage is named after the part that it is in.
#[test]
fn errors_name_the_part() {
    let filter = samples().into_iter().find(|filter| filter.stashed() > 0 && key_of(filter) == Some(&KEY)).unwrap();
    let file = filter.to_bytes();
    for (at, name) in [(40, "header"), (256, "table"), (file.len() - 1, "stash")] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        match verify_bytes(&changed).unwrap_err() {
            FormatError::Checksum { part, stored, computed } => assert!(part == name && stored != computed),
            error => panic!("{error:?}"),
        }
    }
}
