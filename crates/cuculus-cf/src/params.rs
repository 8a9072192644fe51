//! What a filter is made with. All of it is written out when a creation is replicated, so nothing depends on a default.

use crate::bytes::{Reader, Writer};
use crate::error::LoadError;
use cuculus::{HashKind, Layout};

/// The most items a filter is made for: RedisBloom's bound.
pub const MAX_CAPACITY: u64 = 1 << 30;

/// How the table lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The smallest.
    Compact,
    /// Buckets of four, one bit an item more.
    Packed,
    /// Buckets of four with sorted nibbles.
    SemiSorted,
    /// Lines that split one by one: half as much again, but small at first, and the only one that merges at any size.
    Growing,
}

impl Shape {
    /// Every shape, in the order of their codes.
    pub const ALL: [Shape; 4] = [Shape::Compact, Shape::Packed, Shape::SemiSorted, Shape::Growing];

    /// The name, as `LAYOUT` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Compact => "compact",
            Shape::Packed => "packed",
            Shape::SemiSorted => "semi-sorted",
            Shape::Growing => "growing",
        }
    }

    /// The shape of a name, in any case.
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name().as_bytes().eq_ignore_ascii_case(name))
    }

    /// The library's layout of a table of fixed size.
    pub(crate) fn layout(self) -> Layout {
        match self {
            Shape::Compact | Shape::Growing => Layout::Compact,
            Shape::Packed => Layout::Packed,
            Shape::SemiSorted => Layout::SemiSorted,
        }
    }

    /// Slots in which one item may lie.
    pub fn candidate_slots(self) -> u32 {
        match self {
            Shape::Compact | Shape::Growing => 4,
            Shape::Packed | Shape::SemiSorted => 8,
        }
    }
}

/// What a filter is made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Items for which room is made at once, and, without expansion, the most. 2 x `bucket_size` to [`MAX_CAPACITY`].
    pub capacity: u64,
    /// 1 to 255: one item is stored at most `max(2 x bucket_size, candidate slots)` times. The table has its own buckets.
    pub bucket_size: u8,
    /// 1 to 65,535: kept and reported. The search for room has a bound of its own, for which the capacity is promised.
    pub max_iterations: u16,
    /// 0: the filter is full at its capacity. Else it grows, a line at a time, whatever the number. A power of two.
    pub expansion: u16,
    /// The promised false-positive rate.
    pub rate: f64,
    /// The layout of the table. `Growing` needs an expansion; the others go on in a growing table when they are full.
    pub shape: Shape,
    /// The hash of the items.
    pub hash: HashKind,
}

/// From this capacity up a growing filter begins with a table of fixed size, where nothing else is said.
const LARGE: u64 = 100_000;

impl Params {
    /// The layout of a filter for which none is named: `fixed` where it does not grow.
    pub fn usual_shape(capacity: u64, expansion: u16, fixed: Shape) -> Shape {
        match (expansion > 0, capacity >= LARGE) {
            (false, _) => fixed,
            (true, true) => Shape::Compact,
            (true, false) => Shape::Growing,
        }
    }

    /// `expansion` as it is kept: rounded up to a power of two, at most 32,768.
    pub fn round_expansion(expansion: u16) -> u16 {
        if expansion == 0 { 0 } else { expansion.checked_next_power_of_two().unwrap_or(1 << 15) }
    }

    /// Whether the filter grows.
    pub fn grows(&self) -> bool {
        self.expansion > 0
    }

    /// How often one item may be stored.
    pub fn most_copies(&self) -> u32 {
        self.shape.candidate_slots().max(2 * u32::from(self.bucket_size))
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        out.u64(self.capacity);
        out.u8(self.bucket_size);
        out.u16(self.max_iterations);
        out.u16(self.expansion);
        out.u64(self.rate.to_bits());
        out.u8(Shape::ALL.iter().position(|shape| *shape == self.shape).unwrap_or(0) as u8);
        match self.hash {
            HashKind::SipHash13 { key } => {
                out.u8(1);
                out.bytes(&key);
            }
            HashKind::Xxh3 { seed } => {
                out.u8(0);
                out.u64(seed);
                out.u64(0);
            }
            _ => unreachable!("the library has two hashes"),
        }
    }

    pub(crate) fn read(input: &mut Reader) -> Result<Self, LoadError> {
        let params = Params {
            capacity: input.u64()?,
            bucket_size: input.u8()?,
            max_iterations: input.u16()?,
            expansion: input.u16()?,
            rate: f64::from_bits(input.u64()?),
            shape: *Shape::ALL.get(usize::from(input.u8()?)).ok_or(LoadError::Parameter("layout"))?,
            hash: match input.u8()? {
                0 => {
                    let seed = input.u64()?;
                    if input.u64()? != 0 {
                        return Err(LoadError::Parameter("seed"));
                    }
                    HashKind::Xxh3 { seed }
                }
                1 => HashKind::SipHash13 { key: input.array()? },
                _ => return Err(LoadError::Parameter("hash")),
            },
        };
        params.check()?;
        Ok(params)
    }

    /// The secret key, where there is one.
    pub(crate) fn key(&self) -> Option<&[u8; 16]> {
        match &self.hash {
            HashKind::SipHash13 { key } => Some(key),
            _ => None,
        }
    }

    fn check(&self) -> Result<(), LoadError> {
        let ok = |good: bool, what| if good { Ok(()) } else { Err(LoadError::Parameter(what)) };
        ok(self.bucket_size > 0, "bucket size")?;
        ok((2 * u64::from(self.bucket_size)..=MAX_CAPACITY).contains(&self.capacity), "capacity")?;
        ok(self.max_iterations > 0, "max iterations")?;
        ok(self.expansion == 0 || (self.expansion.is_power_of_two()), "expansion")?;
        ok(self.rate > 0.0 && self.rate < 1.0, "rate")?;
        ok(self.expansion > 0 || self.shape != Shape::Growing, "layout of a filter that does not grow")
    }
}
