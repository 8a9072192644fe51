//! The first 256 bytes of a window: what all kinds of filters have is where filters of a fixed size have it.
#![forbid(unsafe_code)]

use super::tail::{ENTRY_BYTES, STAMP_BYTES};
use crate::format::FormatError;
use crate::format::header::{Fields, FilterKind, HEADER_BYTES, MAGIC, StoredHash, at, check_length};
use crate::format::header::{require, seal, start_of};
use crate::geometry::Geometry;
use crate::hash::ItemHasher;
use crate::window::{Lines, Spec, Stash, Steps, Window, WindowFilter};

/// The version of the format that brought windows.
pub(in crate::format) const WINDOW_VERSION: u16 = 3;

/// The layout's code.
const LAYOUT: u8 = 5;

/// The placement's code: any size.
const PLACEMENT: u8 = 1;

/// Byte offsets of the fields that filters of a fixed size have not got.
mod own {
    pub(super) const HAND: usize = 80;
    pub(super) const CLOCK: usize = 136;
    pub(super) const STEPS: usize = 140;
    pub(super) const STAMP_BITS: usize = 144;
    pub(super) const STEP_TICKS: usize = 152;
    pub(super) const NOW: usize = 160;
    pub(super) const OPENED: usize = 168;
    pub(super) const SWEPT: usize = 176;
    pub(super) const END: usize = 184;
}

/// The header's fields. One that came out of [`parse`](Self::parse) has every field in its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    /// With the bits of the fingerprints alone.
    pub(super) geometry: Geometry,
    pub(super) cut: Steps,
    pub(super) hash: StoredHash,
    pub(super) capacity: u64,
    pub(super) len: u64,
    pub(super) promised_rate: f64,
    pub(super) now: u64,
    pub(super) opened: u64,
    pub(super) hand: u64,
    pub(super) swept: u64,
    pub(super) stash_entries: u64,
    pub(super) table_checksum: u64,
    pub(super) tail_checksum: u64,
}

impl Header {
    /// The header of a filter, without its checksums.
    pub(super) fn of(filter: &WindowFilter) -> Self {
        let Spec { fingerprints, cut, hasher, capacity, promised_rate } = filter.spec;
        Header {
            geometry: fingerprints,
            cut,
            hash: StoredHash::of(&hasher),
            capacity,
            len: filter.len(),
            promised_rate,
            now: filter.clock.now,
            opened: filter.clock.opened,
            hand: filter.hand,
            swept: filter.swept,
            stash_entries: filter.stash.len() as u64,
            table_checksum: 0,
            tail_checksum: 0,
        }
    }

    pub(super) fn spec(&self, hasher: ItemHasher) -> Spec {
        let Header { geometry, cut, capacity, promised_rate, .. } = *self;
        Spec { fingerprints: geometry, cut, hasher, capacity, promised_rate }
    }

    pub(super) fn lines(&self) -> Lines {
        Lines::new(&self.geometry, self.cut.stamp_bits)
    }

    /// Bytes after the table: stamps and stash.
    pub(super) fn tail_bytes(&self) -> u64 {
        self.cut.stamps() * STAMP_BYTES as u64 + self.stash_entries * ENTRY_BYTES as u64
    }

