//! The filter against an exact model, its refusals, its images and its dumps.

use cuculus::HashKind;
use cuculus_cf::{CreateError, Dump, Filter, Limits, LoadError, Loading, MergeError, Params, Refusal, Shape};
use std::collections::BTreeMap;

const NONE: &Limits = &Limits::NONE;

fn params(capacity: u64) -> Params {
    Params {
        capacity,
        bucket_size: 2,
        max_iterations: 20,
        expansion: 1,
        rate: 0.01,
        shape: Shape::Growing,
        hash: HashKind::Xxh3 { seed: 0 },
    }
}

/// A table of fixed size, and a growing one beside it when that is full.
fn both(capacity: u64, shape: Shape) -> Params {
    Params { shape, ..params(capacity) }
}

const FIXED: [Shape; 3] = [Shape::Compact, Shape::Packed, Shape::SemiSorted];

fn fixed(capacity: u64, shape: Shape) -> Params {
    Params { expansion: 0, shape, ..params(capacity) }
}

fn item(number: u64) -> Vec<u8> {
    format!("item:{number}").into_bytes()
}

/// A generator for tests (SplitMix64).
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % bound
    }
}

/// Every kind of call at random; an item that is stored is always found, refusals change nothing, and images keep all.
fn walk(params: Params, items: u64, calls: u64, seed: u64) {
    let (mut filter, mut model, mut rng) = (Filter::new(params, NONE).unwrap(), BTreeMap::new(), Rng(seed));
    for call in 0..calls {
        let number = rng.below(items);
        let key = item(number);
        match rng.below(10) {
            0..5 => {
                let before = filter.to_image();
                match filter.insert(&key, NONE) {
                    Ok(()) => *model.entry(number).or_insert(0u32) += 1,
                    Err(_) => assert_eq!(filter.to_image(), before),
                }
            }
            5 => {
                if let Ok(true) = filter.insert_unique(&key, NONE) {
                    assert!(!model.contains_key(&number));
                    model.insert(number, 1);
                }
            }
            _ if model.contains_key(&number) => {
                assert!(filter.remove(&key));
                let copies = model.get_mut(&number).unwrap();
                *copies -= 1;
                if *copies == 0 {
                    model.remove(&number);
                }
            }
            _ => {}
        }
        if call % 97 == 0 {
            assert_eq!(filter.len(), model.values().map(|&copies| u64::from(copies)).sum::<u64>());
            for (&number, &copies) in &model {
                assert!(filter.contains(&item(number)) && filter.count(&item(number)) >= copies);
                assert!(copies <= params.most_copies());
            }
            let again = Filter::from_image(&filter.to_image(), NONE).unwrap();
            assert_eq!(again.to_image(), filter.to_image());
            filter = again;
        }
    }
    for (number, copies) in model {
        (0..copies).for_each(|_| assert!(filter.remove(&item(number))));
    }
    assert!(filter.is_empty());
}

#[test]
fn walks() {
    walk(params(64), 500, 6_000, 1);
    walk(params(64), 6, 3_000, 2);
    walk(Params { bucket_size: 20, ..params(64) }, 8, 6_000, 3);
    for shape in FIXED {
        walk(both(64, shape), 500, 12_000, 7);
        walk(Params { rate: 0.3, ..both(64, shape) }, 2_000, 12_000, 8);
        walk(fixed(300, shape), 400, 6_000, 4);
        walk(Params { bucket_size: 9, rate: 0.001, ..fixed(300, shape) }, 20, 6_000, 5);
    }
    walk(Params { hash: HashKind::SipHash13 { key: [7; 16] }, ..params(64) }, 500, 3_000, 6);
}

#[test]
fn one_item_fits_a_known_number_of_times() {
    for (bucket_size, expansion, shape, most) in [
        (1, 1, Shape::Growing, 4),
        (1, 1, Shape::Compact, 4),
        (2, 0, Shape::Compact, 4),
        (3, 1, Shape::Growing, 6),
        (255, 0, Shape::Compact, 510),
        (2, 0, Shape::Packed, 8),
        (40, 0, Shape::SemiSorted, 80),
    ] {
        let params = Params { bucket_size, expansion, shape, ..params(4096) };
        let mut filter = Filter::new(params, NONE).unwrap();
        let memory = filter.info().buckets;
        (0..most).for_each(|_| filter.insert(b"x", NONE).unwrap());
        assert_eq!(filter.insert(b"x", NONE), Err(Refusal::TooManyCopies));
        assert_eq!(filter.count(b"x"), most);
        assert_eq!(filter.info().buckets, memory);
    }
}

#[test]
fn limits_hold_at_creation_growth_and_load() {
    let small = Limits { bytes: 20_000, growth: 0 };
    assert!(matches!(Filter::new(params(100_000), &small), Err(CreateError::TooLarge { limit: 20_000, .. })));
    let mut filter = Filter::new(params(1_000), &small).unwrap();
    let taken = (0..100_000).take_while(|&number| filter.insert(&item(number), &small).is_ok()).count() as u64;
    assert!((5_000..12_000).contains(&taken), "{taken}");
    // The limit is for what grows: the filter's own fields come on top.
    assert!(filter.memory_bytes() <= 20_000 + size_of::<Filter>() as u64, "{}", filter.memory_bytes());
    let before = filter.to_image();
    assert_eq!(filter.insert(b"one more", &small), Err(Refusal::Limit));
    assert_eq!(filter.to_image(), before);
    assert!(matches!(Filter::from_image(&before, &Limits { bytes: 500, growth: 0 }), Err(LoadError::TooLarge { .. })));
    // Whoever must obey is not held to any limit.
    filter.insert(b"one more", NONE).unwrap();

    let twice = Limits { bytes: u64::MAX, growth: 2 };
    let mut filter = Filter::new(params(500), &twice).unwrap();
    let taken = (0..9_000).take_while(|&number| filter.insert(&item(number), &twice).is_ok()).count();
    assert_eq!(taken, 1_000);
    filter.remove(&item(0));
    filter.insert(b"another", &twice).unwrap();
}

