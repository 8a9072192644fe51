//! The header of a RedisBloom dump: 38 bytes, everything in them checked.

use crate::bytes::Reader;
use crate::error::LoadError;
use crate::params::MAX_CAPACITY;

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = 38;

/// The most sub-filters, RedisBloom's default bound.
const MOST_PARTS: u64 = 1 << 10;

/// What a dump says of itself. Sub-filter `j` has `buckets x expansion^j` buckets of `bucket_size` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedisBloomHeader {
    /// Items stored.
    pub items: u64,
    /// Buckets of the first sub-filter, a power of two.
    pub buckets: u64,
    /// Items deleted since the last compaction.
    pub deleted: u64,
    /// Sub-filters.
    pub parts: u64,
    /// Slots of a bucket.
    pub bucket_size: u8,
    /// Kept as a parameter.
    pub max_iterations: u16,
    /// Growth from one sub-filter to the next; 0 for a filter of fixed size.
    pub expansion: u16,
}

impl RedisBloomHeader {
    /// Reads a header and checks that it describes a filter that can exist.
    ///
    /// # Errors
    /// [`LoadError`] names the field that cannot be.
    pub fn parse(bytes: &[u8]) -> Result<Self, LoadError> {
        if bytes.len() != HEADER_BYTES {
            return Err(LoadError::NotAHeader);
        }
        let mut input = Reader(bytes);
        let (items, buckets, deleted, parts) = (input.u64()?, input.u64()?, input.u64()?, input.u64()?);
        let (bucket_size, max_iterations, expansion) = (input.u16()?, input.u16()?, input.u16()?);
        let ok = |good: bool, what| if good { Ok(()) } else { Err(LoadError::Parameter(what)) };
        ok((1..=255).contains(&bucket_size), "bucket size")?;
        ok(max_iterations > 0, "max iterations")?;
        ok(expansion == 0 || (expansion.is_power_of_two()), "expansion")?;
        ok(buckets.is_power_of_two() && buckets <= 2 * MAX_CAPACITY, "number of buckets")?;
        ok((1..=MOST_PARTS).contains(&parts) && (expansion > 0 || parts == 1), "number of filters")?;
        let bucket_size = bucket_size as u8;
        let header = RedisBloomHeader { items, buckets, deleted, parts, bucket_size, max_iterations, expansion };
        let bytes = header.table_bytes().ok_or(LoadError::Parameter("number of filters"))?;
        ok(items <= bytes && i64::try_from(deleted).is_ok(), "number of items")?;
        Ok(header)
    }

    /// The 38 bytes.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        for (i, value) in [self.items, self.buckets, self.deleted, self.parts].into_iter().enumerate() {
            bytes[8 * i..8 * i + 8].copy_from_slice(&value.to_le_bytes());
        }
        let small = [u16::from(self.bucket_size), self.max_iterations, self.expansion];
        for (i, value) in small.into_iter().enumerate() {
            bytes[32 + 2 * i..34 + 2 * i].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    /// Buckets of each sub-filter, in order; `None` where one is too large to exist.
    pub(crate) fn part_buckets(&self) -> impl Iterator<Item = Option<u64>> {
        let mut next = Some(self.buckets);
        let factor = u64::from(self.expansion.max(1));
        (0..self.parts).map(move |_| {
            let now = next.filter(|&buckets| buckets <= 1 << 40);
            next = now.and_then(|buckets| buckets.checked_mul(factor));
            now
        })
    }

    /// Bytes of all tables: what the chunks after the header hold together.
    pub fn table_bytes(&self) -> Option<u64> {
        self.part_buckets()
            .try_fold(0u64, |sum, buckets| sum.checked_add(buckets?.checked_mul(u64::from(self.bucket_size))?))
    }
}
