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
        out.u8(self.compacting.into());
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
        let mut filter = Filter::from_parts(params, Store::None, Imported::default());
        filter.deleted = input.u64()?;
        filter.changes = input.u64()?;
        filter.compacting = match input.u8()? {
            0 => false,
            1 => true,
            _ => return Err(LoadError::Parameter("state of compaction")),
        };
        filter.copies = Copies::read(input)?;
        filter.withdrawn = Copies::read(input)?;
        filter.imported = Imported::read_sizes(input)?;
        Ok(filter)
    }

    /// The slots of all tables: imported ones first, then our own in the file format. Says of which kind that is.
    pub(crate) fn write_tables(&self, out: &mut Writer) -> u8 {
        self.imported.write_slots(out);
        let (kind, table) = self.store.to_bytes();
        out.bytes(&table);
        kind
    }

    /// Puts the tables in, and checks that all parts fit together.
    pub(crate) fn with_tables(mut self, kind: u8, tables: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        let mut input = Reader(tables);
        self.imported.read_slots(&mut input)?;
        self.store = Store::from_bytes(kind, input.0, &self.params)?;
        let present = self.store.len() + self.imported.items() + self.copies.total();
        if !self.store.agrees_with(&self.params) || self.withdrawn.total() > present {
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
        let kind = self.write_tables(&mut out);
        out.u8(kind);
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
        let (&kind, body) = body.split_last().ok_or(LoadError::Truncated)?;
        let mut input = Reader(body);
        Self::read_state(&mut input)?.with_tables(kind, input.0, limits)
    }
}
