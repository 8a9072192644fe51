//! The first 256 bytes: every parameter, the counts and the checksums. Little-endian, each field at a fixed place.
#![forbid(unsafe_code)]

use super::checksum::checksum;
use super::error::FormatError;
use super::growing::GROWING_VERSION;
use super::stash::ENTRY_BYTES;
use super::zlib;
use crate::filter::{CuckooFilter, Spec};
use crate::geometry::{Geometry, Layout, Placement, Search};
use crate::hash::{HashKind, ItemHasher};
use crate::rng::Rng;
use crate::stash::Stash;

/// Starts every file. The first byte is no ASCII and no UTF-8, so that a text decoder in between shows.
pub(super) const MAGIC: [u8; 8] = *b"\x89CUCULUS";
pub(super) const VERSION: u16 = 1;
/// The newest version that is read here: windows have it.
const NEWEST: u16 = super::window::WINDOW_VERSION;
pub(super) const HEADER_BYTES: usize = 256;

/// Byte offsets of the fields.
pub(super) mod at {
    pub(in crate::format) const VERSION: usize = 8;
    pub(in crate::format) const HEADER_BYTES: usize = 10;
    pub(in crate::format) const LAYOUT: usize = 12;
    pub(in crate::format) const PLACEMENT: usize = 13;
    pub(in crate::format) const HASH: usize = 14;
    pub(in crate::format) const SEARCH: usize = 15;
    pub(in crate::format) const FINGERPRINT_BITS: usize = 16;
    pub(in crate::format) const SLOTS_PER_BUCKET: usize = 20;
    pub(in crate::format) const WIDE_SLOTS: usize = 24;
    pub(in crate::format) const BUDGET: usize = 28;
    pub(in crate::format) const BUCKETS: usize = 32;
    pub(in crate::format) const CAPACITY: usize = 40;
    pub(in crate::format) const LEN: usize = 48;
    pub(in crate::format) const RATE: usize = 56;
    pub(in crate::format) const SEED: usize = 64;
    pub(in crate::format) const KEY_CHECK: usize = 72;
    pub(in crate::format) const GENERATOR: usize = 80;
    pub(in crate::format) const COMPRESSION: usize = 88;
    pub(in crate::format) const RESERVED_WORD: usize = 92;
    pub(in crate::format) const TABLE_BYTES: usize = 96;
    pub(in crate::format) const STORED_BYTES: usize = 104;
    pub(in crate::format) const STASH_ENTRIES: usize = 112;
    pub(in crate::format) const TABLE_CHECKSUM: usize = 120;
    pub(in crate::format) const STASH_CHECKSUM: usize = 128;
    pub(in crate::format) const RESERVED: usize = 136;
    pub(in crate::format) const CHECKSUM: usize = 248;
}

/// The item hash as a file names it: a secret key is represented by its check value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StoredHash {
    Xxh3 { seed: u64 },
    SipHash13 { key_check: u64 },
}

impl StoredHash {
    pub(super) fn of(hasher: &ItemHasher) -> Self {
        match hasher.kind() {
            HashKind::Xxh3 { seed } => StoredHash::Xxh3 { seed },
            HashKind::SipHash13 { .. } => StoredHash::SipHash13 { key_check: hasher.key_check() },
        }
    }

    /// Code, seed, key check.
    pub(super) fn fields(self) -> (u8, u64, u64) {
        match self {
            StoredHash::Xxh3 { seed } => (1, seed, 0),
            StoredHash::SipHash13 { key_check } => (2, 0, key_check),
        }
    }

    /// Its name, and its seed if it has no secret key.
    pub(super) fn named(self) -> (&'static str, Option<u64>) {
        match self {
            StoredHash::Xxh3 { seed } => ("XXH3-64", Some(seed)),
            StoredHash::SipHash13 { .. } => ("SipHash-1-3", None),
        }
    }

    /// The item hash, given the secret key for a keyed filter and none for another.
    pub(super) fn hasher(self, key: Option<&[u8; 16]>) -> Result<ItemHasher, FormatError> {
        match (self, key) {
            (StoredHash::Xxh3 { seed }, None) => Ok(ItemHasher::new(HashKind::Xxh3 { seed })),
            (StoredHash::Xxh3 { .. }, Some(_)) => Err(FormatError::KeyNotNeeded),
            (StoredHash::SipHash13 { .. }, None) => Err(FormatError::KeyNeeded),
            (StoredHash::SipHash13 { key_check }, Some(&key)) => {
                let hasher = ItemHasher::new(HashKind::SipHash13 { key });
                if hasher.key_check() == key_check { Ok(hasher) } else { Err(FormatError::WrongKey) }
            }
        }
    }
}

