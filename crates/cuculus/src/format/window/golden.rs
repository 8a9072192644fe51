//! The golden files of windows, as those of filters of a fixed size.
#![forbid(unsafe_code)]

use super::WindowInfo;
use crate::format::golden::{SECRET, hex, rewrite, unhex};
use crate::hash::ItemHasher;
use crate::rng::Rng;
use crate::window::{Spec, Steps};
use crate::{Geometry, HashKind, WindowFilter};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

const XXH3: HashKind = HashKind::Xxh3 { seed: 0x0123_4567_89ab_cdef };
const SIP: HashKind = HashKind::SipHash13 { key: SECRET };

struct Golden {
    name: &'static str,
    file: &'static [u8],
    keys: &'static [u8],
    fingerprints: Geometry,
    timed: bool,
    steps: u32,
    ticks: u64,
    hash: HashKind,
}

macro_rules! golden {
    ($name:literal, $fingerprints:expr, $timed:literal, $steps:literal x $ticks:literal, $hash:expr) => {
        Golden {
            name: $name,
            file: include_bytes!(concat!("../../../../../testdata/v3/", $name, ".cuculus")),
            keys: include_bytes!(concat!("../../../../../testdata/v3/", $name, ".keys")),
            fingerprints: $fingerprints,
            timed: $timed,
            steps: $steps,
            ticks: $ticks,
            hash: $hash,
        }
    };
}

/// One for each clock and hash, of classes of even size and of odd ones; one with too little room, whose stash is used.
static GOLDEN: [Golden; 4] = [
    golden!("items-xxh3", Geometry::compact(9, 38, 14, 12), false, 12 x 30, XXH3),
    golden!("time-siphash", Geometry::compact(10, 36, 0, 10), true, 5 x 1_000, SIP),
    golden!("classes-of-odd-size", Geometry::compact(8, 35, 15, 10), true, 60 x 7, XXH3),
    golden!("stash", Geometry::compact(7, 42, 20, 2), false, 3 x 25, XXH3),
];

impl Golden {
    /// Two turnovers with repeats and pauses; lists keys with whether the filter finds them.
    fn build(&self) -> (WindowFilter, String) {
        let cut = Steps::new(self.timed, self.steps, self.ticks);
        let (hasher, fingerprints) = (ItemHasher::new(self.hash), self.fingerprints);
        let capacity = if cut.timed { fingerprints.slots() } else { cut.window() + cut.ticks };
        let spec = Spec { fingerprints, cut, hasher, capacity, promised_rate: 0.02 };
        let mut filter = WindowFilter::from_spec(spec).unwrap();
        let mut rng = Rng::new(self.ticks);
        let mut list = String::new();
        if self.hash == SIP {
            list += &format!("key {}\n", hex(&SECRET));
        }
        let count = cut.window() * 2 + 5;
        let mut keys = Vec::new();
        for number in 0..count.min(800) {
            // Time: the first half evenly, then a pause of some steps, then the rest.
            let pause = if number >= 400 { 3 * self.ticks } else { 0 };
            filter.advance(Duration::from_nanos(number * cut.window() / 250 + pause));
            let key = if number % 5 == 4 { keys[rng.below(number as u32) as usize] } else { rng.next() };
            filter.insert(&key).unwrap();
            keys.push(key);
        }
        for key in keys.iter().rev().step_by(5).take(90).copied().chain((0..40).map(|_| rng.next())) {
            list += &format!("{} {}\n", u32::from(filter.contains(&key)), hex(&key.to_le_bytes()));
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
        if rewrite(&format!("v3/{}", golden.name), &bytes, &keys) {
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
        let filter = WindowFilter::from_bytes(golden.file, golden.key()).unwrap();
        assert!(filter.to_bytes() == golden.file, "{}", golden.name);
        let info = WindowInfo::verify_bytes(golden.file).unwrap();
        assert_eq!((info.len, info.steps, info.geometry), (filter.len(), golden.steps, golden.fingerprints));
        assert_eq!(filter.stashed() > 0, golden.name == "stash");
        let (mut found, mut denied) = (0, 0);
        for line in core::str::from_utf8(golden.keys).unwrap().lines().filter(|line| !line.starts_with("key")) {
            let (count, key) = line.split_once(' ').unwrap();
            let is_in = filter.contains(&unhex(key));
            assert_eq!(u32::from(is_in), count.parse::<u32>().unwrap(), "{}: {line}", golden.name);
            (found, denied) = (found + u32::from(is_in), denied + u32::from(!is_in));
        }
        assert!(found > 20 && denied > 20, "{}: {found}, {denied}", golden.name);
    }
}
