//! The pieces of a dump. The first describes the filter; the others carry the file format's bytes one after the other,
//! each with its place, the dump it belongs to, and a checksum over all of it.

use crate::bytes::{Reader, Writer};
use crate::error::LoadError;
use crate::filter::Filter;
use crate::image::write_lengths;
use twox_hash::XxHash3_64;

/// The most bytes of a filter in one chunk.
pub const CHUNK_BYTES: usize = 1 << 20;

/// What a chunk begins with.
pub(crate) const MAGIC: &[u8; 8] = b"cuculCF\x01";

/// Magic, stream, total and place, before the payload; the checksum follows it.
const FRAME_BYTES: usize = 8 * 4;

/// What the first chunk carries.
pub(crate) mod kind {
    /// A filter of our own.
    pub(crate) const FILTER: u8 = 0;
    /// A RedisBloom dump, and what its filter goes on with.
    pub(crate) const REDISBLOOM: u8 = 1;
}

/// One chunk, taken apart.
pub(crate) struct Chunk<'a> {
    /// Names the filter and its state.
    pub(crate) stream: u64,
    /// Bytes of the table in all chunks.
    pub(crate) total: u64,
    /// Bytes of the table before this chunk; `u64::MAX` in the first chunk.
    pub(crate) place: u64,
    pub(crate) payload: &'a [u8],
}

pub(crate) const FIRST: u64 = u64::MAX;

impl<'a> Chunk<'a> {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(FRAME_BYTES + self.payload.len() + 8));
        out.bytes(MAGIC);
        out.u64(self.stream);
        out.u64(self.total);
        out.u64(self.place);
        out.bytes(self.payload);
        let sum = XxHash3_64::oneshot(&out.0);
        out.u64(sum);
        out.0
    }

    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, LoadError> {
        if !bytes.starts_with(MAGIC) {
            return Err(LoadError::NotAHeader);
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(LoadError::Truncated)?;
        if body.len() < FRAME_BYTES {
            return Err(LoadError::Truncated);
        }
        if XxHash3_64::oneshot(body) != u64::from_le_bytes(*sum) {
            return Err(LoadError::Checksum);
        }
        let mut input = Reader(&body[MAGIC.len()..]);
        Ok(Chunk { stream: input.u64()?, total: input.u64()?, place: input.u64()?, payload: input.0 })
    }
}

/// A filter's dump: its first chunk, and the others by position.
pub struct Dump {
    stream: u64,
    changes: u64,
    state: Vec<u8>,
    tables: Vec<u8>,
}

impl Dump {
    /// Prepares the dump of a filter as it is now.
    pub fn of(filter: &Filter) -> Self {
        let (mut state, mut tables) = (Writer::default(), Writer::default());
        state.u8(kind::FILTER);
        filter.write_state(&mut state);
        write_lengths(&mut state, filter.write_tables(&mut tables));
        let stream = XxHash3_64::oneshot_with_seed(filter.len(), &state.0);
        Dump { stream, changes: filter.changes, state: state.0, tables: tables.0 }
    }

    /// Whether the filter that this is the dump of has not changed since.
    pub fn is_current(&self, filter: &Filter) -> bool {
        self.changes == filter.changes
    }

    /// The first chunk.
    pub fn first(&self) -> Vec<u8> {
        Chunk { stream: self.stream, total: self.tables.len() as u64, place: FIRST, payload: &self.state }.write()
    }

    /// The chunk that begins `place` bytes into the table, and where the next begins; `None` at the end.
    pub fn chunk(&self, place: u64) -> Option<(Vec<u8>, u64)> {
        let start = usize::try_from(place).ok().filter(|&start| start < self.tables.len())?;
        let end = self.tables.len().min(start + CHUNK_BYTES);
        let (stream, total) = (self.stream, self.tables.len() as u64);
        Some((Chunk { stream, total, place, payload: &self.tables[start..end] }.write(), end as u64))
    }
}
