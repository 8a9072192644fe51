//! Files whose checksums are right and whose claims are not: a typed error, or a filter that works.

use super::files::samples;
use super::rig::{Hashes, scaled};
use core::time::Duration;
use cuculus::{FormatError, WindowFilter, WindowInfo};
use twox_hash::XxHash3_64;

/// Every field of the header: offset and bytes.
const FIELDS: [(usize, usize); 33] = [
    (0, 8),
    (8, 2),
    (10, 2),
    (12, 1),
    (13, 1),
    (14, 1),
    (15, 1),
    (16, 4),
    (20, 4),
    (24, 4),
    (28, 4),
    (32, 8),
    (40, 8),
    (48, 8),
    (56, 8),
    (64, 8),
    (72, 8),
    (80, 8),
    (88, 4),
    (92, 4),
    (96, 8),
    (104, 8),
    (112, 8),
    (120, 8),
    (128, 8),
    (136, 4),
    (140, 4),
    (144, 4),
    (148, 4),
    (152, 8),
    (160, 8),
    (168, 8),
    (176, 8),
];

fn set(file: &mut [u8], (at, bytes): (usize, usize), value: u64) {
    file[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

fn get(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
}

fn seal(file: &mut [u8]) {
    let sum = XxHash3_64::oneshot(&file[..248]);
    set(file, (248, 8), sum);
}

/// Makes all checksums right.
fn seal_all(file: &mut [u8]) {
    let end = 256 + get(file, 104) as usize;
    set(file, (120, 8), XxHash3_64::oneshot(&file.to_vec()[256..end]));
    set(file, (128, 8), XxHash3_64::oneshot(&file.to_vec()[end..]));
    seal(file);
}

/// Opens, verifies and uses what it is given; nothing may panic, loop or take long.
fn try_everything(file: &[u8]) {
    let info = WindowInfo::read(file);
    let verified = WindowInfo::verify_bytes(file);
    match WindowFilter::from_bytes(file, None) {
        Err(error) => assert!(verified.is_err() || matches!(error, FormatError::KeyNeeded), "{error}"),
        Ok(mut filter) => {
            assert_eq!(verified, info);
            filter.validate().unwrap();
            assert!(WindowFilter::from_bytes(&filter.to_bytes(), None).unwrap() == filter);
            let _ = (filter.false_positive_rate(), filter.load_factor(), format!("{filter:?}"));
            for (number, hash) in Hashes(1).take(200).enumerate() {
                if number % 5 == 0 {
                    let now = Duration::from_nanos(get(file, 160)).saturating_add(Duration::from_nanos(hash % 500));
                    filter.advance(now);
                }
                if filter.insert_hash(hash).is_ok() {
                    assert!(filter.contains_hash(hash) && !filter.is_empty());
                }
            }
            filter.validate().unwrap();
        }
    }
}

/// Header fields at 0, 1, their maximum and around every power of two, under a right checksum.
#[test]
fn every_field_at_its_limits() {
    for filter in samples().into_iter().step_by(3) {
        let file = filter.to_bytes();
        for field in FIELDS {
            let powers = (0..field.1 as u32 * 8).flat_map(|log| [(1u64 << log) - 1, 1 << log, (1 << log) + 1]);
            for value in powers.chain([u64::MAX, u64::MAX - 1]) {
                let mut forged = file.clone();
                set(&mut forged, field, value);
                seal(&mut forged);
                try_everything(&forged);
            }
        }
    }
}

/// A field outside its range is named, with its value and what is allowed.
#[test]
fn refused_fields_are_named() {
    let file = samples()[9].to_bytes();
    for (field, value, named) in [
        ((10, 2), 255, "header length"),
        ((12, 1), 3, "layout"),
        ((13, 1), 2, "placement"),
        ((14, 1), 3, "hash"),
        ((15, 1), 1, "reserved"),
        ((16, 4), u32::MAX.into(), "fingerprint_bits"),
        ((20, 4), 129, "slots_per_bucket"),
        ((28, 4), 1, "reserved"),
        ((32, 8), 7, "buckets"),
        ((32, 8), u64::MAX, "buckets"),
        ((40, 8), 0, "capacity"),
        ((40, 8), u64::MAX, "capacity"),
        ((48, 8), u64::MAX, "items"),
        ((56, 8), 0, "promised rate"),
        ((72, 8), 1, "key check"),
        ((80, 8), u64::MAX, "hand"),
        ((88, 4), 1, "reserved"),
        ((92, 4), 1, "reserved"),
        ((96, 8), 65, "table bytes"),
        ((104, 8), 65, "stored bytes"),
        ((112, 8), 65, "stash entries"),
        ((136, 4), 0, "clock"),
        ((136, 4), 3, "clock"),
        ((140, 4), 0, "steps"),
        ((140, 4), 61, "steps"),
        ((144, 4), 7, "stamp bits"),
        ((144, 4), u32::MAX.into(), "stamp bits"),
        ((148, 4), 1, "reserved"),
        ((152, 8), 0, "ticks of a step"),
        ((152, 8), u64::MAX, "ticks of a step"),
        ((168, 8), u64::MAX, "opened"),
        ((176, 8), u64::MAX, "swept"),
        ((184, 8), 1, "reserved"),
        ((240, 8), 1, "reserved"),
    ] {
        let mut forged = file.clone();
        set(&mut forged, field, value);
        seal(&mut forged);
        match WindowInfo::verify_bytes(&forged).unwrap_err() {
            FormatError::Field { name, .. } => assert_eq!(name, named),
            error => panic!("{named}: {error:?}"),
        }
    }
}

/// Many fields at once, at random, around what could be valid.
#[test]
fn random_headers() {
    let files: Vec<_> = samples().iter().map(WindowFilter::to_bytes).collect();
    let mut noise = Hashes(11);
    let mut next = || noise.next().unwrap();
    for _ in 0..scaled(60_000) {
        let mut forged = files[next() as usize % files.len()].clone();
        for _ in 0..1 + next() % 4 {
            let field = FIELDS[next() as usize % FIELDS.len()];
            let old = get(&forged, field.0);
            let value =
                if next() % 3 == 0 { old.wrapping_add(next() % 7).wrapping_sub(3) } else { next() >> (next() % 64) };
            set(&mut forged, field, value);
        }
        seal(&mut forged);
        try_everything(&forged);
    }
}

/// Tables, stamps and stashes of noise under right checksums: validation notices, or it is a filter.
#[test]
fn random_contents() {
    let mut noise = Hashes(12);
    let mut next = || noise.next().unwrap();
    for filter in samples() {
        let file = filter.to_bytes();
        for _ in 0..scaled(200) {
            let mut forged = file.clone();
            let stamps = 256 + get(&forged, 104) as usize;
            for _ in 0..1 + next() % 3 {
                let from = if next() % 2 == 0 { stamps } else { 256 };
                let at = from + next() as usize % (forged.len() - from);
                forged[at] ^= 1 << (next() % 8);
            }
            // The number of items may come out right by chance: then it has to be a filter.
            if next() % 2 == 0 {
                let items = get(&forged, 48).wrapping_add(next() % 3).wrapping_sub(1);
                set(&mut forged, (48, 8), items);
            }
            seal_all(&mut forged);
            try_everything(&forged);
        }
    }
}

/// An expired item that the hand would only reach after its stamp is given again would come back to life.
#[test]
fn nothing_dead_is_left_behind_the_hand() {
    let mut refused = 0;
    for filter in samples().into_iter().filter(|filter| filter.table_bytes() > 1_000) {
        let file = filter.to_bytes();
        let lines = get(&file, 32);
        for hand in 0..lines {
            let mut forged = file.clone();
            set(&mut forged, (80, 8), hand);
            seal(&mut forged);
            refused += u32::from(WindowInfo::verify_bytes(&forged).is_err());
            try_everything(&forged);
        }
    }
    assert!(refused > 0);
}

/// A stash with an entry for every check.
#[test]
fn forged_stashes() {
    for filter in samples() {
        let (mut file, slots) = (filter.to_bytes(), filter.slots());
        file.extend_from_slice(&[0; 16]);
        let entry = file.len() - 16;
        set(&mut file, (112, 8), 1);
        let items = filter.len() + 1;
        set(&mut file, (48, 8), items);
        for cell in [0, 1, slots / 2, slots - 1, slots, u64::MAX] {
            for fingerprint in [0, 1, 2, 31, 1 << 12, 1 << 31, u64::MAX] {
                for stamp in (0..66).chain([u64::MAX]) {
                    set(&mut file, (entry, 8), cell);
                    set(&mut file, (entry + 8, 4), fingerprint);
                    set(&mut file, (entry + 12, 4), stamp);
                    seal_all(&mut file);
                    try_everything(&file);
                }
            }
        }
    }
}

/// Headers that promise much get nothing before it is there.
#[test]
fn claims_are_not_allocated() {
    let file = samples()[10].to_bytes();
    for lines in [1u64 << 20, 1 << 34, 1 << 44] {
        let mut forged = file.clone();
        set(&mut forged, (32, 8), lines);
        set(&mut forged, (96, 8), lines * 64);
        set(&mut forged, (104, 8), lines * 64);
        seal(&mut forged);
        assert!(WindowInfo::read(&forged).is_ok(), "{lines}");
        assert!(matches!(WindowFilter::from_bytes(&forged, None), Err(FormatError::Truncated { .. })));
    }
}