    /// Bytes of the whole file.
    pub(super) fn file_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.geometry.table_bytes() + self.tail_bytes()
    }

    /// Fails if a file of this length is not exactly as long as the header says.
    pub(super) fn check_length(&self, found: u64) -> Result<(), FormatError> {
        check_length(self.file_bytes(), found)
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        let (hash, seed, key_check) = self.hash.fields();
        let (geometry, cut) = (&self.geometry, &self.cut);
        put(0, &MAGIC);
        put(at::VERSION, &WINDOW_VERSION.to_le_bytes());
        put(at::HEADER_BYTES, &(HEADER_BYTES as u16).to_le_bytes());
        put(at::LAYOUT, &[LAYOUT, PLACEMENT, hash, 0]);
        put(at::FINGERPRINT_BITS, &geometry.fingerprint_bits.to_le_bytes());
        put(at::SLOTS_PER_BUCKET, &geometry.slots_per_bucket.to_le_bytes());
        put(at::WIDE_SLOTS, &geometry.wide_slots.to_le_bytes());
        put(at::BUCKETS, &geometry.buckets.to_le_bytes());
        put(at::CAPACITY, &self.capacity.to_le_bytes());
        put(at::LEN, &self.len.to_le_bytes());
        put(at::RATE, &self.promised_rate.to_bits().to_le_bytes());
        put(at::SEED, &seed.to_le_bytes());
        put(at::KEY_CHECK, &key_check.to_le_bytes());
        put(own::HAND, &self.hand.to_le_bytes());
        put(at::TABLE_BYTES, &geometry.table_bytes().to_le_bytes());
        put(at::STORED_BYTES, &geometry.table_bytes().to_le_bytes());
        put(at::STASH_ENTRIES, &self.stash_entries.to_le_bytes());
        put(at::TABLE_CHECKSUM, &self.table_checksum.to_le_bytes());
        put(at::STASH_CHECKSUM, &self.tail_checksum.to_le_bytes());
        put(own::CLOCK, &(1 + u32::from(cut.timed)).to_le_bytes());
        put(own::STEPS, &cut.steps.to_le_bytes());
        put(own::STAMP_BITS, &cut.stamp_bits.to_le_bytes());
        put(own::STEP_TICKS, &cut.ticks.to_le_bytes());
        put(own::NOW, &self.now.to_le_bytes());
        put(own::OPENED, &self.opened.to_le_bytes());
        put(own::SWEPT, &self.swept.to_le_bytes());
        seal(header)
    }

    /// Reads the header from the first bytes of a file and checks all of it; nothing is allocated.
    pub(super) fn parse(first: &[u8]) -> Result<Self, FormatError> {
        Self::check(&start_of(FilterKind::Window, first)?)
    }

    /// Every field against its range, each only after those that its own range depends on.
    fn check(fields: &Fields<'_>) -> Result<Self, FormatError> {
        // 1. What must be as it is.
        fields.check_header_length()?;
        let code = |at: usize| u64::from(fields.u8(at));
        require(code(at::LAYOUT) == LAYOUT.into(), "layout", code(at::LAYOUT), "5 (window) in version 3")?;
        require(
            code(at::PLACEMENT) == PLACEMENT.into(),
            "placement",
            code(at::PLACEMENT),
            "1 (any size) in version 3",
        )?;
        require(code(at::SEARCH) == 0, "reserved", code(at::SEARCH), "0")?;
        for at in [at::BUDGET, at::COMPRESSION, at::RESERVED_WORD, own::STAMP_BITS + 4] {
            require(fields.u32(at) == 0, "reserved", fields.u32(at).into(), "0")?;
        }
        for at in (own::END..at::CHECKSUM).step_by(8) {
            require(fields.u64(at) == 0, "reserved", fields.u64(at), "0")?;
        }
        let hash = fields.hash()?;
        // 2. Steps and shape, by the validators that building a filter uses too; only then its sizes mean something.
        let clock = fields.u32(own::CLOCK);
        require(matches!(clock, 1 | 2), "clock", clock.into(), "1 (items) or 2 (time)")?;
        let cut = Steps {
            timed: clock == 2,
            steps: fields.u32(own::STEPS),
            ticks: fields.u64(own::STEP_TICKS),
            stamp_bits: fields.u32(own::STAMP_BITS),
        };
        cut.validate().map_err(|(name, value, allowed)| FormatError::Field { name, value: value.into(), allowed })?;
        let geometry = Geometry {
            fingerprint_bits: fields.u32(at::FINGERPRINT_BITS),
            ..Geometry::compact(
                0,
                fields.u32(at::SLOTS_PER_BUCKET),
                fields.u32(at::WIDE_SLOTS),
                fields.u64(at::BUCKETS),
            )
        };
        geometry.validate()?;
        let slot_bits = geometry.fingerprint_bits + cut.stamp_bits;
        Geometry { fingerprint_bits: slot_bits, ..geometry }.validate()?;
        // 3. Sizes and counts.
        for (name, at) in [("table bytes", at::TABLE_BYTES), ("stored bytes", at::STORED_BYTES)] {
            require(fields.u64(at) == geometry.table_bytes(), name, fields.u64(at), "what the geometry takes")?;
        }
        let (capacity, len) = (fields.u64(at::CAPACITY), fields.u64(at::LEN));
        let most = geometry.slots() + Stash::MOST as u64;
        require((1..=most).contains(&capacity), "capacity", capacity, "1 to the number of slots and 64")?;
        require(len <= capacity, "items", len, "at most the capacity")?;
        let stash_entries = fields.u64(at::STASH_ENTRIES);
        let most = len.min(Stash::MOST as u64);
        require(stash_entries <= most, "stash entries", stash_entries, "at most 64 and the items")?;
        // 4. The state of the clock and the hand.
        let (now, opened) = (fields.u64(own::NOW), fields.u64(own::OPENED));
        let most = (now / cut.ticks).saturating_add(1).min(1 << 63);
        require(opened <= most, "opened", opened, "at most the steps until now, and 2^63")?;
        let header = Header {
            geometry,
            cut,
            hash,
            capacity,
            len,
            promised_rate: fields.promised_rate()?,
            now,
            opened,
            hand: fields.u64(own::HAND),
            swept: fields.u64(own::SWEPT),
            stash_entries,
            table_checksum: fields.u64(at::TABLE_CHECKSUM),
            tail_checksum: fields.u64(at::STASH_CHECKSUM),
        };
        let quota = header.spec(ItemHasher::new(Default::default())).quota();
        require(header.hand < geometry.buckets, "hand", header.hand, "less than the lines")?;
        require(header.swept <= quota, "swept", header.swept, "at most what an opening waits for")?;
        Ok(header)
    }

    pub(super) fn info(&self) -> WindowInfo {
        let (hash, seed) = self.hash.named();
        WindowInfo {
            version: WINDOW_VERSION,
            hash,
            seed,
            keyed: seed.is_none(),
            len: self.len,
            capacity: self.capacity,
            promised_false_positive_rate: self.promised_rate,
            window: self.cut.span(self.cut.window()),
            steps: self.cut.steps,
            now: self.cut.span(self.now),
            geometry: self.geometry,
            stamp_bits: self.cut.stamp_bits,
            table_bytes: self.geometry.table_bytes(),
            stash_entries: self.stash_entries,
            file_bytes: self.file_bytes(),
        }
    }
}

