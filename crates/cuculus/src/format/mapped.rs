//! A filter for lookups in a mapped file, which several processes can share.

use super::error::{FileError, FormatError};
use super::file::FileSource;
use super::read::{locate, verify};
use crate::filter::CuckooFilter;
use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// The table in a file that is mapped read-only. Opaque: it is named only as the storage of [`MappedFilter`].
pub struct Mapped {
    map: Mmap,
    table: Range<usize>,
    checksum: u64,
}

impl AsRef<[u8]> for Mapped {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        &self.map[self.table.clone()]
    }
}

/// A filter for lookups in a mapped file: opening costs the same for every size, nothing is copied, and processes that
/// map the same file share its memory. Needs no right to write and changes nothing.
///
/// A file that is mapped must be *replaced*, as [`save`](CuckooFilter::save) does, and never rewritten in place: an open
/// `MappedFilter` goes on answering from the file that was replaced. If something cuts a mapped file short, the system
/// ends the process at the next lookup.
pub type MappedFilter = CuckooFilter<Mapped>;

/// Maps an open file read-only.
#[allow(unsafe_code)]
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is private and read-only. What it shows changes only if someone rewrites the file in place, which
    // the format forbids and this crate's writer never does: it replaces files.
    unsafe { Mmap::map(file) }
}

impl MappedFilter {
    /// Maps a file. Reads and checks the header and the stash (nearly always empty), not the table, which may be damaged
    /// then: lookups give wrong answers, but nothing worse. [`verify`](Self::verify) reads it all.
    ///
    /// # Errors
    /// [`FileError`] if the system refuses, and as [`FilterView::open`](crate::FilterView::open).
    pub fn open(path: impl AsRef<Path>, key: Option<&[u8; 16]>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let wrong = FileError::in_file(path);
        let FileSource { file, left: Some(_), .. } = FileSource::open(path)? else {
            return Err(wrong(FormatError::NotAFilter { looks_like: "empty, or no regular file" }));
        };
        let map = map(&file).map_err(FileError::while_trying("map", path))?;
        let (header, table, stash) = locate(&map).map_err(&wrong)?;
        if header.compressed {
            return Err(wrong(FormatError::Compressed));
        }
        let hasher = header.hash.hasher(key).map_err(&wrong)?;
        let checksum = header.table_checksum;
        Ok(header.filter(hasher, Mapped { map, table, checksum }, stash))
    }

    /// Reads the whole table: whether any byte was changed, and whether the counts are right.
    ///
    /// # Errors
    /// [`FormatError`]: the first contradiction.
    pub fn verify(&self) -> Result<(), FormatError> {
        verify(self, self.bytes.checksum)
    }
}
