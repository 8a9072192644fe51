//! From bytes to a window.
#![forbid(unsafe_code)]

use super::header::{Header, WindowInfo};
use super::tail;
use crate::format::FormatError;
use crate::format::checksum::checksum;
use crate::format::header::HEADER_BYTES;
use crate::format::read::{Access, Reader, Source, check_sum, fill, plain_table};
use crate::window::WindowFilter;
use alloc::vec;

/// Reads a whole filter and verifies all of it. Memory is taken as bytes arrive for it.
pub(super) fn read<R: Source>(source: &mut R, access: Access<'_>) -> Result<(Header, WindowFilter), R::Error> {
    // 1. The header, and whether the file is as long as it says.
    let total = source.left();
    let mut first = [0; HEADER_BYTES];
    let got = fill(source, &mut first)?;
    let header = Header::parse(&first[..got])?;
    if let Some(total) = total {
        header.check_length(total)?;
    }
    let hasher = access.hasher(header.hash)?;
    // 2. The table, and the few hundred bytes after it, with their checksums.
    let mut reader = Reader::new(source, header.file_bytes());
    let table = plain_table(&mut reader, header.geometry.table_bytes(), header.table_checksum, total.is_some())?;
    let mut bytes = vec![0; header.tail_bytes() as usize];
    reader.exactly(&mut bytes)?;
    check_sum("stash", header.tail_checksum, checksum(&bytes))?;
    // 3. Nothing more.
    reader.end()?;
    // 4. The contents, recounted.
    let (clock, stash) = tail::decode(&header, &bytes)?;
    let sweep = (header.hand, header.swept);
    let mut filter = WindowFilter::from_parts(header.spec(hasher), table, clock, sweep, stash);
    filter.count_items().map_err(FormatError::Contents)?;
    match filter.len() == header.len {
        true => Ok((header, filter)),
        false => Err(FormatError::Contents("the number of items in the window is not that of the header").into()),
    }
}

impl WindowFilter {
    /// A filter from bytes of the file format, with its secret key if it has one. Verifies everything: what comes out
    /// works like the filter that was written, to the same bytes.
    ///
    /// # Errors
    /// [`FormatError`]: the first thing that is wrong.
    pub fn from_bytes(bytes: &[u8], key: Option<&[u8; 16]>) -> Result<Self, FormatError> {
        read(&mut &*bytes, Access::Use(key)).map(|(_, filter)| filter)
    }
}

impl WindowInfo {
    /// Checks every byte of a window in the file format, without its secret key, and says what it is.
    ///
    /// # Errors
    /// [`FormatError`]: the first thing that is wrong.
    pub fn verify_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        read(&mut &*bytes, Access::Inspect).map(|(header, _)| header.info())
    }
}

#[cfg(feature = "std")]
mod file {
    use super::{Access, Header, WindowFilter, WindowInfo, read};
    use crate::format::FileError;
    use crate::format::file::{FileSource, first_bytes};
    use std::path::Path;

    impl WindowFilter {
        /// Reads a filter from a file or a pipe, with its secret key if it has one, and verifies all of it.
        ///
        /// # Errors
        /// [`FileError`], with the path and what the system said or what is wrong with the bytes.
        pub fn load(path: impl AsRef<Path>, key: Option<&[u8; 16]>) -> Result<Self, FileError> {
            read_file(path.as_ref(), Access::Use(key)).map(|(_, filter)| filter)
        }
    }

    impl WindowInfo {
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

        /// Checks every byte of a window's file, as [`verify_bytes`](Self::verify_bytes) does.
        ///
        /// # Errors
        /// [`FileError`], with the path and what the system said or what is wrong with the bytes.
        pub fn verify_file(path: impl AsRef<Path>) -> Result<Self, FileError> {
            read_file(path.as_ref(), Access::Inspect).map(|(header, _)| header.info())
        }
    }

    fn read_file(path: &Path, access: Access<'_>) -> Result<(Header, WindowFilter), FileError> {
        let mut source = FileSource::open(path)?;
        read(&mut source, access).map_err(|failure| failure.at(path))
    }
}
