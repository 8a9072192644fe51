//! Headers whose checksums are right and whose claims are not. What they cost is measured in `format_cost.rs`.

use super::samples::{FIELDS, Noise, SEARCH, build, key_of, samples, scaled, seal, seal_all, set};
use cuculus::{CuckooFilter, FileInfo, FilterView, FormatError, Geometry, HashKind, Layout, verify_bytes};

/// Opens, verifies and uses what it is given; nothing may panic, loop or read out of bounds.
fn try_everything(file: &[u8], key: Option<&[u8; 16]>) {
    let _ = FileInfo::read(file);
    if let Ok(view) = FilterView::open(file, key) {
        assert!(view.len() <= view.capacity() && view.capacity() <= view.slots());
        (0..50u64).for_each(|key| _ = (view.contains(&key), view.count(&key)));
        assert!(view.iter().count() as u64 <= view.slots() + view.stashed());
        let _ = (view.false_positive_rate(), view.bits_per_item(), view.load_factor(), view.validate());
        let _ = view.verify();
    }
    let verified = verify_bytes(file);
    if let Ok(mut filter) = CuckooFilter::from_bytes(file, key) {
        assert!(verified.is_ok());
        filter.validate().unwrap();
        let bytes = filter.to_bytes();
        assert!(CuckooFilter::from_bytes(&bytes, key).unwrap() == filter);
        // It works as any filter does.
        for key in 0..20u64 {
            if filter.insert(&key).is_ok() {
                assert!(filter.contains(&key) && filter.remove(&key));
            }
        }
        filter.validate().unwrap();
    }
}

/// Header fields at 0, 1, their maximum and around every power of two, under a right checksum.
#[test]
fn every_field_at_its_limits() {
    for filter in samples() {
        let (file, key) = (filter.to_bytes(), key_of(&filter));
        for field in FIELDS {
            let powers = (0..field.1 as u32 * 8).flat_map(|log| [(1u64 << log) - 1, 1 << log, (1 << log) + 1]);
            for value in powers.chain([u64::MAX, u64::MAX - 1]) {
                let mut forged = file.clone();
                set(&mut forged, field, value);
                if field.0 != 248 {
                    seal(&mut forged);
                }
                try_everything(&forged, key);
            }
        }
    }
}

/// A field outside its range is named, with its value and what is allowed.
#[test]
fn refused_fields_are_named() {
    let file = samples()[0].to_bytes();
    for (field, value, named) in [
        ((10, 2), 255, "header length"),
        ((12, 1), 0, "layout"),
        ((12, 1), 4, "layout"),
        ((13, 1), 3, "placement"),
        ((14, 1), 0, "hash"),
        ((15, 1), 9, "search"),
        ((16, 4), 33, "fingerprint_bits"),
        ((20, 4), 3, "slots_per_bucket"),
        ((24, 4), 2, "wide_slots"),
        ((28, 4), 1_048_577, "search budget"),
        ((32, 8), 7, "buckets"),
        ((32, 8), u64::MAX, "buckets"),
        ((40, 8), 33, "capacity"),
        ((48, 8), 33, "items"),
        ((56, 8), 0, "promised rate"),
        ((56, 8), f64::NAN.to_bits(), "promised rate"),
        ((56, 8), 1.5f64.to_bits(), "promised rate"),
        ((72, 8), 1, "key check"),
        ((88, 4), 2, "compression"),
        ((92, 4), 1, "reserved"),
        ((96, 8), 65, "table bytes"),
        ((104, 8), 65, "stored bytes"),
        ((112, 8), 1, "stash entries"),
        ((240, 8), 1 << 63, "reserved"),
    ] {
        let mut forged = file.clone();
        set(&mut forged, field, value);
        seal(&mut forged);
        match verify_bytes(&forged).unwrap_err() {
            FormatError::Field { name, .. } => assert_eq!(name, named),
            error => panic!("{named}: {error:?}"),
        }
        assert!(FilterView::open(&forged, None).is_err());
    }
}

/// Many fields at once, at random, around what could be valid.
#[test]
fn random_headers() {
    let mut noise = Noise(11);
    let files: Vec<_> = samples().iter().map(|filter| (filter.to_bytes(), key_of(filter))).collect();
    for _ in 0..scaled(100_000) {
        let (file, key) = &files[noise.next() as usize % files.len()];
        let mut forged = file.clone();
        for _ in 0..1 + noise.next() % 4 {
            let field = FIELDS[noise.next() as usize % FIELDS.len()];
            let value = noise.next() >> (noise.next() % 64);
            set(&mut forged, field, value);
        }
        seal(&mut forged);
        try_everything(&forged, *key);
    }
}

/// Tables and stashes of noise under right checksums: validation notices, or it is a filter.
#[test]
fn random_contents() {
    let mut noise = Noise(12);
    for filter in samples() {
        let (file, key) = (filter.to_bytes(), key_of(&filter));
        for _ in 0..scaled(400) {
            let mut forged = file.clone();
            for _ in 0..1 + noise.next() % 3 {
                let at = 256 + noise.next() as usize % (forged.len() - 256);
                forged[at] ^= 1 << (noise.next() % 8);
            }
            seal_all(&mut forged);
            try_everything(&forged, key);
            assert!(FileInfo::read(&forged).is_ok());
        }
    }
}

