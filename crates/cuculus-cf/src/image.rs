//! A whole filter as bytes and back: what RDB files, copies and digests hold.

use crate::bytes::{Reader, Writer};
use crate::copies::Copies;
use crate::error::LoadError;
use crate::filter::Filter;
use crate::imported::Imported;
use crate::limits::Limits;
use crate::params::Params;
use crate::store::Store;
use twox_hash::XxHash3_64;

const VERSION: u8 = 1;

impl Filter {
    /// Everything but the tables' slots.
    pub(crate) fn write_state(&self, out: &mut Writer) {
        out.u8(VERSION);
        self.params.write(out);
        out.u64(self.deleted);
        out.u64(self.changes);
        out.u8(u8::from(self.compacting) | u8::from(self.mixed) << 1);
        self.copies.write(out);
        self.withdrawn.write(out);
        self.imported.write_sizes(out);
    }

    /// Reads what [`write_state`](Self::write_state) wrote; the table is still missing.
    pub(crate) fn read_state(input: &mut Reader) -> Result<Self, LoadError> {
        let version = input.u8()?;
        if version != VERSION {
            return Err(LoadError::Version(version));
        }
        let params = Params::read(input)?;
        let mut filter = Filter::from_parts(params, Store::NONE, Imported::default());
        filter.deleted = input.u64()?;
        filter.changes = input.u64()?;
        let flags = input.u8()?;
        if flags > 3 {
            return Err(LoadError::Parameter("flags"));
        }
        (filter.compacting, filter.mixed) = (flags & 1 == 1, flags & 2 == 2);
        filter.copies = Copies::read(input)?;
        filter.withdrawn = Copies::read(input)?;
        filter.imported = Imported::read_sizes(input)?;
        Ok(filter)
    }

    /// The slots of all tables: imported ones first, then our own in the file format. Gives the lengths of these.
    pub(crate) fn write_tables(&self, out: &mut Writer) -> Lengths {
        self.imported.write_slots(out);
        self.store.to_bytes().map(|table| {
            table.map(|table| {
                out.bytes(&table);
                table.len() as u64
            })
        })
    }

    /// Puts the tables in, and checks that all parts fit together.
    pub(crate) fn with_tables(mut self, lengths: Lengths, tables: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        let mut input = Reader(tables);
        self.imported.read_slots(&mut input)?;
        let mut table = |len: Option<u64>| {
            let len = len.map(|len| usize::try_from(len).map_err(|_| LoadError::Truncated)).transpose()?;
            len.map(|len| input.take(len)).transpose()
        };
        let (base, grown) = (table(lengths[0])?, table(lengths[1])?);
        self.store = Store::from_bytes(base, grown, &self.params)?;
        input.end()?;
        let present = self.store.len() + self.imported.items() + self.copies.total();
        if self.withdrawn.total() > present || (self.store.tables() == 0 && self.imported.is_empty()) {
            return Err(LoadError::Parameter("table"));
        }
        let bytes = self.memory_bytes();
        if bytes > limits.bytes.saturating_add(size_of::<Self>() as u64) {
            return Err(LoadError::TooLarge { bytes, limit: limits.bytes });
        }
        Ok(self)
    }

    /// The whole filter, its secret key too. Equal filters give equal bytes.
    pub fn to_image(&self) -> Vec<u8> {
        let mut out = Writer::default();
        self.write_state(&mut out);
        let lengths = self.write_tables(&mut out);
        write_lengths(&mut out, lengths);
        let sum = XxHash3_64::oneshot(&out.0);
        out.u64(sum);
        out.0
    }

    /// A filter from [`to_image`](Self::to_image)'s bytes.
    ///
    /// # Errors
    /// [`LoadError`] for anything that this version does not write. Allocates no more than a few times the bytes.
    pub fn from_image(bytes: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        let (body, sum) = bytes.split_last_chunk().ok_or(LoadError::Truncated)?;
        if XxHash3_64::oneshot(body) != u64::from_le_bytes(*sum) {
            return Err(LoadError::Checksum);
        }
        let (body, lengths) =
            body.split_at_checked(body.len().wrapping_sub(LENGTHS_BYTES)).ok_or(LoadError::Truncated)?;
        let lengths = read_lengths(&mut Reader(lengths))?;
        let mut input = Reader(body);
        Self::read_state(&mut input)?.with_tables(lengths, input.0, limits)
    }
}

/// The bytes of the fixed and of the growing table, where they are.
pub(crate) type Lengths = [Option<u64>; 2];

const LENGTHS_BYTES: usize = 16;

/// Of a table that is not there.
const ABSENT: u64 = u64::MAX;

pub(crate) fn write_lengths(out: &mut Writer, lengths: Lengths) {
    lengths.iter().for_each(|len| out.u64(len.unwrap_or(ABSENT)));
}

pub(crate) fn read_lengths(input: &mut Reader) -> Result<Lengths, LoadError> {
    let lengths = [input.u64()?, input.u64()?];
    Ok(lengths.map(|len| Some(len).filter(|&len| len != ABSENT)))
}
