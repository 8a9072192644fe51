//! The golden files: built again here, on every platform, they come out to the same bytes.
//!
//! Rewrite them with `CUCULUS_REWRITE_GOLDEN=1 cargo test -p cuculus --lib golden`, but only for a new format version:
//! files that people have depend on every byte. (A new one starts as an empty file, for `include_bytes!`.)
#![forbid(unsafe_code)]

use super::{FilterView, verify_bytes};
use crate::rng::Rng;
use crate::{CuckooFilter, FormatError, Geometry, HashKind, Layout, Placement, Search};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub(super) const SECRET: [u8; 16] = *b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff";
const XXH3: HashKind = HashKind::Xxh3 { seed: 0x0123_4567_89ab_cdef };
const SIP: HashKind = HashKind::SipHash13 { key: SECRET };
const ANY: Placement = Placement::AnySize;
const XOR: Placement = Placement::Xor;

struct Golden {
    name: &'static str,
    file: &'static [u8],
    keys: &'static [u8],
    geometry: Geometry,
    hash: HashKind,
    search: Search,
    /// Items for each hundred slots.
    load: u64,
    compressed: bool,
}

impl Golden {
    const fn with(self, placement: Placement, hash: HashKind) -> Self {
        Golden { geometry: self.geometry.with_placement(placement), hash, ..self }
    }
}

macro_rules! golden {
    ($name:literal, $geometry:expr) => {
        Golden {
            name: $name,
            file: include_bytes!(concat!("../../../../testdata/v1/", $name, ".cuculus")),
            keys: include_bytes!(concat!("../../../../testdata/v1/", $name, ".keys")),
            geometry: $geometry,
            hash: XXH3,
            search: Search::BreadthFirst { positions: 10_000 },
            load: 85,
            compressed: false,
        }
    };
}

/// One for each layout, placement and hash; then one for each thing that those leave out.
static GOLDEN: [Golden; 17] = [
    golden!("packed-any-xxh3", Geometry::packed(12, 4, 150)).with(ANY, XXH3),
    golden!("packed-any-siphash", Geometry::packed(12, 4, 150)).with(ANY, SIP),
    golden!("packed-xor-xxh3", Geometry::packed(11, 4, 128)).with(XOR, XXH3),
    golden!("packed-xor-siphash", Geometry::packed(11, 4, 128)).with(XOR, SIP),
    golden!("semi-sorted-any-xxh3", Geometry::semi_sorted(13, 150)).with(ANY, XXH3),
    golden!("semi-sorted-any-siphash", Geometry::semi_sorted(13, 150)).with(ANY, SIP),
    golden!("semi-sorted-xor-xxh3", Geometry::semi_sorted(8, 128)).with(XOR, XXH3),
    golden!("semi-sorted-xor-siphash", Geometry::semi_sorted(8, 128)).with(XOR, SIP),
    golden!("compact-any-xxh3", Geometry::compact(9, 54, 26, 14)).with(ANY, XXH3),
    golden!("compact-any-siphash", Geometry::compact(9, 54, 26, 14)).with(ANY, SIP),
    golden!("compact-xor-xxh3", Geometry::compact(11, 44, 28, 16)).with(XOR, XXH3),
    golden!("compact-xor-siphash", Geometry::compact(11, 44, 28, 16)).with(XOR, SIP),
    Golden { load: 2, compressed: true, ..golden!("compressed", Geometry::packed(16, 4, 1_000)) },
    Golden {
        search: Search::RandomWalk { kicks: 500 },
        ..golden!("random-walk-eight-slots", Geometry::packed(7, 8, 50))
    },
    Golden { load: 40, ..golden!("one-slot-of-32-bits", Geometry::packed(32, 1, 302)) },
    golden!("semi-sorted-of-32-bits", Geometry::semi_sorted(32, 74)),
    golden!("compact-classes-of-odd-size", Geometry::compact(15, 33, 17, 20)),
];

/// Every case of XXH3's lengths, and its borders.
const LENGTHS: [usize; 26] =
    [0, 1, 2, 3, 4, 7, 8, 9, 13, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 144, 176, 239, 240, 241, 256, 300];