/// Every change of a stash entry, under right checksums.
#[test]
fn forged_stashes() {
    for filter in samples().into_iter().filter(|filter| filter.stashed() > 0) {
        let (file, key) = (filter.to_bytes(), key_of(&filter));
        let entry = file.len() - 16;
        for (field, values) in [
            ((entry, 8), [0, 1, filter.slots() - 1, filter.slots(), u64::MAX]),
            ((entry + 8, 4), [0, 1, 1 << 12, 1 << 31, u64::MAX]),
            ((entry + 12, 4), [0, 1, 4, 5, u64::MAX]),
        ] {
            for value in values {
                let mut forged = file.clone();
                set(&mut forged, field, value);
                seal_all(&mut forged);
                try_everything(&forged, key);
                assert!(forged == file || verify_bytes(&forged).is_err(), "{field:?} = {value}");
            }
        }
        // Twice the same entry.
        let mut forged = file.clone();
        forged.extend_from_slice(&file[entry..]);
        set(&mut forged, (112, 8), 2);
        seal_all(&mut forged);
        assert!(matches!(verify_bytes(&forged), Err(FormatError::Contents(_))));
    }
}

/// A compressed table is checked stretch by stretch, with the verdicts of a plain one, wherever the damage is.
#[test]
fn compressed_tables_are_checked_as_plain_ones() {
    let mut noise = Noise(13);
    for geometry in [
        Geometry::packed(12, 4, 2_500),
        Geometry::packed(7, 1, 1_024),
        Geometry::packed(32, 8, 2_048),
        Geometry::semi_sorted(9, 2_500),
        Geometry::compact(9, 54, 26, 2_500),
        Geometry::compact(15, 33, 17, 1_026),
        Geometry::compact(8, 62, 0, 3_072),
    ] {
        let mut filter = build(geometry, HashKind::default(), SEARCH);
        (0..geometry.slots() / 20).for_each(|_| filter.insert(&noise.next()).unwrap());
        if geometry.layout == Layout::Compact {
            (0..50u64).for_each(|key| (0..5 + key % 4).for_each(|_| filter.insert(&key).unwrap()));
        }
        let file = filter.to_bytes();
        let (mut good, mut bad) = (0, 0);
        for round in 0..scaled(200) {
            let mut plain = file.clone();
            if round > 0 {
                let bit = noise.next() % (geometry.table_bytes() * 8);
                plain[256 + bit as usize / 8] ^= 1 << (bit % 8);
                if round % 2 == 0 {
                    // One more, one less: the count may be right.
                    let taken = (256..256 + geometry.table_bytes() as usize)
                        .filter(|&at| plain[at] != 0)
                        .nth(noise.next() as usize % 50);
                    taken.into_iter().for_each(|at| plain[at] = 0);
                }
                if round % 5 == 0 {
                    set(&mut plain, (48, 8), filter.len() - 1 + noise.next() % 3);
                }
            }
            seal_all(&mut plain);
            let table = &plain[256..256 + geometry.table_bytes() as usize];
            let stream = miniz_oxide::deflate::compress_to_vec_zlib(table, 6);
            let mut packed = [&plain[..256], &stream, &plain[256 + table.len()..]].concat();
            set(&mut packed, (88, 4), 1);
            set(&mut packed, (104, 8), stream.len() as u64);
            seal_all(&mut packed);
            let contents = |error: FormatError| match error {
                FormatError::Contents(reason) => reason,
                error => panic!("{error}"),
            };
            let verdicts = [verify_bytes(&plain), verify_bytes(&packed)].map(|v| v.map(|info| info.len));
            let [plain, packed] = verdicts.map(|verdict| verdict.map_err(contents));
            // Where two things are wrong, either may be named.
            assert!(plain == packed || (plain.is_err() && packed.is_err()), "{geometry:?}: {plain:?} {packed:?}");
            *if plain.is_ok() { &mut good } else { &mut bad } += 1;
        }
        assert!(good > 0 && bad > 0, "{geometry:?}: {good} {bad}");
    }
}

/// Compressed tables that are longer, shorter, cut, followed by something, or no stream at all.
#[test]
fn forged_streams() {
    let mut filter = CuckooFilter::new(2_000, 0.01).unwrap();
    (0..50u64).for_each(|key| filter.insert(&key).unwrap());
    let file = filter.to_compressed_bytes();
    let table = filter.to_bytes()[256..].to_vec();
    let forge = |stream: &[u8]| {
        let mut forged = [&file[..256], stream].concat();
        set(&mut forged, (104, 8), stream.len() as u64);
        seal_all(&mut forged);
        verify_bytes(&forged)
    };
    let zlib = |table: &[u8]| miniz_oxide::deflate::compress_to_vec_zlib(table, 9);
    let good = zlib(&table);
    assert!(forge(&good).is_ok());
    let refused = |result: Result<FileInfo, FormatError>| assert!(matches!(result, Err(FormatError::Compression(_))));
    refused(forge(&zlib(&[&table[..], &[0]].concat())));
    refused(forge(&zlib(&[table.clone(), vec![0; 100_000]].concat())));
    refused(forge(&zlib(&table[1..])));
    refused(forge(&zlib(&[])).map_err(|_| FormatError::Compression("")));
    for cut in 3..good.len() {
        refused(forge(&good[..cut]));
    }
    refused(forge(&[&good[..], &[0]].concat()));
    refused(forge(&[&good[..], &good[..]].concat()));
    refused(forge(&vec![0x55; good.len()]));
    let mut checksum = good.clone();
    *checksum.last_mut().unwrap() ^= 1;
    refused(forge(&checksum));
}
