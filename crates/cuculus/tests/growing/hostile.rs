//! Files whose checksums are right and whose claims are not: a typed error, or a filter that works.

use crate::files::samples;
use crate::rig::{Hashes, scaled};
use cuculus::{FormatError, GrowingFilter, GrowingInfo};
use twox_hash::XxHash3_64;

/// Every field of the header: offset and bytes.
const FIELDS: [(usize, usize); 36] = [
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
    (152, 1),
    (153, 1),
    (154, 1),
    (160, 1),
    (167, 1),
    (168, 8),
    (240, 8),
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
    let sums = [&file[256..end], &file[end..]].map(XxHash3_64::oneshot);
    set(file, (120, 8), sums[0]);
    set(file, (128, 8), sums[1]);
    seal(file);
}

/// Opens, verifies and uses what it is given; nothing may panic, loop or take long.
fn try_everything(file: &[u8]) {
    let info = GrowingInfo::read(file);
    let verified = GrowingInfo::verify_bytes(file);
    match GrowingFilter::from_bytes(file, None) {
        Err(error) => assert!(verified.is_err() || matches!(error, FormatError::KeyNeeded), "{error}"),
        Ok(mut filter) => {
            assert_eq!(verified, info);
            filter.validate().unwrap();
            assert!(GrowingFilter::from_bytes(&filter.to_bytes(), None).unwrap() == filter);
            let _ = (filter.false_positive_rate(), filter.load_factor(), format!("{filter:?}"));
            let mut stored = Vec::new();
            for hash in Hashes(1).take(200) {
                if filter.insert_hash(hash).is_ok() {
                    stored.push(hash);
                }
            }
            assert!(filter.contains_many_hash(&stored).iter().all(|&found| found));
            assert!(stored.iter().all(|&hash| filter.contains_hash(hash) && filter.count_hash(hash) > 0));
            assert!(stored.iter().all(|&hash| filter.remove_hash(hash)));
            filter.compact(20);
            assert_eq!(filter.validate(), Ok(()), "{filter:?}");
        }
    }
}

/// Header fields at 0, 1, their maximum and around every power of two, under a right checksum.
#[test]
fn every_field_at_its_limits() {
    for filter in samples().into_iter().filter(|filter| filter.len() < 6_000) {
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
    // Of both modes, with a stash.
    for (file, open) in samples().iter().rev().map(GrowingFilter::to_bytes).zip([false, true]) {
        let (named_by_mode, most) = if open { ("maximum", 50) } else { ("steps", 32) };
        for (field, value, named) in [
            ((10, 2), 255, "header length"),
            ((12, 1), 3, "layout"),
            ((13, 1), 1, "reserved"),
            ((14, 1), 3, "hash"),
            ((15, 1), 1, "reserved"),
            ((16, 4), 7, "slot bits"),
            ((16, 4), most, "slot bits"),
            ((16, 4), u32::MAX.into(), "slot bits"),
            ((20, 4), 3, "slots a line"),
            ((20, 4), 65, "slots a line"),
            ((24, 4), 1, "wide slots"),
            ((24, 4), u32::MAX.into(), "wide slots"),
            ((28, 4), 3, "core bits"),
            ((28, 4), 17, "core bits"),
            ((32, 8), 1, "lines"),
            ((32, 8), u64::MAX, "lines"),
            ((40, 8), u64::MAX, "maximum"),
            ((48, 8), u64::MAX, "items"),
            ((56, 8), 0, "promised rate"),
            ((72, 8), 1, "key check"),
            ((80, 8), 0, "first lines"),
            ((88, 4), 1, "compression"),
            ((92, 4), 1, "reserved"),
            ((96, 8), 65, "table bytes"),
            ((104, 8), 65, "stored bytes"),
            ((112, 8), u64::MAX, "stash entries"),
            ((136, 4), 0, "rows"),
            ((136, 4), 129, "rows"),
            ((140, 4), 37, "planned address bits"),
            ((144, 4), 511, "load at a split"),
            ((144, 4), 973, "load at a split"),
            ((148, 4), 1, "reserved"),
            ((152, 1), 1, "steps"),
            ((167, 1), 63, "steps"),
            ((168, 8), 1, "reserved"),
            ((240, 8), 1, "reserved"),
            (if open { (40, 8) } else { (152, 1) }, 40, named_by_mode),
        ] {
            let mut forged = file.clone();
            set(&mut forged, field, value);
            seal(&mut forged);
            match GrowingInfo::verify_bytes(&forged).unwrap_err() {
                FormatError::Field { name, .. } => assert_eq!(name, named, "{field:?} = {value}"),
                error => panic!("{named}: {error:?}"),
            }
        }
    }
}

/// Many fields at once, at random, around what could be valid.
#[test]
fn random_headers() {
    let files: Vec<_> = samples().iter().filter(|filter| filter.len() < 2_000).map(GrowingFilter::to_bytes).collect();
    let mut noise = Hashes(11);
    let mut next = || noise.next().unwrap();
    for _ in 0..scaled(20_000) {
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

/// Tables and stashes of noise under right checksums: validation notices, or it is a filter.
#[test]
fn random_contents() {
    let mut noise = Hashes(12);
    let mut next = || noise.next().unwrap();
    for filter in samples().into_iter().filter(|filter| filter.len() < 2_500) {
        let file = filter.to_bytes();
        for _ in 0..scaled(100) {
            let mut forged = file.clone();
            let stash = 256 + get(&forged, 104) as usize;
            for _ in 0..1 + next() % 3 {
                let from = if next() % 2 == 0 && stash < forged.len() { stash } else { 256 };
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

/// Headers that promise much get nothing before it is there.
#[test]
fn claims_are_not_allocated() {
    // An open end: its sizes have no bound but the address.
    let file = samples().iter().rev().nth(1).unwrap().to_bytes();
    for log in [20, 30, 37] {
        let mut forged = file.clone();
        // A doubling just done, far above what is planned: no planes, lines alone.
        set(&mut forged, (32, 8), 1 << log);
        set(&mut forged, (96, 8), 64 << log);
        set(&mut forged, (104, 8), 64 << log);
        set(&mut forged, (152, 8), 0);
        set(&mut forged, (160, 8), 0);
        seal(&mut forged);
        assert!(GrowingInfo::read(&forged).is_ok(), "{log}: {:?}", GrowingInfo::read(&forged));
        assert!(matches!(GrowingFilter::from_bytes(&forged, None), Err(FormatError::Truncated { .. })));
    }
}