impl Golden {
    /// Fills to the load with moves on the way, with copies, a full set of candidate slots, and some removals; lists keys
    /// with their counts.
    fn build(&self) -> (CuckooFilter, String) {
        let mut builder = CuckooFilter::builder().geometry(self.geometry).search(self.search);
        builder = match self.hash {
            HashKind::Xxh3 { seed } => builder.seed(seed),
            HashKind::SipHash13 { key } => builder.secret_key(key),
        };
        let mut filter = builder.build().unwrap();
        let mut rng = Rng::new(self.geometry.buckets);
        let lengths = LENGTHS.map(|length| (0..length).map(|_| rng.next() as u8).collect::<Vec<u8>>());
        for key in &lengths {
            filter.insert(key).unwrap();
        }
        let most = match self.geometry.layout {
            Layout::Compact => 7,
            _ => self.geometry.candidate_slots() - 1,
        };
        for _ in 0..most {
            filter.insert("copied").unwrap();
        }
        let wanted = self.geometry.slots() * self.load / 100;
        let fill: Vec<u64> = (filter.len()..wanted).map(|_| rng.next()).collect();
        fill.iter().for_each(|key| filter.insert(key).unwrap());
        assert!(fill.iter().step_by(7).all(|key| filter.remove(key)));

        let mut list = String::new();
        if self.hash == SIP {
            list += &format!("key {}\n", hex(&SECRET));
        }
        let mut line = |key: &[u8]| list += &format!("{} {}\n", filter.count(key), hex(key));
        lengths.iter().for_each(|key| line(key));
        line(b"copied");
        fill.iter().take(40).for_each(|key| line(&key.to_le_bytes()));
        (0..40).for_each(|_| line(&rng.next().to_le_bytes()));
        (filter, list)
    }

    fn bytes(&self, filter: &CuckooFilter) -> Vec<u8> {
        if self.compressed { filter.to_compressed_bytes() } else { filter.to_bytes() }
    }

    fn key(&self) -> Option<&'static [u8; 16]> {
        (self.hash == SIP).then_some(&SECRET)
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Writes a golden file, named with its folder in `testdata`, if that is asked for.
#[cfg(feature = "std")]
pub(super) fn rewrite(name: &str, bytes: &[u8], keys: &str) -> bool {
    let rewrite = std::env::var_os("CUCULUS_REWRITE_GOLDEN").is_some();
    if rewrite {
        let file = format!("{}/../../testdata/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(file.clone() + ".cuculus", bytes).unwrap();
        std::fs::write(file + ".keys", keys).unwrap();
    }
    rewrite
}

#[cfg(not(feature = "std"))]
pub(super) fn rewrite(_: &str, _: &[u8], _: &str) -> bool {
    false
}

/// BR-044, BR-046, BR-047, BR-048: the bytes, built again, on whatever platform this runs.
#[test]
fn golden_files_come_out_the_same() {
    for golden in &GOLDEN {
        let (filter, keys) = golden.build();
        let bytes = golden.bytes(&filter);
        if rewrite(&format!("v1/{}", golden.name), &bytes, &keys) {
            continue;
        }
        // Not `assert_eq!`: nobody wants to read that.
        assert!(bytes == golden.file, "{}: other bytes than the golden file", golden.name);
        assert!(keys.as_bytes() == golden.keys, "{}: other answers than the golden list", golden.name);
    }
}

/// BR-046, BR-053: golden files load, answer as listed, and are saved to the same bytes.
#[test]
fn golden_files_load_and_answer() {
    for golden in GOLDEN.iter().filter(|golden| !golden.file.is_empty()) {
        let filter = CuckooFilter::from_bytes(golden.file, golden.key()).unwrap();
        assert!(golden.bytes(&filter) == golden.file, "{}", golden.name);
        let info = verify_bytes(golden.file).unwrap();
        assert_eq!((info.len, info.geometry, info.compressed), (filter.len(), golden.geometry, golden.compressed));
        let view = FilterView::open(golden.file, golden.key());
        if golden.compressed {
            assert_eq!(view.unwrap_err(), FormatError::Compressed);
        } else {
            assert!(view.unwrap() == filter);
        }
        let lines = core::str::from_utf8(golden.keys).unwrap().lines();
        for line in lines.filter(|line| !line.starts_with("key")) {
            let (count, key) = line.split_once(' ').unwrap();
            let (key, count) = (unhex(key), count.parse::<u32>().unwrap());
            assert_eq!(filter.count(&key), count, "{}: {line}", golden.name);
            assert_eq!(filter.contains(&key), count > 0, "{}: {line}", golden.name);
        }
        if golden.geometry.layout == Layout::Compact {
            assert_eq!(filter.stashed(), 3, "{}", golden.name);
        }
    }
}
