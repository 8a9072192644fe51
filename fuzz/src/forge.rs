//! Bytes that pass as a filter's file, so that decoding gets past its checksums.

use cuculus::{CuckooFilter, Geometry, Placement};
use std::sync::OnceLock;
use twox_hash::XxHash3_64;

/// The secret key of forged files that name one.
pub const KEY: [u8; 16] = [7; 16];

const HEADER: usize = 256;
const HASH: usize = 14;
const KEY_CHECK: usize = 72;
const TABLE_BYTES: usize = 96;
const STORED_BYTES: usize = 104;
const TABLE_CHECKSUM: usize = 120;
const STASH_CHECKSUM: usize = 128;
const CHECKSUM: usize = 248;

/// Makes magic, version, key check and all checksums right. What else the header says is the input's.
pub fn forge(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let (header, _) = bytes.split_at_mut(HEADER);
    header[..12].copy_from_slice(b"\x89CUCULUS\x01\x00\x00\x01");
    if header[HASH] == 2 {
        header[KEY_CHECK..KEY_CHECK + 8].copy_from_slice(key_check());
    }
    forge_checksums(bytes);
}

/// Makes all checksums right.
pub fn forge_checksums(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let (header, rest) = bytes.split_at_mut(HEADER);
    let stored = u64::from_le_bytes(header[STORED_BYTES..STORED_BYTES + 8].try_into().expect("eight bytes"));
    let (table, stash) = rest.split_at(rest.len().min(stored as usize));
    for (at, part) in [(TABLE_CHECKSUM, table), (STASH_CHECKSUM, stash)] {
        header[at..at + 8].copy_from_slice(&XxHash3_64::oneshot(part).to_le_bytes());
    }
    let sum = XxHash3_64::oneshot(&header[..CHECKSUM]);
    header[CHECKSUM..].copy_from_slice(&sum.to_le_bytes());
}

/// Makes the lengths of a plain table what its geometry takes, if that is valid: however large. Before [`forge`].
pub fn forge_lengths(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let field = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let (bits, slots, wide) = (field(16), field(20), field(24));
    let buckets = u64::from(field(32)) | u64::from(field(36)) << 32;
    let geometry = match bytes[12] {
        1 => Geometry::packed(bits, slots, buckets),
        2 => Geometry::semi_sorted(bits, buckets),
        _ => Geometry::compact(bits, slots, wide, buckets),
    };
    let placement = if bytes[13] == 2 { Placement::Xor } else { Placement::AnySize };
    let geometry = geometry.with_placement(placement);
    if geometry.validate().is_ok() {
        for at in [TABLE_BYTES, STORED_BYTES] {
            bytes[at..at + 8].copy_from_slice(&geometry.table_bytes().to_le_bytes());
        }
    }
}

/// What a file says of [`KEY`].
fn key_check() -> &'static [u8; 8] {
    static CHECK: OnceLock<[u8; 8]> = OnceLock::new();
    CHECK.get_or_init(|| {
        let filter = CuckooFilter::builder().geometry(Geometry::packed(8, 4, 2)).secret_key(KEY).build();
        let bytes = filter.expect("the geometry is valid").to_bytes();
        bytes[KEY_CHECK..KEY_CHECK + 8].try_into().expect("eight bytes")
    })
}
