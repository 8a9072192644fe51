//! Reading filters from files.
#![forbid(unsafe_code)]

use super::error::{FileError, FormatError};
use super::header::{FileInfo, FilterKind, Header};
use super::mapped;
use super::read::{Access, Source, read, verify_bytes};
use crate::filter::CuckooFilter;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::vec::Vec;

/// An open file or pipe.
pub(super) struct FileSource<'a> {
    pub(super) file: File,
    path: &'a Path,
    /// Bytes to come, of a regular file that is not empty.
    pub(super) left: Option<u64>,
    rest: Rest,
}

/// What is left of a file, all at once.
enum Rest {
    NotYet,
    Mapped(memmap2::Mmap),
    Read(Vec<u8>),
}

impl<'a> FileSource<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self, FileError> {
        let file = File::open(path).map_err(FileError::while_trying("open", path))?;
        let metadata = file.metadata().map_err(FileError::while_trying("read", path))?;
        // Files that the system makes up as they are read claim to be empty.
        let left = (metadata.is_file() && metadata.len() > 0).then_some(metadata.len());
        Ok(FileSource { file, path, left, rest: Rest::NotYet })
    }
}

/// A [`FileError`] whose path is added at the end.
pub(super) enum Failure {
    Io(std::io::Error),
    Format(FormatError),
}

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Self {
        Failure::Format(error)
    }
}

impl Failure {
    pub(super) fn at(self, path: &Path) -> FileError {
        match self {
            Failure::Io(error) => FileError::while_trying("read", path)(error),
            Failure::Format(error) => FileError::in_file(path)(error),
        }
    }
}

impl Source for FileSource<'_> {
    type Error = Failure;

    fn read(&mut self, into: &mut [u8]) -> Result<usize, Failure> {
        loop {
            match self.file.read(into) {
                Ok(got) => {
                    self.left = self.left.map(|left| left.saturating_sub(got as u64));
                    return Ok(got);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::Io(error)),
            }
        }
    }

    fn left(&self) -> Option<u64> {
        self.left
    }

    fn rest(&mut self, most: u64) -> Result<&[u8], Failure> {
        self.rest = match self.left {
            Some(_) => Rest::Mapped(mapped::map(&self.file).map_err(Failure::Io)?),
            None => {
                let mut bytes = Vec::new();
                (&self.file).take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(Failure::Io)?;
                Rest::Read(bytes)
            }
        };
        Ok(match (&self.rest, self.left) {
            (Rest::Mapped(map), Some(left)) => &map[map.len() - map.len().min(left as usize)..],
            (Rest::Read(bytes), _) => bytes,
            _ => &[],
        })
    }
}

fn read_from(mut source: FileSource<'_>, access: Access<'_>) -> Result<(Header, CuckooFilter), FileError> {
    read(&mut source, access).map_err(|failure| failure.at(source.path))
}

impl CuckooFilter {
    /// Reads a filter from a file or a pipe, plain or compressed, with its secret key if it has one, and verifies all of
    /// it, as [`from_bytes`](Self::from_bytes) does.
    ///
    /// # Errors
    /// [`FileError`], with the path and what the system said or what is wrong with the bytes.
    pub fn load(path: impl AsRef<Path>, key: Option<&[u8; 16]>) -> Result<Self, FileError> {
        read_from(FileSource::open(path.as_ref())?, Access::Use(key)).map(|(_, filter)| filter)
    }
}

/// The bytes of a file's header, and the length of a regular file.
pub(super) fn first_bytes(path: &Path) -> Result<(Vec<u8>, Option<u64>), FileError> {
    let FileSource { file, left, .. } = FileSource::open(path)?;
    let mut first = Vec::with_capacity(FileInfo::BYTES);
    file.take(FileInfo::BYTES as u64).read_to_end(&mut first).map_err(FileError::while_trying("read", path))?;
    Ok((first, left))
}

impl FilterKind {
    /// Which kind of filter a file holds.
    ///
    /// # Errors
    /// [`FileError`], with the path and what the system said or what is wrong with the header.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let (first, _) = first_bytes(path)?;
        Self::read(&first).map_err(FileError::in_file(path))
    }
}

impl FileInfo {
    /// What a file or a pipe says it is. Reads the header only, and compares a regular file's length with it.
    ///
    /// # Errors
    /// [`FileError`], with the path and what the system said or what is wrong with the header.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let (first, left) = first_bytes(path)?;
        let header = Header::parse(&first).map_err(FileError::in_file(path))?;
        left.map_or(Ok(()), |length| header.check_length(length)).map_err(FileError::in_file(path))?;
        Ok(header.info())
    }
}

/// Checks every byte of a filter's file, as [`verify_bytes`] does. A plain table is not copied to memory for it.
///
/// # Errors
/// [`FileError`], with the path and what the system said or what is wrong with the bytes.
pub fn verify_file(path: impl AsRef<Path>) -> Result<FileInfo, FileError> {
    let path = path.as_ref();
    // Opened once: a pipe has its bytes for one reader.
    let source = FileSource::open(path)?;
    match source.left {
        Some(_) => {
            let map = mapped::map(&source.file).map_err(FileError::while_trying("map", path))?;
            verify_bytes(&map).map_err(FileError::in_file(path))
        }
        None => read_from(source, Access::Inspect).map(|(header, _)| header.info()),
    }
}
