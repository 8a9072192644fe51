//! A table stored compressed: a zlib stream (RFC 1950). For sparse tables; a full one is noise and does not shrink.
#![forbid(unsafe_code)]

use super::error::FormatError;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output,
    create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags as flags};

/// No deflate stream unpacks to more than this many times its own size: 258 bytes from a match of two bits.
const MOST_RATIO: u64 = 1032;

/// Whether a stream of `stored` bytes can hold a table of `table` bytes and no more. This bounds what a hostile header
/// can claim by what is really there.
pub(super) fn is_possible(stored: u64, table: u64) -> bool {
    (table.div_ceil(MOST_RATIO)..table).contains(&stored)
}

/// Asks for the zlib header (a raw stream would be negative).
const ZLIB_WINDOW: i32 = 15;

/// The compressed table, or `None` where that saves less than an eighth: then it is worth more that the file can be
/// mapped.
///
/// Only runs are looked for: nothing but empty slots repeats in a table. At a load of 0.1 that is 8 times faster than
/// miniz_oxide's default search for all matches, and the result is 5 % smaller.
pub(super) fn compress(table: &[u8]) -> Option<Vec<u8>> {
    let strategy = CompressionStrategy::RLE as i32;
    let mut compressor = Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(6, ZLIB_WINDOW, strategy)));
    let most = table.len() - table.len() / 8;
    let mut packed = Vec::new();
    let (status, _) = compress_to_output(&mut compressor, table, TDEFLFlush::Finish, |bytes| {
        packed.extend_from_slice(bytes);
        packed.len() <= most
    });
    (status == TDEFLStatus::Done && packed.len() <= most).then_some(packed)
}

/// Unpacks a stream into a table that it fills exactly.
pub(super) fn unpack(stream: &[u8], table: &mut [u8]) -> Result<(), FormatError> {
    let mut inflate = Box::new(DecompressorOxide::new());
    let (mut input, mut filled) = (stream, 0);
    loop {
        let flags = FLAGS | flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, taken, given) = decompress(&mut inflate, input, table, filled, flags);
        (input, filled) = (&input[taken..], filled + given);
        match has_ended(status, input)? {
            true if filled < table.len() => return Err(FormatError::Compression(LESS)),
            true => return Ok(()),
            // A full table is offered once more: the end of the stream takes no room.
            false if given == 0 => return Err(FormatError::Compression(MORE)),
            false => {}
        }
    }
}

/// Unpacks a stream of exactly `bytes` bytes in a window, and shows each stretch of it once.
pub(super) fn look_through(
    stream: &[u8],
    bytes: u64,
    mut see: impl FnMut(&[u8]) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut inflate = Box::new(DecompressorOxide::new());
    let mut window = vec![0; WINDOW];
    let (mut input, mut at, mut left) = (stream, 0, bytes);
    loop {
        let (status, taken, given) = decompress(&mut inflate, input, &mut window, at, FLAGS);
        left = left.checked_sub(given as u64).ok_or(FormatError::Compression(MORE))?;
        see(&window[at..at + given])?;
        (input, at) = (&input[taken..], (at + given) % WINDOW);
        match has_ended(status, input)? {
            true if left > 0 => return Err(FormatError::Compression(LESS)),
            true => return Ok(()),
            false if left == 0 && given == 0 => return Err(FormatError::Compression(MORE)),
            false => {}
        }
    }
}

/// As far back as a stream looks.
const WINDOW: usize = 1 << 15;
const FLAGS: u32 =
    flags::TINFL_FLAG_PARSE_ZLIB_HEADER | flags::TINFL_FLAG_HAS_MORE_INPUT | flags::TINFL_FLAG_COMPUTE_ADLER32;
const LESS: &str = "it holds less than the table";
const MORE: &str = "it holds more than the table";

/// Whether a stream has come to its end, which is that of its bytes, or only to that of the room for it.
fn has_ended(status: TINFLStatus, rest: &[u8]) -> Result<bool, FormatError> {
    Err(FormatError::Compression(match status {
        TINFLStatus::Done if rest.is_empty() => return Ok(true),
        TINFLStatus::HasMoreOutput => return Ok(false),
        TINFLStatus::Done => "something follows after its end",
        TINFLStatus::NeedsMoreInput => "it stops before its end",
        TINFLStatus::Adler32Mismatch => "its checksum is wrong",
        _ => "the stream is damaged",
    }))
}
