//! Small filters of every kind, and a header that can be forged.

use cuculus::{CuckooFilter, Geometry, HashKind, Layout, Placement, Search};

/// A search for tests in which it does not matter.
pub(crate) const SEARCH: Search = Search::BreadthFirst { positions: 1_000 };

pub(crate) const KEY: [u8; 16] = *b"sixteen secrets!";

/// SplitMix64, for reproducible noise.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// How much of the heavy tests to run, in percent.
pub(crate) fn scaled(count: usize) -> usize {
    let percent = std::env::var("CUCULUS_TEST_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    (count * percent / 100).max(1)
}

/// One geometry for each layout, slot count and width there is.
pub(crate) fn geometries() -> Vec<Geometry> {
    let packed = [1, 2, 4, 8].into_iter().flat_map(|b| (4..=32).map(move |f| Geometry::packed(f, b, 16)));
    let semi_sorted = (5..=32).map(|f| Geometry::semi_sorted(f, 16));
    let compact = (4..=31).flat_map(|f| {
        let slots = (512 / (f + 1)).min(128);
        let wide = (512 - slots * f).min(slots);
        let shapes =
            [(slots, 0), (slots, wide), (slots - 1, wide / 2 + 1), (slots & !1, wide & !1), (2, 0), (3, 3), (5, 2)];
        shapes.map(|(slots, wide)| Geometry::compact(f, slots, wide, 2))
    });
    let compact = compact.filter(|geometry| geometry.validate().is_ok());
    packed.chain(semi_sorted).chain(compact).collect()
}

pub(crate) fn build(geometry: Geometry, hash: HashKind, search: Search) -> CuckooFilter {
    CuckooFilter::builder().geometry(geometry).hash(hash).search(search).build().unwrap()
}

/// Inserts running numbers until one is refused.
pub(crate) fn fill(filter: &mut CuckooFilter) {
    (0u64..).find(|key| filter.insert(key).is_err());
}

/// The key of a filter for reading it back.
pub(crate) fn key_of(filter: &CuckooFilter) -> Option<&'static [u8; 16]> {
    matches!(filter.hash_kind(), HashKind::SipHash13 { .. }).then_some(&KEY)
}

/// A filter of each layout, placement, hash and search, about half full; the compact ones with something in the stash.
pub(crate) fn samples() -> Vec<CuckooFilter> {
    let mut all = Vec::new();
    let compact = [Geometry::compact(12, 38, 38, 2), Geometry::compact(9, 53, 35, 2), Geometry::compact(9, 52, 31, 2)];
    for geometry in [Geometry::packed(7, 4, 8), Geometry::semi_sorted(6, 8)].into_iter().chain(compact) {
        for placement in [Placement::AnySize, Placement::Xor] {
            for hash in [HashKind::Xxh3 { seed: 0xfeed_f00d_dead_beef }, HashKind::SipHash13 { key: KEY }] {
                for search in [Search::BreadthFirst { positions: 300 }, Search::RandomWalk { kicks: 77 }] {
                    let mut filter = build(geometry.with_placement(placement), hash, search);
                    (0..filter.slots() / 2).for_each(|key: u64| filter.insert(&key).unwrap());
                    if geometry.layout == Layout::Compact {
                        (0..6).for_each(|_| filter.insert("again").unwrap());
                        assert!(filter.stashed() > 0);
                    }
                    all.push(filter);
                }
            }
        }
    }
    all
}

/// Offset and length of each header field.
pub(crate) const FIELDS: [(usize, usize); 40] = [
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
    (136, 8),
    (144, 8),
    (152, 8),
    (160, 8),
    (168, 8),
    (176, 8),
    (184, 8),
    (192, 8),
    (200, 8),
    (208, 8),
    (216, 8),
    (224, 8),
    (232, 8),
    (240, 8),
    (248, 8),
];

/// Sets a header field.
pub(crate) fn set(file: &mut [u8], (at, length): (usize, usize), value: u64) {
    file[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
}

/// Makes the header's checksum right again.
pub(crate) fn seal(file: &mut [u8]) {
    let sum = twox_hash::XxHash3_64::oneshot(&file[..248]);
    set(file, (248, 8), sum);
}

/// Makes all checksums right again.
pub(crate) fn seal_all(file: &mut [u8]) {
    let stored = u64::from_le_bytes(file[104..112].try_into().unwrap()) as usize;
    let (table, stash) = file[256..].split_at(stored);
    let sums = [table, stash].map(twox_hash::XxHash3_64::oneshot);
    set(file, (120, 8), sums[0]);
    set(file, (128, 8), sums[1]);
    seal(file);
}
