//! The first 256 bytes of a growing filter: what both kinds of filters have is where filters of a fixed size have it.
#![forbid(unsafe_code)]

use super::stash::ENTRY_BYTES;
use crate::format::FormatError;
use crate::format::header::{Fields, FilterKind, HEADER_BYTES, MAGIC, StoredHash, at, check_length};
use crate::format::header::{require, seal, start_of};
use crate::growing::{GrowingFilter, Parameters, STEPS, Shape, Spec, Stash, table_bytes};
use crate::hash::ItemHasher;

/// The version of the format that brought growing filters.
pub(in crate::format) const GROWING_VERSION: u16 = 2;

/// The layout's code.
const LAYOUT: u8 = 4;

/// Byte offsets of the fields that filters of a fixed size have not got.
mod own {
    pub(super) const CORE: usize = 28;
    pub(super) const LINES: usize = 32;
    pub(super) const MAXIMUM: usize = 40;
    pub(super) const FIRST_LINES: usize = 80;
    pub(super) const ROWS: usize = 136;
    pub(super) const PLANNED: usize = 140;
    pub(super) const FULL: usize = 144;
    pub(super) const STEPS: usize = 152;
}

/// The header's fields. One that came out of [`parse`](Self::parse) has every field in its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) parameters: Parameters,
    pub(super) hash: StoredHash,
    pub(super) maximum: u64,
    pub(super) promised_rate: f64,
    pub(super) first_lines: u64,
    pub(super) lines: u64,
    pub(super) len: u64,
    pub(super) stash_entries: u64,
    pub(super) table_checksum: u64,
    pub(super) stash_checksum: u64,
}

impl Header {
    /// The header of a filter, without its checksums.
    pub(super) fn of(filter: &GrowingFilter) -> Self {
        let Spec { parameters, hasher, maximum, promised_rate, first_lines } = filter.spec;
        Header {
            parameters,
            hash: StoredHash::of(&hasher),
            maximum,
            promised_rate,
            first_lines,
            lines: filter.table.lines,
            len: filter.len,
            stash_entries: filter.stash.len() as u64,
            table_checksum: 0,
            stash_checksum: 0,
        }
    }

    pub(super) fn shape(&self) -> Shape {
        Shape::new(self.parameters)
    }

    pub(super) fn spec(&self, hasher: ItemHasher) -> Spec {
        let Header { parameters, maximum, promised_rate, first_lines, .. } = *self;
        Spec { parameters, hasher, maximum, promised_rate, first_lines }
    }

    pub(super) fn table_bytes(&self) -> u64 {
        table_bytes(&self.shape(), self.lines)
    }

