//! From a filter to bytes: the only writer.
#![forbid(unsafe_code)]

use super::checksum::checksum;
use super::header::Header;
use super::{stash, zlib};
use crate::filter::CuckooFilter;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// The parts of a file, in order. The table is not copied unless it is compressed.
pub(super) fn parts<S: AsRef<[u8]>>(filter: &CuckooFilter<S>, compress: bool) -> [Cow<'_, [u8]>; 3] {
    let table = filter.bytes.as_ref();
    let packed = compress.then(|| zlib::compress(table)).flatten();
    let compressed = packed.is_some();
    let stored = packed.map_or(Cow::Borrowed(table), Cow::Owned);
    let stash = stash::encode(&filter.stash);
    let header = Header {
        compressed,
        stored_bytes: stored.len() as u64,
        table_checksum: checksum(&stored),
        stash_checksum: checksum(&stash),
        ..Header::of(filter)
    };
    [Cow::Owned(header.encode().to_vec()), stored, Cow::Owned(stash)]
}

/// Writing in the file format, which [FORMAT.md](https://github.com/cuculus/cuculus/blob/main/FORMAT.md) describes.
/// Equal filters give equal bytes, on every platform.
impl<S: AsRef<[u8]>> CuckooFilter<S> {
    /// The filter in the file format: the table as it is, and at most 1 KiB more. Never contains the secret key.
    pub fn to_bytes(&self) -> Vec<u8> {
        parts(self, false).concat()
    }

    /// The filter in the file format, its table compressed if that saves an eighth or more: for sparse filters. A full
    /// table hardly shrinks and is stored plain. Compressed filters are loaded, not viewed or mapped.
    pub fn to_compressed_bytes(&self) -> Vec<u8> {
        parts(self, true).concat()
    }

    /// Writes the filter in the file format, compressed or plain as [`to_compressed_bytes`](Self::to_compressed_bytes)
    /// and [`to_bytes`](Self::to_bytes). To a file, [`save`](Self::save) is safer.
    ///
    /// # Errors
    /// Whatever the writer says; part of the bytes are written then.
    #[cfg(feature = "std")]
    pub fn write_to(&self, out: &mut (impl std::io::Write + ?Sized), compress: bool) -> std::io::Result<()> {
        parts(self, compress).iter().try_for_each(|part| out.write_all(part))
    }
}
