//! From bytes to a growing filter.
#![forbid(unsafe_code)]

use super::header::{GrowingInfo, Header};
use super::stash::{Decoder, ENTRY_BYTES};
use crate::format::FormatError;
use crate::format::checksum::Checksum;
use crate::format::header::HEADER_BYTES;
use crate::format::read::{Access, Reader, Source, check_sum, fill};
use crate::growing::{Arriving, GrowingFilter};

/// Reads a whole filter and verifies all of it. Memory is taken as bytes arrive for it.
pub(super) fn read<R: Source>(source: &mut R, access: Access<'_>) -> Result<(Header, GrowingFilter), R::Error> {
    // 1. The header, and whether the file is as long as it says.
    let total = source.left();
    let mut first = [0; HEADER_BYTES];
    let got = fill(source, &mut first)?;
    let header = Header::parse(&first[..got])?;
    if let Some(total) = total {
        header.check_length(total)?;
    }
    let hasher = access.hasher(header.hash)?;
    // 2. The table and the stash, with their checksums.
    let mut reader = Reader::new(source, header.file_bytes());
    let mut arriving = Arriving::new(header.shape(), header.lines);
    let mut sum = Checksum::new();
    let no_memory = |()| FormatError::Allocation { bytes: header.table_bytes() };
    while let Some(room) = arriving.room().map_err(no_memory)? {
        reader.exactly(room)?;
        sum.update(room);
    }
    check_sum("table", header.table_checksum, sum.finish())?;
    let mut decoder = Decoder::new(header.shape());
    reader.stash::<ENTRY_BYTES>(header.stash_entries, header.stash_checksum, |entry| decoder.entry(entry))?;
    // 3. Nothing more.
    reader.end()?;
    // 4. The contents, recounted.
    let table = arriving.finish().map_err(FormatError::Contents)?;
    let filter = GrowingFilter::from_parts(header.spec(hasher), table, decoder.finish(), header.len);
    filter.check_counts().map_err(FormatError::Contents)?;
    Ok((header, filter))
}

impl GrowingFilter {
    /// A filter from bytes of the file format, with its secret key if it has one. Verifies everything: what comes out
    /// works like the filter that was written, to the same bytes.
    ///
    /// # Errors
    /// [`FormatError`]: the first thing that is wrong.
    pub fn from_bytes(bytes: &[u8], key: Option<&[u8; 16]>) -> Result<Self, FormatError> {
        read(&mut &*bytes, Access::Use(key)).map(|(_, filter)| filter)
    }
}

impl GrowingInfo {
    /// Checks every byte of a growing filter in the file format, without its secret key, and says what it is.
    ///
    /// # Errors
    /// [`FormatError`]: the first thing that is wrong.
    pub fn verify_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        read(&mut &*bytes, Access::Inspect).map(|(header, _)| header.info())
    }
}

#[cfg(feature = "std")]
mod file {
    use super::{Access, GrowingFilter, GrowingInfo, Header, read};
    use crate::format::FileError;
    use crate::format::file::{FileSource, first_bytes};
    use std::path::Path;

    impl GrowingFilter {
        /// Reads a filter from a file or a pipe, with its secret key if it has one, and verifies all of it.
        ///
        /// # Errors
        /// [`FileError`], with the path and what the system said or what is wrong with the bytes.
        pub fn load(path: impl AsRef<Path>, key: Option<&[u8; 16]>) -> Result<Self, FileError> {
            read_file(path.as_ref(), Access::Use(key)).map(|(_, filter)| filter)
        }
    }

    impl GrowingInfo {
        /// What a file or a pipe says it is. Reads the header only, and compares a regular file's length with it.
        ///
        /// # Errors
        /// [`FileError`], with the path and what the system said or what is wrong with the header.
        pub fn of_file(path: impl AsRef<Path>) -> Result<Self, FileError> {
            let path = path.as_ref();
            let (first, length) = first_bytes(path)?;
            let header = Header::parse(&first).map_err(FileError::in_file(path))?;
            length.map_or(Ok(()), |length| header.check_length(length)).map_err(FileError::in_file(path))?;
            Ok(header.info())
        }

        /// Checks every byte of a growing filter's file, as [`verify_bytes`](Self::verify_bytes) does.
        ///
        /// # Errors
        /// [`FileError`], with the path and what the system said or what is wrong with the bytes.
        pub fn verify_file(path: impl AsRef<Path>) -> Result<Self, FileError> {
            read_file(path.as_ref(), Access::Inspect).map(|(header, _)| header.info())
        }
    }

    fn read_file(path: &Path, access: Access<'_>) -> Result<(Header, GrowingFilter), FileError> {
        let mut source = FileSource::open(path)?;
        read(&mut source, access).map_err(|failure| failure.at(path))
    }
}
