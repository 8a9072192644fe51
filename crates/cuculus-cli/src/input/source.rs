//! From a name to its bytes, unpacked where they are packed.

use super::unzstd::Unzstd;
use crate::progress::Meter;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Packed bytes read at once.
const PACKED: usize = 128 << 10;

/// Packed files that other programs unpack.
const ELSEWHERE: [(&str, &str); 5] = [("xz", "xz"), ("bz2", "bzip2"), ("lz4", "lz4"), ("lzma", "xz"), ("br", "brotli")];

/// How an input is called in messages.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Opens an input. "-" is standard input.
pub(super) fn open(path: &Path, meter: Meter) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return unpack(Metered { inner: io::stdin(), meter }, None);
    }
    let name = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if let Some((_, program)) = ELSEWHERE.iter().find(|(extension, _)| *extension == name) {
        let reason = format!("only gzip and zstd are unpacked here; try: {program} -dc FILE | cuculus ... -");
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    let extension = [Packing::Gzip, Packing::Zstd].into_iter().find(|packing| packing.extension() == name);
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

/// All members of a gzip stream, one after the other.
struct Gunzip<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let told = |error: io::Error| {
            let reason = format!("not a whole gzip stream, or something else follows after it: {error}");
            io::Error::new(error.kind(), reason)
        };
        self.0.read(buffer).map_err(told)
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

/// Takes off the mark that some programs put before UTF-8 text (EF BB BF): before a field in quotes it would hide them.
/// Reads no more bytes than decide.
pub(super) fn without_mark(mut inner: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let mut first = Vec::new();
    while first.len() < MARK.len() && MARK.starts_with(&first) && read_one(&mut inner, &mut first)? {}
    if first == MARK {
        first.clear();
    }
    Ok(Box::new(Cursor::new(first).chain(inner)))
}

/// Reads one byte; `false` at the end.
fn read_one(inner: &mut impl Read, into: &mut Vec<u8>) -> io::Result<bool> {
    let mut byte = [0];
    loop {
        match inner.read(&mut byte) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(read) => {
                into.extend_from_slice(&byte[..read]);
                return Ok(read > 0);
            }
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
    while open(&first) && read_one(&mut inner, &mut first)? && first != Packing::Gzip.magic() {}
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
        Some(Packing::Gzip) => Box::new(Gunzip(MultiGzDecoder::new(BufReader::with_capacity(PACKED, whole)))),
        Some(Packing::Zstd) => Box::new(Unzstd::new(BufReader::with_capacity(PACKED, whole))),
    })
}