    /// Bytes of the whole file.
    pub(super) fn file_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.table_bytes() + self.stash_entries * ENTRY_BYTES as u64
    }

    /// Fails if a file of this length is not exactly as long as the header says.
    pub(super) fn check_length(&self, found: u64) -> Result<(), FormatError> {
        check_length(self.file_bytes(), found)
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        let (hash, seed, key_check) = self.hash.fields();
        let p = &self.parameters;
        put(0, &MAGIC);
        put(at::VERSION, &GROWING_VERSION.to_le_bytes());
        put(at::HEADER_BYTES, &(HEADER_BYTES as u16).to_le_bytes());
        put(at::LAYOUT, &[LAYOUT, 0, hash, 0]);
        put(at::FINGERPRINT_BITS, &p.width.to_le_bytes());
        put(at::SLOTS_PER_BUCKET, &p.slots.to_le_bytes());
        put(at::WIDE_SLOTS, &p.wide.to_le_bytes());
        put(own::CORE, &p.core.to_le_bytes());
        put(own::LINES, &self.lines.to_le_bytes());
        put(own::MAXIMUM, &self.maximum.to_le_bytes());
        put(at::LEN, &self.len.to_le_bytes());
        put(at::RATE, &self.promised_rate.to_bits().to_le_bytes());
        put(at::SEED, &seed.to_le_bytes());
        put(at::KEY_CHECK, &key_check.to_le_bytes());
        put(own::FIRST_LINES, &self.first_lines.to_le_bytes());
        put(at::TABLE_BYTES, &self.table_bytes().to_le_bytes());
        put(at::STORED_BYTES, &self.table_bytes().to_le_bytes());
        put(at::STASH_ENTRIES, &self.stash_entries.to_le_bytes());
        put(at::TABLE_CHECKSUM, &self.table_checksum.to_le_bytes());
        put(at::STASH_CHECKSUM, &self.stash_checksum.to_le_bytes());
        put(own::ROWS, &p.rows.to_le_bytes());
        put(own::PLANNED, &p.planned.to_le_bytes());
        put(own::FULL, &p.full.to_le_bytes());
        put(own::STEPS, &p.steps);
        seal(header)
    }

    /// Reads the header from the first bytes of a file and checks all of it; nothing is allocated.
    pub(super) fn parse(first: &[u8]) -> Result<Self, FormatError> {
        Self::check(&start_of(FilterKind::Growing, first)?)
    }

    /// Every field against its range, each only after those that its own range depends on.
    fn check(fields: &Fields<'_>) -> Result<Self, FormatError> {
        // 1. What must be as it is.
        fields.check_header_length()?;
        let code = |at: usize| u64::from(fields.u8(at));
        require(fields.u8(at::LAYOUT) == LAYOUT, "layout", code(at::LAYOUT), "4 (growing) in version 2")?;
        for at in [at::PLACEMENT, at::SEARCH] {
            require(fields.u8(at) == 0, "reserved", code(at), "0")?;
        }
        let compression = u64::from(fields.u32(at::COMPRESSION));
        require(compression == 0, "compression", compression, "0 (none) in growing filters")?;
        for at in [at::RESERVED_WORD, own::FULL + 4] {
            require(fields.u32(at) == 0, "reserved", fields.u32(at).into(), "0")?;
        }
        for at in (own::STEPS + STEPS..at::CHECKSUM).step_by(8) {
            require(fields.u64(at) == 0, "reserved", fields.u64(at), "0")?;
        }
        let hash = fields.hash()?;
        // 2. The shape, by the validator that building a filter uses too; only then its sizes mean something.
        let parameters = Parameters {
            slots: fields.u32(at::SLOTS_PER_BUCKET),
            wide: fields.u32(at::WIDE_SLOTS),
            width: fields.u32(at::FINGERPRINT_BITS),
            core: fields.u32(own::CORE),
            rows: fields.u32(own::ROWS),
            planned: fields.u32(own::PLANNED),
            full: fields.u32(own::FULL),
            steps: fields.bytes(own::STEPS),
        };
        parameters.validate().map_err(|(name, value, allowed)| FormatError::Field {
            name,
            value: value.into(),
            allowed,
        })?;
        // 3. Sizes and counts.
        let shape = Shape::new(parameters);
        let (least, most) = (2 * shape.lines(0), 2 * shape.most_lines());
        let (first_lines, lines) = (fields.u64(own::FIRST_LINES), fields.u64(own::LINES));
        require((least..=most).contains(&first_lines), "first lines", first_lines, "what the shape allows")?;
        require(
            (first_lines..=most).contains(&lines),
            "lines",
            lines,
            "from the first lines to what the shape allows",
        )?;
        let bytes = table_bytes(&shape, lines);
        for (name, at) in [("table bytes", at::TABLE_BYTES), ("stored bytes", at::STORED_BYTES)] {
            require(fields.u64(at) == bytes, name, fields.u64(at), "what the lines take")?;
        }
        let (maximum, len) = (fields.u64(own::MAXIMUM), fields.u64(at::LEN));
        require(maximum == 0 || !shape.open(), "maximum", maximum, "0 with an open end")?;
        require(maximum <= lines_hold(&shape, most), "maximum", maximum, "at most the slots of all lines")?;
        let room = lines_hold(&shape, lines) + 256 * (Stash::most(lines_hold(&shape, lines)) + 64);
        require(len <= room && (shape.open() || len <= maximum), "items", len, "at most the maximum and the slots")?;
        let promised_rate = fields.promised_rate()?;
        let stash_entries = fields.u64(at::STASH_ENTRIES);
        let most = Stash::most(lines_hold(&shape, lines)) + 64;
        require(stash_entries <= most, "stash entries", stash_entries, "at most 128 + slots / 1024")?;
        Ok(Header {
            parameters,
            hash,
            maximum,
            promised_rate,
            first_lines,
            lines,
            len,
            stash_entries,
            table_checksum: fields.u64(at::TABLE_CHECKSUM),
            stash_checksum: fields.u64(at::STASH_CHECKSUM),
        })
    }

    pub(super) fn info(&self) -> GrowingInfo {
        let (hash, seed) = self.hash.named();
        let open = self.shape().open();
        GrowingInfo {
            version: GROWING_VERSION,
            hash,
            seed,
            keyed: seed.is_none(),
            len: self.len,
            maximum: (!open).then_some(self.maximum),
            promised_false_positive_rate: self.promised_rate,
            lines: self.lines,
            slots_per_line: self.parameters.slots,
            slot_bits: self.parameters.width,
            wide_slots: self.parameters.wide,
            core_bits: if open { self.parameters.core } else { self.parameters.width },
            table_bytes: self.table_bytes(),
            stash_entries: self.stash_entries,
            file_bytes: self.file_bytes(),
        }
    }
}

fn lines_hold(shape: &Shape, lines: u64) -> u64 {
    lines * shape.slots()
}

/// What the header of a growing filter's file says, without its table or a secret key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GrowingInfo {
    /// Format version.
    pub version: u16,
    /// The item hash: "XXH3-64" or "SipHash-1-3".
    pub hash: &'static str,
    /// The item hash's seed; `None` under a secret key.
    pub seed: Option<u64>,
    /// Whether a secret key is needed to open the filter.
    pub keyed: bool,
    /// Items stored.
    pub len: u64,
    /// The declared maximum; `None` with an open end.
    pub maximum: Option<u64>,
    /// The promised false-positive rate.
    pub promised_false_positive_rate: f64,
    /// Lines of 64 bytes.
    pub lines: u64,
    /// Slots of a line.
    pub slots_per_line: u32,
    /// Bits of a slot; wide slots have one more.
    pub slot_bits: u32,
    /// How many slots of a line are wide.
    pub wide_slots: u32,
    /// The bits of a slot that never change.
    pub core_bits: u32,
    /// Bytes of the table: lines and planes.
    pub table_bytes: u64,
    /// Entries of the stash.
    pub stash_entries: u64,
    /// Bytes of the whole file.
    pub file_bytes: u64,
}

impl GrowingInfo {
    /// How many bytes of a file [`read`](Self::read) needs.
    pub const BYTES: usize = HEADER_BYTES;

    /// Reads the first [`BYTES`](Self::BYTES) bytes of a file. Needs no secret key; what follows is not looked at.
    ///
    /// # Errors
    /// [`FormatError`] if it is no growing filter, cut short, of another version, or if any byte of the header was changed.
    pub fn read(first: &[u8]) -> Result<Self, FormatError> {
        Header::parse(first).map(|header| header.info())
    }
}
