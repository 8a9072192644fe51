//! Shapes whose slots lie in all kinds of ways across words, and a generator.

use cuculus::{CuckooFilter, Geometry, SyncFilter};

/// SplitMix64.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

pub fn scaled(count: u64) -> u64 {
    let percent = std::env::var("CUCULUS_TEST_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    (count * percent / 100).max(1)
}

/// About `slots` slots each: buckets of one word and of several, whole bytes or not, and lines with classes of even and
/// of odd size.
pub fn shapes(slots: u64) -> Vec<Geometry> {
    let packed = |f: u32, b: u32| Geometry::packed(f, b, (slots / u64::from(b)).next_multiple_of(2).max(2));
    let compact =
        |f: u32, b: u32, wide: u32| Geometry::compact(f, b, wide, (slots / u64::from(b)).next_multiple_of(2).max(2));
    vec![
        packed(12, 4),
        packed(13, 4),
        packed(16, 4),
        packed(32, 4),
        packed(9, 8),
        packed(21, 2),
        packed(17, 1),
        compact(8, 59, 40),
        compact(13, 38, 18),
        compact(15, 33, 17),
        compact(31, 16, 16),
    ]
}

pub fn build(geometry: Geometry) -> CuckooFilter {
    CuckooFilter::builder().geometry(geometry).build().unwrap()
}

pub fn share(geometry: Geometry) -> SyncFilter {
    SyncFilter::try_from(build(geometry)).unwrap()
}
