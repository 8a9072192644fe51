//! The shape of a filter: everything that decides where an item may lie and how many bits it takes.

use crate::error::BuildError;

/// How slots lie in memory. Which layouts there are is known to this enum, to the table room and to the builder alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Buckets of 1, 2, 4 or 8 fingerprints side by side, each 4 to 32 bits wide. The fastest; about `(k + 3) / 0.97`
    /// bits an item with four slots a bucket, where `k = log2(1 / rate)`.
    Packed,
    /// Buckets of 4 whose top nibbles are stored sorted, 3,876 cases in 12 bits (paper, section 5.2): a fingerprint of
    /// 5 to 32 bits takes one bit less. `(k + 2) / 0.97` bits an item; inserts and removes are slower than packed.
    SemiSorted,
    /// Four candidate slots in two cache lines of 64 bytes, slots of two widths. The smallest: about `(k + 2) / 0.97` bits
    /// an item, also between whole bits, and nothing to decode. Up to 6 % more at rates below 0.01 %, where a line holds
    /// few slots, and 7.4 bits at 3 % and above: narrower fingerprints are not planned.
    Compact,
}

/// How an item's second bucket follows from the first and the fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// `c(fingerprint) - i mod m`: any even number of buckets.
    AnySize,
    /// `i xor c(fingerprint)`, as in the paper: the number of buckets is a power of two.
    Xor,
}

/// How room is made for an item whose candidate slots are all taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Search {
    /// Breadth-first: the shortest chain of moves, found before anything moves. Looks at up to `positions` buckets (compact: slots).
    BreadthFirst {
        /// The most buckets (compact: slots) looked at by one insert, up to 1,048,576.
        positions: u32,
    },
    /// The paper's random walk: kick a random victim, up to `kicks` times (500 in the paper). A failed walk is undone.
    RandomWalk {
        /// The most kicks of one insert (`max_kicks`), 0 to 1,048,576.
        kicks: u32,
    },
}

impl Search {
    /// The largest budget of either kind.
    pub const MAX_BUDGET: u32 = 1 << 20;

    /// The search for which loads are planned: breadth-first over up to 10,000 buckets, or 20,000 slots in the compact
    /// layout. A weaker one may refuse items before the planned capacity. The average insert into a table filled to 0.95 looks at two or three.
    pub const fn default_for(layout: Layout) -> Self {
        match layout {
            Layout::Packed | Layout::SemiSorted => Search::BreadthFirst { positions: 10_000 },
            Layout::Compact => Search::BreadthFirst { positions: 20_000 },
        }
    }
}

/// The explicit shape of a filter. Make one with [`packed`](Self::packed), [`semi_sorted`](Self::semi_sorted) or
/// [`compact`](Self::compact), or let the [`Builder`](crate::Builder) find the smallest that keeps a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Geometry {
    /// How slots lie in memory.
    pub layout: Layout,
    /// How partner buckets are found.
    pub placement: Placement,
    /// Bits of a fingerprint. Packed: 4 to 32; semi-sorted: 5 to 32 (a slot stores one less); compact: 4 to 31, the
    /// narrow slots' width (wide slots have one more).
    pub fingerprint_bits: u32,
    /// Slots of a bucket: 1, 2, 4 or 8 when packed, 4 semi-sorted; compact: the slots of a line, 2 to 128.
    pub slots_per_bucket: u32,
    /// Compact: how many of a line's slots are one bit wider. 0 in the other layouts.
    pub wide_slots: u32,
    /// Buckets of the table, even and at least 2 (compact: lines of 64 bytes). A power of two under [`Placement::Xor`].
    pub buckets: u64,
}

impl Geometry {
    /// The most buckets of a table.
    pub const MAX_BUCKETS: u64 = 1 << 44;

    /// Packed buckets with any-size placement.
    pub const fn packed(fingerprint_bits: u32, slots_per_bucket: u32, buckets: u64) -> Self {
        Self::new(Layout::Packed, fingerprint_bits, slots_per_bucket, 0, buckets)
    }

    /// Semi-sorted buckets of four with any-size placement.
    pub const fn semi_sorted(fingerprint_bits: u32, buckets: u64) -> Self {
        Self::new(Layout::SemiSorted, fingerprint_bits, 4, 0, buckets)
    }

