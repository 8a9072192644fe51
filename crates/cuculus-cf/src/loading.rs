//! A filter that arrives in chunks. Every chunk is checked before anything is kept of it; memory follows what arrives.

use crate::bytes::{Reader, Writer};
use crate::chunk::{Chunk, FIRST, MAGIC, kind};
use crate::error::LoadError;
use crate::filter::Filter;
use crate::image::{Lengths, read_lengths};
use crate::imported::{Imported, Table, taken};
use crate::limits::Limits;
use crate::params::Params;
use crate::redisbloom::RedisBloomHeader;
use crate::store::Store;
use std::collections::TryReserveError;

/// What the first chunk of a dump says.
pub enum Header<'a> {
    /// A chunk of [`Dump`](crate::Dump), or of a load that a replica follows.
    Ours(&'a [u8]),
    /// A dump of RedisBloom; what its filter goes on with is for the caller to say.
    RedisBloom(RedisBloomHeader),
}

impl<'a> Header<'a> {
    /// Tells the formats apart.
    ///
    /// # Errors
    /// [`LoadError`] if it is neither.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, LoadError> {
        match bytes.starts_with(MAGIC) {
            true => Ok(Header::Ours(bytes)),
            false => RedisBloomHeader::parse(bytes).map(Header::RedisBloom),
        }
    }
}

/// A dump of which not all chunks have come.
#[derive(Clone)]
pub struct Loading {
    /// The payload of the first chunk.
    state: Vec<u8>,
    stream: u64,
    total: u64,
    /// The table's bytes so far.
    arrived: Vec<u8>,
    what: What,
}

#[derive(Clone)]
enum What {
    Filter { filter: Box<Filter>, lengths: Lengths },
    RedisBloom { header: RedisBloomHeader, params: Params },
}

impl Loading {
    /// Begins with a first chunk of ours.
    ///
    /// # Errors
    /// [`LoadError`] if it is damaged, or promises more than the limit.
    pub fn begin(chunk: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        let chunk = Chunk::parse(chunk)?;
        if chunk.place != FIRST {
            return Err(LoadError::OutOfOrder { expected: 0, found: chunk.place });
        }
        Self::from_state(chunk.payload.to_vec(), chunk.stream, chunk.total, limits)
    }

    /// Begins with RedisBloom's header. The filter goes on with `params`, whose numbers the header gives.
    ///
    /// # Errors
    /// [`LoadError`] if the tables are larger than the limit.
    pub fn begin_redisbloom(header: RedisBloomHeader, params: Params, limits: &Limits) -> Result<Self, LoadError> {
        let mut state = Writer::default();
        state.u8(kind::REDISBLOOM);
        state.bytes(&header.to_bytes());
        params.write(&mut state);
        Self::from_state(state.0, 0, header.table_bytes().unwrap_or(u64::MAX), limits)
    }

    fn from_state(state: Vec<u8>, stream: u64, total: u64, limits: &Limits) -> Result<Self, LoadError> {
        let mut input = Reader(&state);
        let what = match input.u8()? {
            kind::FILTER => {
                let filter = Box::new(Filter::read_state(&mut input)?);
                What::Filter { filter, lengths: read_lengths(&mut input)? }
            }
            kind::REDISBLOOM => {
                let header = RedisBloomHeader::parse(input.take(38)?)?;
                if header.table_bytes() != Some(total) {
                    return Err(LoadError::Parameter("length"));
                }
                What::RedisBloom { header, params: Params::read(&mut input)? }
            }
            _ => return Err(LoadError::NotAHeader),
        };
        input.end()?;
        if total == 0 {
            return Err(LoadError::Parameter("length"));
        }
        if total > limits.bytes.saturating_add(1024) {
            return Err(LoadError::TooLarge { bytes: total, limit: limits.bytes });
        }
        Ok(Loading { state, stream, total, arrived: Vec::new(), what })
    }

    /// The first chunk, in our format also for RedisBloom's dumps: what a replica is sent.
    pub fn first_chunk(&self) -> Vec<u8> {
        Chunk { stream: self.stream, total: self.total, place: FIRST, payload: &self.state }.write()
    }

    /// What has arrived, as a chunk at position [`position`](Self::position).
    pub fn arrived_chunk(&self) -> Vec<u8> {
        match self.what {
            What::Filter { .. } => {
                Chunk { stream: self.stream, total: self.total, place: 0, payload: &self.arrived }.write()
            }
            What::RedisBloom { .. } => self.arrived.clone(),
        }
    }

