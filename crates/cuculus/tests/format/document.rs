//! FORMAT.md says what the code does.

use cuculus::{CuckooFilter, Geometry, HashKind};

const DOCUMENT: &str = include_str!("../../../../FORMAT.md");

/// BR-065: the whole file that the document prints.
#[test]
fn the_file_in_the_document() {
    let mut filter = CuckooFilter::builder().geometry(Geometry::packed(8, 4, 2)).build().unwrap();
    filter.insert("cuckoo").unwrap();
    let mut printed = vec![0; 320];
    for line in DOCUMENT.lines().filter_map(|line| line.strip_prefix("    ")) {
        let Some((at, bytes)) = line.split_once(": ") else { continue };
        let Ok(at) = usize::from_str_radix(at, 16) else { continue };
        for (i, byte) in bytes.split(' ').enumerate() {
            printed[at + i] = u8::from_str_radix(byte, 16).unwrap();
        }
    }
    assert_eq!(printed, filter.to_bytes());
}

/// BR-044, BR-065: the hashes that the document lists.
#[test]
fn the_hashes_in_the_document() {
    let hasher = |hash| CuckooFilter::builder().items(1).false_positive_rate(0.1).hash(hash).build().unwrap();
    let key = *b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff";
    let columns = [
        hasher(HashKind::Xxh3 { seed: 0 }),
        hasher(HashKind::Xxh3 { seed: 0x0123_4567_89ab_cdef }),
        hasher(HashKind::SipHash13 { key }),
    ];
    let running = |count: usize| (0..count).map(|i| i as u8).collect::<Vec<u8>>();
    for (name, bytes) in [
        ("no bytes", vec![]),
        ("`abc`", b"abc".to_vec()),
        ("`cuckoo`", b"cuckoo".to_vec()),
        ("bytes 0 to 199", running(200)),
        ("bytes 0 to 255, 0 to 43", running(300)),
        ("`cuculus key check`", b"cuculus key check".to_vec()),
    ] {
        let row = DOCUMENT.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap();
        let cells: Vec<&str> =
            row.trim_matches('|').split('|').skip(1).map(|cell| cell.trim().trim_matches('`')).collect();
        for (column, cell) in columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            assert_eq!(format!("{:016x}", column.hash(&bytes)), cell, "{name}");
        }
    }
}