/// The header's fields. One that came out of [`parse`](Self::parse) has every field in its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) geometry: Geometry,
    pub(super) search: Search,
    pub(super) hash: StoredHash,
    pub(super) capacity: u64,
    pub(super) promised_rate: f64,
    pub(super) len: u64,
    pub(super) generator: u64,
    pub(super) compressed: bool,
    pub(super) stored_bytes: u64,
    pub(super) stash_entries: u64,
    pub(super) table_checksum: u64,
    pub(super) stash_checksum: u64,
}

impl Header {
    /// The header of a filter; what depends on how its parts are stored is left for the writer to fill in.
    pub(super) fn of<S>(filter: &CuckooFilter<S>) -> Self {
        let Spec { geometry, hasher, search, capacity, promised_rate } = filter.spec;
        Header {
            geometry,
            search,
            hash: StoredHash::of(&hasher),
            capacity,
            promised_rate,
            len: filter.len,
            generator: filter.rng.state(),
            compressed: false,
            stored_bytes: geometry.table_bytes(),
            stash_entries: filter.stash.len() as u64,
            table_checksum: 0,
            stash_checksum: 0,
        }
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        let geometry = &self.geometry;
        let (search, budget) = match self.search {
            Search::BreadthFirst { positions } => (1, positions),
            Search::RandomWalk { kicks } => (2, kicks),
        };
        let (hash, seed, key_check) = self.hash.fields();
        let layout = match geometry.layout {
            Layout::Packed => 1,
            Layout::SemiSorted => 2,
            Layout::Compact => 3,
        };
        let placement = match geometry.placement {
            Placement::AnySize => 1,
            Placement::Xor => 2,
        };
        put(0, &MAGIC);
        put(at::VERSION, &VERSION.to_le_bytes());
        put(at::HEADER_BYTES, &(HEADER_BYTES as u16).to_le_bytes());
        put(at::LAYOUT, &[layout, placement, hash, search]);
        put(at::FINGERPRINT_BITS, &geometry.fingerprint_bits.to_le_bytes());
        put(at::SLOTS_PER_BUCKET, &geometry.slots_per_bucket.to_le_bytes());
        put(at::WIDE_SLOTS, &geometry.wide_slots.to_le_bytes());
        put(at::BUDGET, &budget.to_le_bytes());
        put(at::BUCKETS, &geometry.buckets.to_le_bytes());
        put(at::CAPACITY, &self.capacity.to_le_bytes());
        put(at::LEN, &self.len.to_le_bytes());
        put(at::RATE, &self.promised_rate.to_bits().to_le_bytes());
        put(at::SEED, &seed.to_le_bytes());
        put(at::KEY_CHECK, &key_check.to_le_bytes());
        put(at::GENERATOR, &self.generator.to_le_bytes());
        put(at::COMPRESSION, &u32::from(self.compressed).to_le_bytes());
        put(at::TABLE_BYTES, &geometry.table_bytes().to_le_bytes());
        put(at::STORED_BYTES, &self.stored_bytes.to_le_bytes());
        put(at::STASH_ENTRIES, &self.stash_entries.to_le_bytes());
        put(at::TABLE_CHECKSUM, &self.table_checksum.to_le_bytes());
        put(at::STASH_CHECKSUM, &self.stash_checksum.to_le_bytes());
        seal(header)
    }

    /// Reads the header from the first bytes of a file and checks all of it; nothing is allocated.
    pub(super) fn parse(first: &[u8]) -> Result<Self, FormatError> {
        let fields = start_of(FilterKind::Fixed, first)?;
        // 3. Is every field in its range? From here on the file may only be hostile or from a faulty writer.
        fields.check()
    }

    /// Bytes of the stash section.
    pub(super) fn stash_bytes(&self) -> u64 {
        self.stash_entries * ENTRY_BYTES as u64
    }