    /// The position that the last accepted chunk had; 1 after the first.
    pub fn position(&self) -> u64 {
        self.arrived.len() as u64 + 1
    }

    /// Whether nothing has arrived after the first chunk.
    pub fn is_new(&self) -> bool {
        self.arrived.is_empty()
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> u64 {
        (size_of::<Self>() + size_of::<Filter>() + self.state.len() + self.arrived.capacity()) as u64
    }

    /// Keeps the next chunk; whether it was the last.
    fn add(&mut self, position: u64, bytes: &[u8]) -> Result<bool, LoadError> {
        let expected = self.arrived.len() as u64;
        let (place, payload) = match self.what {
            What::Filter { .. } => {
                let chunk = Chunk::parse(bytes)?;
                if (chunk.stream, chunk.total) != (self.stream, self.total) {
                    return Err(LoadError::AnotherDump);
                }
                (chunk.place, chunk.payload)
            }
            What::RedisBloom { .. } => {
                let end = position.checked_sub(1).and_then(|end| end.checked_sub(bytes.len() as u64));
                (end.ok_or(LoadError::OutOfOrder { expected, found: 0 })?, bytes)
            }
        };
        let end = place.checked_add(payload.len() as u64).ok_or(LoadError::Truncated)?;
        if place != expected || position != end.wrapping_add(1) || payload.is_empty() {
            return Err(LoadError::OutOfOrder { expected, found: place });
        }
        if end > self.total {
            return Err(LoadError::TrailingBytes);
        }
        let room = (self.total as usize).min(2 * self.arrived.capacity().max(payload.len()));
        let more = room.max(end as usize) - self.arrived.len();
        self.arrived.try_reserve_exact(more).map_err(|_: TryReserveError| LoadError::Allocation)?;
        self.arrived.extend_from_slice(payload);
        Ok(end == self.total)
    }

    /// Takes the next chunk, and gives the whole filter when it was the last. `position` is what came with the chunk: the
    /// bytes up to its end, plus one.
    ///
    /// # Errors
    /// [`LoadError`] if the chunk is damaged, repeated, of another dump or not the next, or if the whole is wrong. Nothing is
    /// kept of the chunk then.
    pub fn take(&mut self, position: u64, bytes: &[u8], limits: &Limits) -> Result<Option<Filter>, LoadError> {
        let before = self.arrived.len();
        if !self.add(position, bytes)? {
            return Ok(None);
        }
        self.finish(limits).map(Some).inspect_err(|_| self.arrived.truncate(before))
    }

    fn finish(&self, limits: &Limits) -> Result<Filter, LoadError> {
        match &self.what {
            What::Filter { filter, lengths } => filter.as_ref().clone().with_tables(*lengths, &self.arrived, limits),
            What::RedisBloom { header, params } => {
                let found = taken(&self.arrived);
                if found != header.items {
                    return Err(LoadError::Count { expected: header.items, found });
                }
                let (mut rest, mut tables) = (self.arrived.as_slice(), Vec::new());
                for buckets in header.part_buckets() {
                    let buckets = buckets.ok_or(LoadError::Parameter("number of buckets"))?;
                    let (slots, more) = rest.split_at(buckets as usize * usize::from(header.bucket_size));
                    tables.push(Table::new(buckets, header.bucket_size, slots.to_vec()));
                    rest = more;
                }
                let mut filter = Filter::from_parts(*params, Store::NONE, Imported::new(tables, found));
                filter.deleted = header.deleted;
                Ok(filter)
            }
        }
    }

    /// Everything, for an RDB file.
    pub fn to_image(&self) -> Vec<u8> {
        let mut out = Writer::default();
        let first = self.first_chunk();
        out.u64(first.len() as u64);
        out.bytes(&first);
        out.bytes(&self.arrived);
        out.0
    }

    /// From [`to_image`](Self::to_image)'s bytes.
    ///
    /// # Errors
    /// [`LoadError`] for anything that this version does not write.
    pub fn from_image(bytes: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        let mut input = Reader(bytes);
        let first = input.len()?;
        let mut loading = Self::begin(input.take(first)?, limits)?;
        if input.0.len() as u64 >= loading.total {
            return Err(LoadError::TrailingBytes);
        }
        loading.arrived = input.0.to_vec();
        Ok(loading)
    }
}
