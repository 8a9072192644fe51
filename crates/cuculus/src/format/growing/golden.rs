//! The golden files of growing filters, as those of filters of a fixed size.
#![forbid(unsafe_code)]

use super::GrowingInfo;
use crate::format::golden::{SECRET, hex, rewrite, unhex};
use crate::growing::{Parameters, STEPS, Spec};
use crate::hash::ItemHasher;
use crate::rng::Rng;
use crate::{GrowingFilter, HashKind};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const XXH3: HashKind = HashKind::Xxh3 { seed: 0x0123_4567_89ab_cdef };
const SIP: HashKind = HashKind::SipHash13 { key: SECRET };

struct Golden {
    name: &'static str,
    file: &'static [u8],
    keys: &'static [u8],
    parameters: Parameters,
    /// 0 with an open end.
    maximum: u64,
    items: u64,
    hash: HashKind,
}

macro_rules! golden {
    ($name:literal, $slots:literal / $wide:literal x $width:literal, core $core:literal, $rows:literal << $planned:literal, $steps:expr,
     $items:literal of $maximum:literal, $hash:expr) => {
        Golden {
            name: $name,
            file: include_bytes!(concat!("../../../../../testdata/v2/", $name, ".cuculus")),
            keys: include_bytes!(concat!("../../../../../testdata/v2/", $name, ".keys")),
            parameters: Parameters {
                slots: $slots,
                wide: $wide,
                width: $width,
                core: $core,
                rows: $rows,
                planned: $planned,
                full: 880,
                steps: $steps,
            },
            maximum: $maximum,
            items: $items,
            hash: $hash,
        }
    };
}

/// Further bits from these depths on.
const fn steps(first: &[u8]) -> [u8; STEPS] {
    let mut steps = [0; STEPS];
    let mut i = 0;
    while i < first.len() {
        steps[i] = first[i];
        i += 1;
    }
    steps
}

/// Both modes in the middle of a doubling, classes of odd size, bits that lookups leave in planes and bits that they read.
static GOLDEN: [Golden; 4] = [
    golden!("open-xxh3", 42 / 8 x 12, core 4, 1 << 9, steps(&[]), 700 of 0, XXH3),
    golden!("declared-siphash", 50 / 12 x 10, core 0, 3 << 4, steps(&[]), 900 of 4_000, SIP),
    golden!("deep-xxh3", 39 / 17 x 12, core 5, 1 << 2, steps(&[3, 4]), 1_200 of 0, XXH3),
    golden!("declared-odd-xxh3", 45 / 17 x 11, core 0, 5 << 3, steps(&[]), 1_700 of 3_000, XXH3),
];

impl Golden {
    /// Inserts, removes and inserts again, one key seven times; lists keys with their counts.
    fn build(&self) -> (GrowingFilter, String) {
        let hasher = ItemHasher::new(self.hash);
        let first_lines = 2 * u64::from(self.parameters.rows);
        let (parameters, maximum) = (self.parameters, self.maximum);
        let mut filter =
            GrowingFilter::from_spec(Spec { parameters, hasher, maximum, promised_rate: 0.9, first_lines }).unwrap();
        let mut list = String::new();
        if self.hash == SIP {
            list += &format!("key {}\n", hex(&SECRET));
        }
        let mut rng = Rng::new(self.items);
        let keys: Vec<u64> = (0..self.items).map(|_| rng.next()).collect();
        keys.iter().for_each(|key| filter.insert(key).unwrap());
        keys.iter().skip(2).step_by(4).for_each(|key| assert!(filter.remove(key)));
        keys.iter().skip(2).step_by(8).for_each(|key| filter.insert(key).unwrap());
        (0..6).for_each(|_| filter.insert(&keys[0]).unwrap());
        for key in keys.iter().step_by(11).copied().chain((0..60).map(|_| rng.next())) {
            list += &format!("{} {}\n", filter.count(&key), hex(&key.to_le_bytes()));
        }
        (filter, list)
    }

    fn key(&self) -> Option<&'static [u8; 16]> {
        (self.hash == SIP).then_some(&SECRET)
    }
}

/// BR-044, BR-046, BR-047, BR-048: the bytes, built again, on whatever platform this runs.
#[test]
fn golden_files_come_out_the_same() {
    for golden in &GOLDEN {
        let (filter, keys) = golden.build();
        let bytes = filter.to_bytes();
        if rewrite(&format!("v2/{}", golden.name), &bytes, &keys) {
            continue;
        }
        assert!(bytes == golden.file, "{}: other bytes than the golden file", golden.name);
        assert!(keys.as_bytes() == golden.keys, "{}: other answers than the golden list", golden.name);
    }
}

/// BR-046, BR-053: golden files load, answer as listed, and are saved to the same bytes.
#[test]
fn golden_files_load_and_answer() {
    for golden in GOLDEN.iter().filter(|golden| !golden.file.is_empty()) {
        let filter = GrowingFilter::from_bytes(golden.file, golden.key()).unwrap();
        assert!(filter.to_bytes() == golden.file, "{}", golden.name);
        let info = GrowingInfo::read(golden.file).unwrap();
        assert_eq!((info.len, info.slots_per_line), (filter.len(), golden.parameters.slots));
        assert!(info.stash_entries > 0, "{}", golden.name);
        assert_eq!(filter.table.deep, golden.name.starts_with("deep"));
        let split = filter.table.sides.iter().any(|side| side.split > 0);
        assert!(split, "{}: not in the middle of a doubling", golden.name);
        for line in core::str::from_utf8(golden.keys).unwrap().lines().filter(|line| !line.starts_with("key")) {
            let (count, key) = line.split_once(' ').unwrap();
            assert_eq!(filter.count(&unhex(key)), count.parse::<u32>().unwrap(), "{}: {line}", golden.name);
            assert_eq!(filter.contains(&unhex(key)), count != "0", "{}: {line}", golden.name);
        }
    }
}