    /// Bytes of the whole file.
    pub(super) fn file_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.stored_bytes + self.stash_bytes()
    }

    /// Fails if a file of this length is not exactly as long as the header says.
    pub(super) fn check_length(&self, found: u64) -> Result<(), FormatError> {
        check_length(self.file_bytes(), found)
    }

    /// A filter with this header's parameters over a table.
    pub(super) fn filter<S>(&self, hasher: ItemHasher, table: S, stash: Stash) -> CuckooFilter<S> {
        let Header { geometry, search, capacity, promised_rate, .. } = *self;
        let spec = Spec { geometry, hasher, search, capacity, promised_rate };
        CuckooFilter::from_parts(spec, table, self.len, Rng::new(self.generator), stash)
    }

    pub(super) fn info(&self) -> FileInfo {
        let (hash, seed) = self.hash.named();
        FileInfo {
            version: VERSION,
            geometry: self.geometry,
            search: self.search,
            hash,
            seed,
            keyed: seed.is_none(),
            len: self.len,
            capacity: self.capacity,
            promised_false_positive_rate: self.promised_rate,
            compressed: self.compressed,
            table_bytes: self.geometry.table_bytes(),
            stored_bytes: self.stored_bytes,
            stash_entries: self.stash_entries,
            file_bytes: self.file_bytes(),
        }
    }
}

/// Fails if a file of `found` bytes is not exactly as long as its header says.
pub(super) fn check_length(expected: u64, found: u64) -> Result<(), FormatError> {
    match found {
        _ if found < expected => Err(FormatError::Truncated { expected, found }),
        _ if found > expected => Err(FormatError::TrailingBytes { expected }),
        _ => Ok(()),
    }
}

/// Ends a header with its checksum.
pub(super) fn seal(mut header: [u8; HEADER_BYTES]) -> [u8; HEADER_BYTES] {
    let sum = checksum(&header[..at::CHECKSUM]);
    header[at::CHECKSUM..].copy_from_slice(&sum.to_le_bytes());
    header
}

/// Fails, naming the field, if it has not got what it may have.
pub(super) fn require(good: bool, name: &'static str, value: u64, allowed: &'static str) -> Result<(), FormatError> {
    match good {
        true => Ok(()),
        false => Err(FormatError::Field { name, value: value.into(), allowed }),
    }
}

/// The version and the fields of a header that is one of a filter, whole and unchanged.
pub(super) fn start(first: &[u8]) -> Result<(u16, Fields<'_>), FormatError> {
    // 1. Is it ours, and of a version that is known here? Before anything whose meaning depends on that.
    recognise(first)?;
    let short = FormatError::Truncated { expected: HEADER_BYTES as u64, found: first.len() as u64 };
    let version = first.get(at::VERSION..at::HEADER_BYTES).ok_or(short)?;
    let version = u16::from_le_bytes([version[0], version[1]]);
    if !(VERSION..=NEWEST).contains(&version) {
        return Err(FormatError::UnknownVersion { version, newest: NEWEST });
    }
    // 2. Is it whole and unchanged?
    let header: &[u8; HEADER_BYTES] = first.get(..HEADER_BYTES).and_then(|h| h.try_into().ok()).ok_or(short)?;
    let fields = Fields(header);
    let (stored, computed) = (fields.u64(at::CHECKSUM), checksum(&header[..at::CHECKSUM]));
    if stored != computed {
        return Err(FormatError::Checksum { part: "header", stored, computed });
    }
    Ok((version, fields))
}

/// [`start`] of a filter of a kind.
pub(super) fn start_of(wanted: FilterKind, first: &[u8]) -> Result<Fields<'_>, FormatError> {
    let (version, fields) = start(first)?;
    let found = FilterKind::of_version(version);
    match found == wanted {
        true => Ok(fields),
        false => Err(FormatError::OtherKind { found: found.name(), wanted: wanted.name() }),
    }
}

/// Fails, saying what it looks like, if the bytes do not start with the magic.
fn recognise(first: &[u8]) -> Result<(), FormatError> {
    let start = &first[..first.len().min(MAGIC.len())];
    if !start.is_empty() && MAGIC.starts_with(start) {
        return Ok(());
    }
    const KNOWN: [(&[u8], &str); 14] = [
        (b"\xEF\xBF\xBDCUCU", "one that went through a text decoder: read and send it as bytes"),
        (b"\xC2\x89CUCU", "one that went through a text decoder: read and send it as bytes"),
        (b"\x89PNG", "a PNG image"),
        (b"\xFF\xD8\xFF", "a JPEG image"),
        (b"\x1F\x8B", "gzip data"),
        (b"\x28\xB5\x2F\xFD", "zstd data"),
        (b"BZh", "bzip2 data"),
        (b"\xFD7zXZ", "xz data"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"%PDF", "a PDF document"),
        (b"\x7FELF", "a program"),
        (b"SQLite format 3", "an SQLite database"),
        (b"REDIS", "a server's snapshot"),
        (b"VALKEY", "a server's snapshot"),
    ];
    let named = KNOWN.iter().find(|(magic, _)| first.starts_with(magic)).map(|&(_, name)| name);
    // A window that ends inside a character is still text.
    let text = || match core::str::from_utf8(first) {
        Ok(text) => !text.contains('\0'),
        Err(error) => error.error_len().is_none() && !first.contains(&0),
    };
    let looks_like = match named {
        Some(name) => name,
        None if first.is_empty() => "nothing: there are no bytes",
        None if first.iter().all(|&byte| byte == 0) => "zeros",
        None if text() => "text",
        None => "something unknown",
    };
    Err(FormatError::NotAFilter { looks_like })
}

