//! From bytes to a filter. Everything that reads the format comes through here: bytes, files, views, `serde`.
#![forbid(unsafe_code)]

use super::checksum::{Checksum, checksum};
use super::error::FormatError;
use super::header::{FileInfo, HEADER_BYTES, Header, StoredHash};
use super::stash::{Decoder, ENTRY_BYTES};
use super::{sparse, zlib};
use crate::filter::CuckooFilter;
use crate::hash::{HashKind, ItemHasher};
use crate::memory::Memory;
use crate::stash::Stash;

/// Where bytes come from.
pub(super) trait Source {
    type Error: From<FormatError>;
    /// Puts the next bytes at the start of `into` and says how many; 0 only at the end.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Self::Error>;
    /// How many bytes there are from here to the end, where that is known for certain.
    fn left(&self) -> Option<u64>;
    /// All bytes from here to the end, or one more than `most` if there are so many.
    fn rest(&mut self, most: u64) -> Result<&[u8], Self::Error>;
}

/// Bytes that are all there.
impl Source for &[u8] {
    type Error = FormatError;

    fn read(&mut self, into: &mut [u8]) -> Result<usize, FormatError> {
        let (now, rest) = self.split_at(into.len().min(self.len()));
        into[..now.len()].copy_from_slice(now);
        *self = rest;
        Ok(now.len())
    }

    fn left(&self) -> Option<u64> {
        Some(self.len() as u64)
    }

    fn rest(&mut self, _: u64) -> Result<&[u8], FormatError> {
        Ok(self)
    }
}

/// What to hash with, from the caller and the header.
pub(super) enum Access<'a> {
    /// The filter will be used: the key it was made with, or none.
    Use(Option<&'a [u8; 16]>),
    /// The filter is only looked over and never hashes.
    Inspect,
}

impl Access<'_> {
    pub(super) fn hasher(&self, hash: StoredHash) -> Result<ItemHasher, FormatError> {
        match self {
            Access::Use(key) => hash.hasher(*key),
            Access::Inspect => Ok(ItemHasher::new(HashKind::default())),
        }
    }
}

/// Reads a whole filter and verifies all of it. Allocates a plain table only as far as bytes have arrived for it, or at
/// once where the source is known to have exactly as many as the header says; a compressed one as [`read_compressed`] says.
pub(super) fn read<R: Source>(source: &mut R, access: Access<'_>) -> Result<(Header, CuckooFilter), R::Error> {
    // 1. The header, and whether the file is as long as it says.
    let total = source.left();
    let mut first = [0; HEADER_BYTES];
    let got = fill(source, &mut first)?;
    let header = Header::parse(&first[..got])?;
    if let Some(total) = total {
        header.check_length(total)?;
    }
    let hasher = access.hasher(header.hash)?;
    if header.compressed {
        let rest = source.rest(header.file_bytes() - HEADER_BYTES as u64)?;
        return Ok(read_compressed(header, hasher, rest).map(|filter| (header, filter))?);
    }
    // 2. The table and the stash, with their checksums.
    let mut reader = Reader::new(source, header.file_bytes());
    let table = plain_table(&mut reader, header.geometry.table_bytes(), header.table_checksum, total.is_some())?;
    let mut decoder = Decoder::new(&header.geometry, header.len);
    reader.stash::<ENTRY_BYTES>(header.stash_entries, header.stash_checksum, |entry| decoder.entry(entry))?;
    // 3. Nothing more.
    reader.end()?;
    // 4. The contents, recounted.
    let filter = header.filter(hasher, table, decoder.finish());
    filter.validate().map_err(FormatError::Contents)?;
    Ok((header, filter))
}

/// How many times its stored bytes a table may take before it is checked.
const UNCHECKED: u64 = 16;

/// A filter whose table is compressed, from the bytes after its header. A stream that claims much is looked through
/// first, in the memory of a window: what is wrong gets no room then.
fn read_compressed(header: Header, hasher: ItemHasher, rest: &[u8]) -> Result<CuckooFilter, FormatError> {
    header.check_length((HEADER_BYTES + rest.len()) as u64)?;
    let (stored, section) = rest.split_at(header.stored_bytes as usize);
    check_sum("table", header.table_checksum, checksum(stored))?;
    let stash = decode_stash(&header, section)?;
    let bytes = header.geometry.table_bytes();
    if bytes / UNCHECKED > header.stored_bytes {
        sparse::check(stored, &header, &stash)?;
    }
    let mut table = allocate(usize::try_from(bytes).map_err(|_| FormatError::TooLarge { bytes })?)?;
    zlib::unpack(stored, table.as_mut())?;
    let filter = header.filter(hasher, table, stash);
    filter.validate().map_err(FormatError::Contents)?;
    Ok(filter)
}

