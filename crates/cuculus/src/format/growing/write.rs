//! From a growing filter to bytes.
#![forbid(unsafe_code)]

use super::header::Header;
use super::stash;
use crate::format::checksum::{Checksum, checksum};
use crate::format::header::HEADER_BYTES;
#[cfg(feature = "std")]
use crate::format::{FileError, save};
use crate::growing::GrowingFilter;
use alloc::vec::Vec;

/// The header and the stash section; the table lies between them.
fn ends(filter: &GrowingFilter) -> ([u8; HEADER_BYTES], Vec<u8>) {
    let mut sum = Checksum::new();
    filter.table.pieces(|piece| sum.update(piece));
    let stash = stash::encode(&filter.stash);
    let header = Header { table_checksum: sum.finish(), stash_checksum: checksum(&stash), ..Header::of(filter) };
    (header.encode(), stash)
}

/// Writing in the file format, which [FORMAT.md](https://github.com/cuculus/cuculus/blob/main/FORMAT.md) describes.
/// Equal filters give equal bytes, on every platform.
impl GrowingFilter {
    /// The filter in the file format. Never contains the secret key.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (header, stash) = ends(self);
        let mut bytes = Vec::with_capacity(Header::of(self).file_bytes() as usize);
        bytes.extend_from_slice(&header);
        self.table.pieces(|piece| bytes.extend_from_slice(piece));
        bytes.extend_from_slice(&stash);
        bytes
    }

    /// Writes the filter in the file format. To a file, [`save`](Self::save) is safer.
    ///
    /// # Errors
    /// Whatever the writer says; part of the bytes are written then.
    #[cfg(feature = "std")]
    pub fn write_to(&self, out: &mut (impl std::io::Write + ?Sized)) -> std::io::Result<()> {
        let (header, stash) = ends(self);
        out.write_all(&header)?;
        let mut written = Ok(());
        self.table.pieces(|piece| {
            if written.is_ok() {
                written = out.write_all(piece);
            }
        });
        written?;
        out.write_all(&stash)
    }

    /// Saves the filter in the file format, as [`CuckooFilter::save`](crate::CuckooFilter::save) does: at every moment the
    /// path leads to the whole old file or to the whole new one.
    ///
    /// # Errors
    /// [`FileError::Io`], and the old file is as it was, unless only the last step failed: making the new name durable.
    #[cfg(feature = "std")]
    pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<(), FileError> {
        save::replace(path.as_ref(), |file| self.write_to(file))
    }
}