/// Fields of a header whose checksum is right.
pub(super) struct Fields<'a>(&'a [u8; HEADER_BYTES]);

impl Fields<'_> {
    pub(super) fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        core::array::from_fn(|i| self.0[at + i])
    }

    pub(super) fn u8(&self, at: usize) -> u8 {
        self.0[at]
    }

    pub(super) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    pub(super) fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    pub(super) fn check_header_length(&self) -> Result<(), FormatError> {
        let bytes = u16::from_le_bytes(self.bytes(at::HEADER_BYTES));
        require(bytes as usize == HEADER_BYTES, "header length", bytes.into(), "256")
    }

    pub(super) fn hash(&self) -> Result<StoredHash, FormatError> {
        let (seed, key_check) = (self.u64(at::SEED), self.u64(at::KEY_CHECK));
        let (name, value, allowed) = match self.u8(at::HASH) {
            1 if key_check == 0 => return Ok(StoredHash::Xxh3 { seed }),
            2 if seed == 0 => return Ok(StoredHash::SipHash13 { key_check }),
            1 => ("key check", key_check, "0 without a secret key"),
            2 => ("seed", seed, "0 with a secret key"),
            code => ("hash", code.into(), "1 (XXH3-64) or 2 (SipHash-1-3)"),
        };
        Err(FormatError::Field { name, value: value.into(), allowed })
    }

    pub(super) fn promised_rate(&self) -> Result<f64, FormatError> {
        let rate = f64::from_bits(self.u64(at::RATE));
        match rate > 0.0 && rate <= 1.0 {
            true => Ok(rate),
            false => Err(FormatError::Field {
                name: "promised rate",
                value: rate.into(),
                allowed: "more than 0 and at most 1",
            }),
        }
    }

    /// Every field against its range, each only after those that its own range depends on.
    fn check(&self) -> Result<Header, FormatError> {
        let code = |at: usize| u64::from(self.0[at]);
        // 1. What must be as it is.
        self.check_header_length()?;
        require(self.u32(at::RESERVED_WORD) == 0, "reserved", self.u32(at::RESERVED_WORD).into(), "0")?;
        for at in (at::RESERVED..at::CHECKSUM).step_by(8) {
            require(self.u64(at) == 0, "reserved", self.u64(at), "0")?;
        }
        // 2. Codes.
        let field = |name, at, allowed| FormatError::Field { name, value: code(at).into(), allowed };
        let layout = match self.0[at::LAYOUT] {
            1 => Layout::Packed,
            2 => Layout::SemiSorted,
            3 => Layout::Compact,
            _ => return Err(field("layout", at::LAYOUT, "1 (packed), 2 (semi-sorted) or 3 (compact)")),
        };
        let placement = match self.0[at::PLACEMENT] {
            1 => Placement::AnySize,
            2 => Placement::Xor,
            _ => return Err(field("placement", at::PLACEMENT, "1 (any size) or 2 (xor)")),
        };
        let hash = self.hash()?;
        let budget = self.u32(at::BUDGET);
        let search = match self.0[at::SEARCH] {
            1 => Search::BreadthFirst { positions: budget },
            2 => Search::RandomWalk { kicks: budget },
            _ => return Err(field("search", at::SEARCH, "1 (breadth-first) or 2 (random walk)")),
        };
        require(budget <= Search::MAX_BUDGET, "search budget", budget.into(), "at most 1,048,576")?;
        let compression = self.u32(at::COMPRESSION);
        require(compression <= 1, "compression", compression.into(), "0 (none) or 1 (zlib)")?;
        // 3. The geometry, by the one validator that building a filter uses too; only then its sizes mean something.
        let geometry = Geometry {
            layout,
            placement,
            fingerprint_bits: self.u32(at::FINGERPRINT_BITS),
            slots_per_bucket: self.u32(at::SLOTS_PER_BUCKET),
            wide_slots: self.u32(at::WIDE_SLOTS),
            buckets: self.u64(at::BUCKETS),
        };
        geometry.validate()?;
        // 4. Counts and rate.
        let (capacity, len) = (self.u64(at::CAPACITY), self.u64(at::LEN));
        require(capacity <= geometry.slots(), "capacity", capacity, "at most the number of slots")?;
        require(len <= capacity, "items", len, "at most the capacity")?;
        let promised_rate = self.promised_rate()?;
        // 5. Lengths of the parts; the file's own length is compared with them by whoever knows it.
        let (table_bytes, stored_bytes) = (self.u64(at::TABLE_BYTES), self.u64(at::STORED_BYTES));
        require(table_bytes == geometry.table_bytes(), "table bytes", table_bytes, "what the geometry takes")?;
        let compressed = compression == 1;
        let stored_well = match compressed {
            true => zlib::is_possible(stored_bytes, table_bytes),
            false => stored_bytes == table_bytes,
        };
        require(stored_well, "stored bytes", stored_bytes, "what the table takes, or less if compressed")?;
        let stash_entries = self.u64(at::STASH_ENTRIES);
        let most = if layout == Layout::Compact { Stash::most_entries(geometry.slots()).min(len) } else { 0 };
        require(stash_entries <= most, "stash entries", stash_entries, "few in the compact layout, else 0")?;
        Ok(Header {
            geometry,
            search,
            hash,
            capacity,
            promised_rate,
            len,
            generator: self.u64(at::GENERATOR),
            compressed,
            stored_bytes,
            stash_entries,
            table_checksum: self.u64(at::TABLE_CHECKSUM),
            stash_checksum: self.u64(at::STASH_CHECKSUM),
        })
    }
}