fn decode_stash(header: &Header, section: &[u8]) -> Result<Stash, FormatError> {
    check_sum("stash", header.stash_checksum, checksum(section))?;
    let mut decoder = Decoder::new(&header.geometry, header.len);
    for entry in section.chunks_exact(ENTRY_BYTES) {
        decoder.entry(core::array::from_fn(|i| entry[i]))?;
    }
    Ok(decoder.finish())
}

/// Reads until `into` is full or the source ends; says how far it came.
pub(super) fn fill<R: Source>(source: &mut R, into: &mut [u8]) -> Result<usize, R::Error> {
    let mut filled = 0;
    while filled < into.len() {
        match source.read(&mut into[filled..])? {
            0 => break,
            more => filled += more,
        }
    }
    Ok(filled)
}

/// What comes after the header.
pub(super) struct Reader<'a, R> {
    source: &'a mut R,
    /// Bytes of the whole file, and how many of them have been read.
    expected: u64,
    position: u64,
}

impl<'a, R: Source> Reader<'a, R> {
    /// For a source whose header has been read.
    pub(super) fn new(source: &'a mut R, expected: u64) -> Self {
        Reader { source, expected, position: HEADER_BYTES as u64 }
    }

    pub(super) fn exactly(&mut self, into: &mut [u8]) -> Result<(), R::Error> {
        let got = fill(self.source, into)?;
        self.position += got as u64;
        match got < into.len() {
            true => Err(FormatError::Truncated { expected: self.expected, found: self.position }.into()),
            false => Ok(()),
        }
    }

    /// Hands the entries of the stash section on, one after the other, and checks its checksum.
    pub(super) fn stash<const N: usize>(
        &mut self,
        entries: u64,
        checksum: u64,
        mut take: impl FnMut([u8; N]) -> Result<(), FormatError>,
    ) -> Result<(), R::Error> {
        let mut sum = Checksum::new();
        for _ in 0..entries {
            let mut entry = [0; N];
            self.exactly(&mut entry)?;
            sum.update(&entry);
            take(entry)?;
        }
        Ok(check_sum("stash", checksum, sum.finish())?)
    }

    /// Fails if something follows.
    pub(super) fn end(self) -> Result<(), R::Error> {
        match fill(self.source, &mut [0])? {
            0 => Ok(()),
            _ => Err(FormatError::TrailingBytes { expected: self.expected }.into()),
        }
    }
}

/// A table of so many bytes. Memory is taken as they arrive, or at once where they are known to be there.
pub(super) fn plain_table<R: Source>(
    reader: &mut Reader<'_, R>,
    bytes: u64,
    checksum: u64,
    all_there: bool,
) -> Result<Memory, R::Error> {
    let mut sum = Checksum::new();
    let mut table = Growing::new(bytes, all_there)?;
    while !table.is_full() {
        let (room, filled) = table.room()?;
        let piece = room.len().min(filled + PIECE);
        reader.exactly(&mut room[filled..piece])?;
        // While the piece is in the cache.
        sum.update(&room[filled..piece]);
        table.filled = piece;
    }
    check_sum("table", checksum, sum.finish())?;
    Ok(table.memory)
}

pub(super) fn check_sum(part: &'static str, stored: u64, computed: u64) -> Result<(), FormatError> {
    if stored == computed { Ok(()) } else { Err(FormatError::Checksum { part, stored, computed }) }
}

/// Bytes read at a time: what the checksum then finds in the cache.
const PIECE: usize = 1 << 16;

/// The first allocation for a table of which it is not sure that its bytes will come.
const FIRST: usize = 1 << 18;

/// A table's memory that grows with the bytes that arrive, to its size in the header and no further.
struct Growing {
    memory: Memory,
    filled: usize,
    wanted: usize,
}

impl Growing {
    fn new(bytes: u64, at_once: bool) -> Result<Self, FormatError> {
        let wanted = usize::try_from(bytes).ok().filter(|&bytes| bytes <= isize::MAX as usize);
        let wanted = wanted.ok_or(FormatError::TooLarge { bytes })?;
        let memory = allocate(if at_once { wanted } else { wanted.min(FIRST) })?;
        Ok(Growing { memory, filled: 0, wanted })
    }

    fn is_full(&self) -> bool {
        self.filled == self.wanted
    }

    /// The memory, with room behind the bytes that are there.
    fn room(&mut self) -> Result<(&mut [u8], usize), FormatError> {
        let have = self.memory.as_ref().len();
        if self.filled == have {
            let mut larger = allocate(have.saturating_mul(4).min(self.wanted))?;
            larger.as_mut()[..have].copy_from_slice(self.memory.as_ref());
            self.memory = larger;
        }
        Ok((self.memory.as_mut(), self.filled))
    }
}