    /// Lines of `slots` slots, the first `wide` of them `fingerprint_bits + 1` wide, the others `fingerprint_bits`.
    pub const fn compact(fingerprint_bits: u32, slots: u32, wide: u32, lines: u64) -> Self {
        Self::new(Layout::Compact, fingerprint_bits, slots, wide, lines)
    }

    const fn new(layout: Layout, fingerprint_bits: u32, slots_per_bucket: u32, wide_slots: u32, buckets: u64) -> Self {
        Geometry { layout, placement: Placement::AnySize, fingerprint_bits, slots_per_bucket, wide_slots, buckets }
    }

    /// The same shape with another placement.
    pub const fn with_placement(self, placement: Placement) -> Self {
        Geometry { placement, ..self }
    }

    /// Checks every field against its range.
    ///
    /// # Errors
    /// [`BuildError::OutOfRange`] names the first field that is outside, its value and what is allowed.
    pub fn validate(&self) -> Result<(), BuildError> {
        let ok = |good: bool, parameter, value: u64, allowed| match good {
            true => Ok(()),
            false => Err(BuildError::OutOfRange { parameter, value: value.into(), allowed }),
        };
        let (f, b, w) = (self.fingerprint_bits, self.slots_per_bucket, self.wide_slots);
        match self.layout {
            Layout::Packed => {
                ok((4..=32).contains(&f), "fingerprint_bits", f.into(), "4 to 32")?;
                ok(matches!(b, 1 | 2 | 4 | 8), "slots_per_bucket", b.into(), "1, 2, 4 or 8")?;
                ok(w == 0, "wide_slots", w.into(), "0 in the packed layout")?;
            }
            Layout::SemiSorted => {
                ok((5..=32).contains(&f), "fingerprint_bits", f.into(), "5 to 32 in the semi-sorted layout")?;
                ok(b == 4, "slots_per_bucket", b.into(), "4 in the semi-sorted layout")?;
                ok(w == 0, "wide_slots", w.into(), "0 in the semi-sorted layout")?;
            }
            Layout::Compact => {
                ok((4..=31).contains(&f), "fingerprint_bits", f.into(), "4 to 31 in the compact layout")?;
                let fits = (2..=128).contains(&b) && w <= b && b * f + w <= LINE_BITS;
                ok(fits, "slots_per_bucket", b.into(), "2 to 128, and a line of 512 bits holds the slots")?;
                ok(w != 1 && b - w != 1, "wide_slots", w.into(), "neither 1 nor all slots but one")?;
            }
        }
        let m = self.buckets;
        ok((2..=Self::MAX_BUCKETS).contains(&m) && m % 2 == 0, "buckets", m, "even, from 2 to 2^44")?;
        ok(
            self.placement == Placement::AnySize || m.is_power_of_two(),
            "buckets",
            m,
            "a power of two under xor placement",
        )
    }

    /// Slots of the whole table. Of a shape that is not valid, this and the numbers below are the nearest ones that a
    /// variable holds.
    pub const fn slots(&self) -> u64 {
        self.buckets.saturating_mul(self.slots_per_bucket as u64)
    }

    /// Slots in which one item may lie, and so the copies of one item that always fit.
    pub const fn candidate_slots(&self) -> u32 {
        match self.layout {
            Layout::Packed | Layout::SemiSorted => self.slots_per_bucket.saturating_mul(2),
            Layout::Compact => 4,
        }
    }

    /// Bits of one bucket (compact: of one line).
    pub const fn bucket_bits(&self) -> u32 {
        match self.layout {
            Layout::Packed => self.slots_per_bucket.saturating_mul(self.fingerprint_bits),
            Layout::SemiSorted => self.fingerprint_bits.saturating_sub(1).saturating_mul(4),
            Layout::Compact => LINE_BITS,
        }
    }

    /// Bytes of the table, with the padding that lets whole words be read at its end: a multiple of 64.
    pub const fn table_bytes(&self) -> u64 {
        match self.layout {
            Layout::Compact => self.buckets.saturating_mul(64),
            _ => {
                // Of a valid shape at most 2^44 buckets of 2^8 bits: no overflow.
                let used = self.buckets.saturating_mul(self.bucket_bits() as u64).div_ceil(8);
                (used + READ_PAST).next_multiple_of(64)
            }
        }
    }
}

/// Bits of a cache line.
pub(crate) const LINE_BITS: u32 = 512;

/// Bytes past the last slot that a whole-word read may touch.
const READ_PAST: u64 = 7;