/// What the header of a window's file says, without its table or a secret key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WindowInfo {
    /// Format version.
    pub version: u16,
    /// The item hash: "XXH3-64" or "SipHash-1-3".
    pub hash: &'static str,
    /// The item hash's seed; `None` under a secret key.
    pub seed: Option<u64>,
    /// Whether a secret key is needed to open the filter.
    pub keyed: bool,
    /// Items in the window.
    pub len: u64,
    /// Items that may be in the window and one step more at once.
    pub capacity: u64,
    /// The promised false-positive rate.
    pub promised_false_positive_rate: f64,
    /// The window.
    pub window: Window,
    /// Steps of the window.
    pub steps: u32,
    /// Items seen so far, or the latest time that was told.
    pub now: Window,
    /// The table's shape, with the bits of the fingerprints alone.
    pub geometry: Geometry,
    /// Bits of the stamp below each fingerprint.
    pub stamp_bits: u32,
    /// Bytes of the table.
    pub table_bytes: u64,
    /// Entries of the stash.
    pub stash_entries: u64,
    /// Bytes of the whole file.
    pub file_bytes: u64,
}

impl WindowInfo {
    /// How many bytes of a file [`read`](Self::read) needs.
    pub const BYTES: usize = HEADER_BYTES;

    /// Reads the first [`BYTES`](Self::BYTES) bytes of a file. Needs no secret key; what follows is not looked at.
    ///
    /// # Errors
    /// [`FormatError`] if it is no window, cut short, of another version, or if any byte of the header was changed.
    pub fn read(first: &[u8]) -> Result<Self, FormatError> {
        Header::parse(first).map(|header| header.info())
    }
}