fn allocate(bytes: usize) -> Result<Memory, FormatError> {
    Memory::zeroed(bytes).ok_or(FormatError::Allocation { bytes: bytes as u64 })
}

/// Reads header and stash of a file that lies in memory, and finds its table. Not the table's bytes: that costs the same
/// for every size.
pub(super) fn locate(bytes: &[u8]) -> Result<(Header, core::ops::Range<usize>, Stash), FormatError> {
    let header = Header::parse(bytes)?;
    header.check_length(bytes.len() as u64)?;
    // The length is that of a slice, so the parts' lengths fit `usize`.
    let table = HEADER_BYTES..HEADER_BYTES + header.stored_bytes as usize;
    let stash = decode_stash(&header, &bytes[table.end..])?;
    Ok((header, table, stash))
}

/// The table of a filter that is used where it lies. Opaque: it is named only as the storage of [`FilterView`].
#[derive(Clone, Copy)]
pub struct View<'a> {
    table: &'a [u8],
    checksum: u64,
}

impl AsRef<[u8]> for View<'_> {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        self.table
    }
}

/// A filter for lookups in bytes of the file format, which stay where they are.
///
/// ```
/// use cuculus::{CuckooFilter, FilterView};
///
/// let mut filter = CuckooFilter::new(1_000, 0.01)?;
/// filter.insert("cuckoo")?;
/// let bytes = filter.to_bytes();
/// assert!(FilterView::open(&bytes, None)?.contains("cuckoo"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type FilterView<'a> = CuckooFilter<View<'a>>;

impl<'a> FilterView<'a> {
    /// Opens a filter where it lies. Reads and checks the header and the stash (nearly always empty), not the table,
    /// which may be damaged then: lookups give wrong answers, but nothing worse. [`verify`](Self::verify) reads it all.
    ///
    /// # Errors
    /// [`FormatError`] for anything wrong with header or length, for a missing, wrong or needless key, and for a
    /// compressed table.
    pub fn open(bytes: &'a [u8], key: Option<&[u8; 16]>) -> Result<Self, FormatError> {
        let (header, table, stash) = locate(bytes)?;
        if header.compressed {
            return Err(FormatError::Compressed);
        }
        let hasher = header.hash.hasher(key)?;
        let table = View { table: &bytes[table], checksum: header.table_checksum };
        Ok(header.filter(hasher, table, stash))
    }

    /// Reads the whole table: whether any byte was changed, and whether the counts are right.
    ///
    /// # Errors
    /// [`FormatError`]: the first contradiction.
    pub fn verify(&self) -> Result<(), FormatError> {
        verify(self, self.bytes.checksum)
    }
}

/// The part of verifying that opening leaves out.
pub(super) fn verify<S: AsRef<[u8]>>(filter: &CuckooFilter<S>, stored: u64) -> Result<(), FormatError> {
    check_sum("table", stored, checksum(filter.bytes.as_ref()))?;
    filter.validate().map_err(FormatError::Contents)
}

/// Checks every byte of a filter in the file format, without its secret key, and says what it is. A compressed table is
/// unpacked piece by piece, in memory that does not depend on its size.
///
/// # Errors
/// [`FormatError`]: the first thing that is wrong.
pub fn verify_bytes(bytes: &[u8]) -> Result<FileInfo, FormatError> {
    let (header, table, stash) = locate(bytes)?;
    let table = &bytes[table];
    check_sum("table", header.table_checksum, checksum(table))?;
    match header.compressed {
        true => sparse::check(table, &header, &stash)?,
        false => {
            let hasher = Access::Inspect.hasher(header.hash)?;
            header.filter(hasher, table, stash).validate().map_err(FormatError::Contents)?;
        }
    }
    Ok(header.info())
}

impl CuckooFilter {
    /// A filter from bytes of the file format, plain or compressed, with its secret key if it has one. Verifies
    /// everything: what comes out works like the filter that was written, to the same bytes.
    ///
    /// A compressed table can be up to 1,032 times its stored bytes: that of an empty filter is. Wrong ones are refused before
    /// there is room for more than 16 times the stored bytes; whoever wants to allow less than what a right one takes,
    /// asks [`FileInfo::read`] for its [`table_bytes`](FileInfo::table_bytes) first, which costs nothing.
    ///
    /// # Errors
    /// [`FormatError`]: the first thing that is wrong.
    pub fn from_bytes(bytes: &[u8], key: Option<&[u8; 16]>) -> Result<Self, FormatError> {
        read(&mut &*bytes, Access::Use(key)).map(|(_, filter)| filter)
    }
}