/// What the header of a file says, without its table or a secret key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileInfo {
    /// Format version.
    pub version: u16,
    /// The table's shape.
    pub geometry: Geometry,
    /// How room is made.
    pub search: Search,
    /// The item hash: "XXH3-64" or "SipHash-1-3".
    pub hash: &'static str,
    /// The item hash's seed; `None` under a secret key.
    pub seed: Option<u64>,
    /// Whether a secret key is needed to open the filter.
    pub keyed: bool,
    /// Items stored.
    pub len: u64,
    /// Items for which room and rate are promised.
    pub capacity: u64,
    /// The promised false-positive rate.
    pub promised_false_positive_rate: f64,
    /// Whether the table is stored compressed.
    pub compressed: bool,
    /// Bytes of the table in memory.
    pub table_bytes: u64,
    /// Bytes of the table in the file.
    pub stored_bytes: u64,
    /// Entries of the stash.
    pub stash_entries: u64,
    /// Bytes of the whole file.
    pub file_bytes: u64,
}

impl FileInfo {
    /// How many bytes of a file [`read`](Self::read) needs.
    pub const BYTES: usize = HEADER_BYTES;

    /// Reads the first [`BYTES`](Self::BYTES) bytes of a file. Needs no secret key; what follows is not looked at.
    ///
    /// # Errors
    /// [`FormatError`] if it is no filter, cut short, of another version, or if any byte of the header was changed.
    pub fn read(first: &[u8]) -> Result<Self, FormatError> {
        Header::parse(first).map(|header| header.info())
    }
}

/// Which of the kinds of filters a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterKind {
    /// A [`CuckooFilter`].
    Fixed,
    /// A [`GrowingFilter`](crate::GrowingFilter).
    Growing,
    /// A [`WindowFilter`](crate::WindowFilter).
    Window,
}

impl FilterKind {
    /// Reads the first [`FileInfo::BYTES`] bytes of a file.
    ///
    /// # Errors
    /// [`FormatError`] if it is no filter, cut short, of another version, or if any byte of the header was changed.
    pub fn read(first: &[u8]) -> Result<Self, FormatError> {
        start(first).map(|(version, _)| Self::of_version(version))
    }

    /// The kind that a version brought.
    fn of_version(version: u16) -> Self {
        match version {
            VERSION => FilterKind::Fixed,
            GROWING_VERSION => FilterKind::Growing,
            _ => FilterKind::Window,
        }
    }

    fn name(self) -> &'static str {
        match self {
            FilterKind::Fixed => "a filter of a fixed size",
            FilterKind::Growing => "a growing filter",
            FilterKind::Window => "a window whose items age",
        }
    }
}
