//! Dumps that RedisBloom wrote: read as they are, and gone on with.

use cuculus::HashKind;
use cuculus_cf::{Filter, Header, Limits, LoadError, Loading, Params, RedisBloomHeader, Shape};

const NONE: &Limits = &Limits::NONE;

/// Slots by sub-filter that a made-up dump has: enough for the model, whose hash is another implementation.
struct Made {
    header: RedisBloomHeader,
    tables: Vec<Vec<u8>>,
}

/// MurmurHash64A as its author describes it, byte by byte.
fn murmur(bytes: &[u8]) -> u64 {
    const M: u64 = 0xc6a4a7935bd1e995;
    let mut hash = (bytes.len() as u64).wrapping_mul(M);
    let mut rest = bytes;
    while rest.len() >= 8 {
        let mut word = (0..8).fold(0u64, |word, i| word | u64::from(rest[i]) << (8 * i)).wrapping_mul(M);
        word ^= word >> 47;
        hash = (hash ^ word.wrapping_mul(M)).wrapping_mul(M);
        rest = &rest[8..];
    }
    for (i, byte) in rest.iter().enumerate().rev() {
        hash ^= u64::from(*byte) << (8 * i);
    }
    if !rest.is_empty() {
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 47;
    hash = hash.wrapping_mul(M);
    hash ^ hash >> 47
}

impl Made {
    fn new(buckets: u64, bucket_size: u8, parts: u64, expansion: u16) -> Self {
        let header =
            RedisBloomHeader { items: 0, buckets, deleted: 3, parts, bucket_size, max_iterations: 20, expansion };
        let size = |part: u32| buckets * u64::from(expansion.max(1)).pow(part) * u64::from(bucket_size);
        Made { header, tables: (0..parts as u32).map(|part| vec![0; size(part) as usize]).collect() }
    }

    /// Puts an item into a free slot of a sub-filter, as RedisBloom would.
    fn put(&mut self, part: usize, item: &[u8]) -> bool {
        let size = usize::from(self.header.bucket_size);
        let buckets = (self.tables[part].len() / size) as u64;
        let hash = murmur(item);
        let fingerprint = hash % 255 + 1;
        for index in [hash % buckets, (hash ^ fingerprint.wrapping_mul(0x5bd1e995)) % buckets] {
            let bucket = &mut self.tables[part][index as usize * size..][..size];
            if let Some(slot) = bucket.iter_mut().find(|slot| **slot == 0) {
                *slot = fingerprint as u8;
                self.header.items += 1;
                return true;
            }
        }
        false
    }

    fn load(&self) -> Filter {
        self.try_load().unwrap()
    }

    fn try_load(&self) -> Result<Filter, LoadError> {
        let Header::RedisBloom(header) = Header::parse(&self.header.to_bytes())? else { panic!("not RedisBloom's") };
        let params = Params {
            capacity: 64,
            bucket_size: header.bucket_size,
            max_iterations: header.max_iterations,
            expansion: header.expansion,
            rate: 0.01,
            shape: if header.expansion > 0 { Shape::Growing } else { Shape::Compact },
            hash: HashKind::Xxh3 { seed: 0 },
        };
        let mut loading = Loading::begin_redisbloom(header, params, NONE)?;
        let (mut position, mut loaded) = (1, None);
        for table in &self.tables {
            position += table.len() as u64;
            assert!(loaded.is_none());
            loaded = loading.take(position, table, NONE)?;
        }
        Ok(loaded.expect("the last chunk completes the filter"))
    }
}

fn item(number: u64) -> Vec<u8> {
    format!("{number:x}:item").into_bytes()
}

#[test]
fn what_was_stored_is_found_counted_and_removed() {
    for (buckets, bucket_size, parts, expansion) in [(64, 2, 4, 1), (16, 4, 3, 2), (256, 1, 1, 0), (1, 3, 5, 4)] {
        let mut made = Made::new(buckets, bucket_size, parts, expansion);
        let stored: Vec<u64> = (0..600).filter(|&n| made.put((n % parts) as usize, &item(n))).collect();
        let mut filter = made.load();
        assert_eq!((filter.len(), filter.info().deleted), (stored.len() as u64, 3));
        assert_eq!(filter.info().tables, parts);
        let again = Filter::from_image(&filter.to_image(), NONE).unwrap();
        assert_eq!(again.to_image(), filter.to_image());
        // Removing one never hides another: every order of sub-filters, and items that are alike in some of them.
        for (gone, &number) in stored.iter().enumerate() {
            assert!(filter.remove(&item(number)));
            for &left in &stored[gone + 1..] {
                assert!(filter.contains(&item(left)), "{left} after {number}");
            }
        }
        assert!(filter.is_empty());
    }
}

/// Old items in small, crowded tables and new ones in ours: many would match in both, and none may be lost.
#[test]
fn nothing_is_lost_between_old_tables_and_new_ones() {
    let mut made = Made::new(16, 8, 2, 1);
    let old: Vec<u64> = (0..2_000).filter(|&n| made.put((n % 2) as usize, &item(n))).collect();
    let mut filter = made.load();
    let new: Vec<u64> = (10_000..13_000).collect();
    for &number in &new {
        filter.insert(&item(number), NONE).unwrap();
    }
    let mut left: Vec<u64> = old.iter().chain(&new).copied().collect();
    assert_eq!(filter.len(), left.len() as u64);
    // An order that mixes both.
    left.sort_by_key(|&number| murmur(&number.to_le_bytes()));
    let total = left.len() as u64;
    for gone in 0..left.len() {
        assert!(filter.remove(&item(left[gone])));
        assert_eq!(filter.len(), total - gone as u64 - 1);
        if gone % 50 == 0 {
            for &other in &left[gone + 1..] {
                assert!(filter.contains(&item(other)), "{other} after {}", left[gone]);
            }
        }
        if gone % 500 == 0 {
            filter = Filter::from_image(&filter.to_image(), NONE).unwrap();
        }
    }
    assert!(filter.is_empty());
}

/// After a merge an item may lie behind a match of an earlier table.
#[test]
fn nothing_is_lost_after_merges() {
    let fill = |parts: u64, range: std::ops::Range<u64>| {
        let mut made = Made::new(16, 8, parts, 1);
        let old: Vec<u64> = range.clone().filter(|&n| made.put((n % parts) as usize, &item(n))).collect();
        let mut filter = made.load();
        let new: Vec<u64> = (range.start + 10_000..range.start + 11_000).collect();
        new.iter().for_each(|&number| filter.insert(&item(number), NONE).unwrap());
        (filter, old.into_iter().chain(new).collect::<Vec<_>>())
    };
    let (mut filter, mut left) = fill(2, 0..2_000);
    let (other, more) = fill(1, 5_000..6_000);
    if filter.merge(&other, NONE).is_err() {
        return;
    }
    left.extend(more);
    assert_eq!(filter.len(), left.len() as u64);
    left.sort_by_key(|&number| murmur(&number.to_le_bytes()));
    let mut noted = 0;
    for gone in 0..left.len() {
        assert!(filter.remove(&item(left[gone])));
        noted += u64::from(filter.contains(&item(left[gone])));
        assert_eq!(filter.len(), (left.len() - gone - 1) as u64);
        if gone % 50 == 0 {
            for &other in &left[gone + 1..] {
                assert!(filter.contains(&item(other)), "{other} after {}", left[gone]);
            }
            filter = Filter::from_image(&filter.to_image(), NONE).unwrap();
        }
    }
    assert!(filter.is_empty() && noted > 0);
    // What was only noted is given back when it is stored again.
    for &number in &left[..200] {
        filter.insert(&item(number), NONE).unwrap();
        assert!(filter.contains(&item(number)));
    }
    assert_eq!(filter.len(), 200);
}

#[test]
fn headers_that_no_filter_has() {
    let good = RedisBloomHeader {
        items: 0,
        buckets: 64,
        deleted: 0,
        parts: 1,
        bucket_size: 2,
        max_iterations: 20,
        expansion: 1,
    };
    assert_eq!(RedisBloomHeader::parse(&good.to_bytes()), Ok(good));
    for bad in [
        RedisBloomHeader { items: 129, ..good },
        RedisBloomHeader { items: u64::MAX, ..good },
        RedisBloomHeader { buckets: 0, ..good },
        RedisBloomHeader { buckets: 65, ..good },
        RedisBloomHeader { buckets: 1 << 40, ..good },
        RedisBloomHeader { deleted: u64::MAX, ..good },
        RedisBloomHeader { parts: 0, ..good },
        RedisBloomHeader { parts: 1 << 40, ..good },
        RedisBloomHeader { parts: 60, expansion: 1 << 15, ..good },
        RedisBloomHeader { parts: 2, expansion: 0, ..good },
        RedisBloomHeader { bucket_size: 0, ..good },
        RedisBloomHeader { max_iterations: 0, ..good },
        RedisBloomHeader { expansion: 3, ..good },
    ] {
        assert!(matches!(RedisBloomHeader::parse(&bad.to_bytes()), Err(LoadError::Parameter(_))), "{bad:?}");
    }
    for len in (0..80).filter(|&len| len != 38) {
        assert_eq!(RedisBloomHeader::parse(&vec![0; len]), Err(LoadError::NotAHeader));
    }
}

#[test]
fn data_that_contradicts_its_header() {
    let mut made = Made::new(64, 2, 2, 1);
    assert!(made.put(0, b"x"));
    made.header.items = 2;
    assert_eq!(made.try_load().err(), Some(LoadError::Count { expected: 2, found: 1 }));
    made.header.items = 1;
    made.load();
    made.tables[1].push(0);
    assert_eq!(made.try_load().err(), Some(LoadError::TrailingBytes));
}
