//! From a name to its bytes, unpacked where they are packed.

use super::unzstd::Unzstd;
use crate::progress::Meter;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Packed bytes read at once.
const PACKED: usize = 128 << 10;

/// How an input is called in messages.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Opens an input. "-" is standard input.
pub(super) fn open(path: &Path, meter: Meter) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return unpack(Metered { inner: io::stdin(), meter }, None);
    }
    let extension = path.extension().and_then(|extension| extension.to_str()).and_then(|extension| {
        [Packing::Gzip, Packing::Zstd].into_iter().find(|packing| packing.extension() == extension)
    });
    unpack(Metered { inner: File::open(path)?, meter }, extension)
}

/// Counts what is read.
struct Metered<R> {
    inner: R,
    meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.meter.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The first bytes: gzip with its only method, a zstd frame.
    fn magic(self) -> &'static [u8] {
        match self {
            Packing::Gzip => &[0x1f, 0x8b, 8],
            Packing::Zstd => &[0x28, 0xb5, 0x2f, 0xfd],
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Packing::Gzip => "gz",
            Packing::Zstd => "zst",
        }
    }
}

/// Looks at the first bytes, as few as decide (an interactive input may have no more), and unpacks what is packed.
fn unpack(mut inner: impl Read + Send + 'static, extension: Option<Packing>) -> io::Result<Box<dyn Read + Send>> {
    let mut first = Vec::new();
    let skippable = |first: &[u8]| first.len() == 4 && first[0] & 0xf0 == 0x50 && first[1..] == [0x2a, 0x4d, 0x18];
    let open = |first: &[u8]| {
        let magic = [Packing::Gzip, Packing::Zstd].iter().any(|packing| packing.magic().starts_with(first));
        // A skippable frame may come first in a .zst; only the name tells it from text then.
        first.len() < 4 && (magic || extension == Some(Packing::Zstd))
    };
    while open(&first) {
        let mut byte = [0];
        match inner.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => first.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if first == Packing::Gzip.magic() {
            break;
        }
    }
    let packing = match extension {
        Some(Packing::Zstd) if skippable(&first) => extension,
        _ => [Packing::Gzip, Packing::Zstd].into_iter().find(|packing| first.starts_with(packing.magic())),
    };
    if let (Some(extension), None) = (extension, packing) {
        let reason = format!("the name ends in .{} but the contents are not of that kind", extension.extension());
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    let whole: Chain<Cursor<Vec<u8>>, _> = Cursor::new(first).chain(inner);
    Ok(match packing {
        None => Box::new(whole),
        Some(Packing::Gzip) => Box::new(MultiGzDecoder::new(BufReader::with_capacity(PACKED, whole))),
        Some(Packing::Zstd) => Box::new(Unzstd::new(BufReader::with_capacity(PACKED, whole))),
    })
}