#[test]
fn images_that_were_changed_are_refused() {
    let mut filter = Filter::new(Params { bucket_size: 9, ..params(50) }, NONE).unwrap();
    (0..60).for_each(|number| filter.insert(&item(number % 5), NONE).unwrap_or(()));
    let image = filter.to_image();
    let mut rng = Rng(9);
    for _ in 0..3_000 {
        let mut damaged = image.clone();
        let at = rng.below(image.len() as u64) as usize;
        damaged[at] ^= 1 << rng.below(8);
        assert!(Filter::from_image(&damaged, NONE).is_err());
        assert!(Filter::from_image(&image[..at], NONE).is_err());
    }
    // With the checksum made right again, every field is still checked: a filter or an error, never a panic.
    for _ in 0..20_000 {
        let mut damaged = image[..image.len() - 8].to_vec();
        let range = if rng.below(2) == 0 { 200.min(damaged.len()) } else { damaged.len() };
        for _ in 0..=rng.below(3) {
            let at = rng.below(range as u64) as usize;
            damaged[at] = rng.below(256) as u8;
        }
        let sum = twox_hash::XxHash3_64::oneshot(&damaged);
        damaged.extend_from_slice(&sum.to_le_bytes());
        if let Ok(mut filter) = Filter::from_image(&damaged, &Limits { bytes: 1 << 20, growth: 0 }) {
            filter.insert(b"x", NONE).unwrap_or(());
            filter.remove(b"x");
            filter.info();
        }
    }
}

fn chunks(filter: &Filter) -> Vec<(u64, Vec<u8>)> {
    let dump = Dump::of(filter);
    let mut chunks = vec![(1, dump.first())];
    let mut place = 0;
    while let Some((chunk, end)) = dump.chunk(place) {
        chunks.push((end + 1, chunk));
        place = end;
    }
    chunks
}

#[test]
fn dumps_come_back_and_partial_loads_are_kept() {
    let mut filter = Filter::new(fixed(2_500_000, Shape::Compact), NONE).unwrap();
    (0..5_000).for_each(|number| filter.insert(&item(number), NONE).unwrap());
    let chunks = chunks(&filter);
    assert!(chunks.len() > 3);
    let mut loading = Loading::begin(&chunks[0].1, NONE).unwrap();
    for (number, (position, chunk)) in chunks[1..].iter().enumerate() {
        // A load goes on after a restart, and a refused chunk changes nothing.
        loading = Loading::from_image(&loading.to_image(), NONE).unwrap();
        let before = loading.to_image();
        assert!(loading.take(*position, &chunk[1..], NONE).is_err());
        assert!(loading.take(position + 1, chunk, NONE).is_err());
        assert!(loading.take(1, &chunks[0].1, NONE).is_err());
        assert_eq!(loading.to_image(), before);
        let whole = loading.take(*position, chunk, NONE).unwrap();
        assert_eq!(whole.is_some(), number + 2 == chunks.len());
        if let Some(whole) = whole {
            assert_eq!(whole.to_image(), filter.to_image());
        }
    }
}

#[test]
fn merges() {
    let filter = |params, range: std::ops::Range<u64>| {
        let mut filter = Filter::new(params, NONE).unwrap();
        range.for_each(|number| filter.insert(&item(number), NONE).unwrap());
        filter
    };
    let mut a = filter(params(1_000), 0..800);
    a.merge(&filter(params(1_000), 500..3_000), NONE).unwrap();
    assert_eq!(a.len(), 3_300);
    (0..3_000).for_each(|number| assert!(a.contains(&item(number))));
    assert_eq!(a.count(&item(600)), 2);
    let before = a.to_image();
    let other = Params { hash: HashKind::Xxh3 { seed: 1 }, ..params(1_000) };
    assert!(matches!(a.merge(&filter(other, 0..1), NONE), Err(MergeError::Mismatch(_))));
    assert!(matches!(a.merge(&filter(fixed(10, Shape::Compact), 0..1), NONE), Err(MergeError::Mismatch(_))));
    assert_eq!(a.merge(&filter(params(1_000), 0..1), &Limits { bytes: 100, growth: 0 }), Err(MergeError::Limit));
    assert_eq!(a.to_image(), before);
}

#[test]
fn compaction_and_clearing() {
    let mut filter = Filter::new(params(100), NONE).unwrap();
    (0..20_000).for_each(|number| filter.insert(&item(number), NONE).unwrap());
    let (large, rate) = (filter.memory_bytes(), filter.params().rate);
    (100..20_000).for_each(|number| assert!(filter.remove(&item(number))));
    assert_eq!(filter.info().deleted, 19_900);
    for _ in 0..1_000 {
        filter.compact();
    }
    assert_eq!(filter.info().deleted, 0);
    assert!(filter.memory_bytes() < large / 4, "{} of {large}", filter.memory_bytes());
    (0..100).for_each(|number| assert!(filter.contains(&item(number))));
    filter.clear().unwrap();
    assert!(filter.is_empty() && filter.params().rate == rate && !filter.contains(&item(1)));
}
