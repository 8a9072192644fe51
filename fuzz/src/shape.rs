//! Filters small enough to be filled to the last slot by a few bytes of input.

use arbitrary::{Arbitrary, Result, Unstructured};
use cuculus::{CuckooFilter, Geometry, HashKind, Placement, Search};

/// A valid small filter's parameters.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub geometry: Geometry,
    pub search: Search,
    pub hash: HashKind,
}

impl<'a> Arbitrary<'a> for Shape {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let xor = u.arbitrary()?;
        let buckets = if xor { 2 << u.int_in_range(0..=4)? } else { 2 * u.int_in_range(1..=20)? };
        let geometry = match u.int_in_range(0..=2)? {
            0 => Geometry::packed(u.int_in_range(4..=32)?, 1 << u.int_in_range(0..=3)?, buckets),
            1 => Geometry::semi_sorted(u.int_in_range(5..=32)?, buckets),
            _ => {
                let bits = u.int_in_range(4..=31)?;
                // All slots of a line could be wide.
                let slots = u.int_in_range(2..=(512 / (bits + 1)).min(128))?;
                // No class of a single slot: it would be its own partner.
                let wide = match u.int_in_range(0..=slots)? {
                    wide if wide == 1 || wide + 1 == slots => 0,
                    wide => wide,
                };
                Geometry::compact(bits, slots, wide, buckets)
            }
        };
        let search = match u.int_in_range(0..=3)? {
            // No chain of moves is longer than the table.
            0 | 1 => Search::BreadthFirst { positions: 10_000 },
            2 => Search::BreadthFirst { positions: u.int_in_range(1..=50)? },
            _ => Search::RandomWalk { kicks: u.int_in_range(0..=500)? },
        };
        let hash = match u.arbitrary()? {
            true => HashKind::SipHash13 { key: u.arbitrary()? },
            false => HashKind::Xxh3 { seed: u.arbitrary()? },
        };
        let placement = if xor { Placement::Xor } else { Placement::AnySize };
        Ok(Shape { geometry: geometry.with_placement(placement), search, hash })
    }
}

impl Shape {
    /// An empty filter.
    pub fn build(&self) -> CuckooFilter {
        CuckooFilter::builder()
            .geometry(self.geometry)
            .search(self.search)
            .hash(self.hash)
            .build()
            .expect("the shape is valid")
    }
}
