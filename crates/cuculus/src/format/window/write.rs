//! From a window to bytes.
#![forbid(unsafe_code)]

use super::header::Header;
use super::tail;
use crate::format::checksum::checksum;
#[cfg(feature = "std")]
use crate::format::{FileError, save};
use crate::window::WindowFilter;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// The parts of a file, in order.
fn parts(filter: &WindowFilter) -> [Cow<'_, [u8]>; 3] {
    let (table, tail) = (filter.bytes.as_ref(), tail::encode(filter));
    let header =
        Header { table_checksum: checksum(table), tail_checksum: checksum(&tail), ..Header::of(filter) }.encode();
    [Cow::Owned(header.to_vec()), Cow::Borrowed(table), Cow::Owned(tail)]
}

/// Writing in the file format, which [FORMAT.md](https://github.com/cuculus/cuculus/blob/main/FORMAT.md) describes.
/// Equal filters give equal bytes, on every platform.
impl WindowFilter {
    /// The filter in the file format, with its time. Never contains the secret key.
    pub fn to_bytes(&self) -> Vec<u8> {
        parts(self).concat()
    }

    /// Writes the filter in the file format. To a file, [`save`](Self::save) is safer.
    ///
    /// # Errors
    /// Whatever the writer says; part of the bytes are written then.
    #[cfg(feature = "std")]
    pub fn write_to(&self, out: &mut (impl std::io::Write + ?Sized)) -> std::io::Result<()> {
        parts(self).iter().try_for_each(|part| out.write_all(part))
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
