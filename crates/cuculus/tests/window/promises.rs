//! Found for the window, gone a step later, at the rate that was asked for, without end.

use super::rig::{Hashes, Watched, scaled, ticks, upper_bound};
use core::time::Duration;
use cuculus::{InsertError, Window, WindowFilter};

/// The hash with a number, of a stream.
fn numbered(stream: u64, number: u64) -> u64 {
    Hashes(!stream << 40 ^ number).next().unwrap()
}

/// A hundred turnovers of windows of many sizes, rates and steps, full to the last place: no item is denied or refused, and
/// what is not in the window is found at the promised rate at most.
#[test]
fn a_hundred_turnovers_at_the_promised_rate() {
    for (items, rate, steps) in [
        (1, 0.01, 1),
        (12, 0.05, 12),
        (100, 0.01, 7),
        (1_000, 0.001, 60),
        (5_000, 0.01, 12),
        (5_000, 0.05, 1),
        (20_000, 0.01, 13),
        (50_000, 0.0001, 12),
    ] {
        let filter = WindowFilter::builder().items(items).steps(steps).false_positive_rate(rate).build().unwrap();
        assert!(ticks(filter.window()) >= items && ticks(filter.window()) < items + u64::from(steps));
        let (mut watched, mut noise) = (Watched::new(filter), Hashes(items));
        let turnovers = scaled(100).max(3);
        for round in 0..turnovers * items {
            // New ones, now and then one again, and others that never came.
            let again = round % 16 == 15 && watched.filter.now() != Window::Items(0);
            let number = if again { round - noise.next().unwrap() % items.min(round) } else { round };
            watched.insert(numbered(items, number)).unwrap();
            watched.look(noise.next().unwrap());
            if watched.seen.len() as u64 > 4 * items + 1_000 {
                watched.seen.retain(|_, &mut seen| round - seen < 2 * items + 100);
            }
        }
        assert_eq!(watched.filter.validate(), Ok(()));
        assert!(watched.filter.len() <= watched.filter.capacity());
        assert!(watched.filter.false_positive_rate() <= rate * (1.0 + 1e-9));
        let bound = upper_bound(watched.asked as f64 * rate);
        assert!(watched.wrong as f64 <= bound, "{items} items at {rate}: {} of {}", watched.wrong, watched.asked);
    }
}

/// The same for time: bursts and pauses, times that go back, keys that come again.
#[test]
fn windows_of_time_keep_their_promise() {
    for (steps, spans) in [(1, 3), (5, 40), (12, 1_000), (60, 90)] {
        let window = Duration::from_nanos(spans * u64::from(steps));
        let builder = WindowFilter::builder().duration(window).items(3_000).steps(steps).false_positive_rate(0.01);
        let (mut watched, mut noise) = (Watched::new(builder.build().unwrap()), Hashes(steps.into()));
        assert_eq!((watched.filter.window(), watched.filter.steps()), (Window::Time(window), steps));
        let pace = 1 + ticks(watched.filter.window()) / 2_500;
        let mut lately = Vec::new();
        for round in 0..scaled(200_000) {
            let roll = noise.next().unwrap();
            let hash = match roll % 4 {
                0 if !lately.is_empty() => lately[roll as usize / 4 % lately.len()],
                _ => noise.next().unwrap(),
            };
            watched.insert(hash).unwrap();
            lately.push(hash);
            watched.look(noise.next().unwrap());
            if round % 2_000 == 0 {
                lately.iter().for_each(|&hash| watched.look(hash));
                lately.clear();
                // A pause of up to three windows.
                watched.advance(roll % (3 * pace * 2_500));
            } else if round % 3 == 0 || spans * u64::from(steps) > 2_500 {
                watched.advance(roll % (2 * pace + 1));
            } else {
                let now = watched.filter.now();
                assert!(!watched.filter.advance(Duration::ZERO));
                assert_eq!(watched.filter.now(), now);
            }
        }
        let bound = upper_bound(watched.asked as f64 * 0.01);
        assert!(watched.wrong as f64 <= bound, "{steps} steps: {} of {}", watched.wrong, watched.asked);
    }
}

/// After a pause of many windows everything is gone at once, and the filter goes on.
#[test]
fn a_long_pause() {
    let builder = WindowFilter::builder().duration(Duration::from_secs(60)).items(50_000).false_positive_rate(0.01);
    let mut filter = builder.build().unwrap();
    let mut noise = Hashes(5);
    for years in 1..20 {
        let hashes: Vec<u64> = noise.by_ref().take(50_000).collect();
        let mut new = vec![false; hashes.len()];
        filter.insert_many_hash_into(&hashes, &mut new).unwrap();
        assert!(filter.contains_many_hash(&hashes).iter().all(|&found| found));
        filter.advance(Duration::from_secs(1 + years * 365 * 24 * 3_600));
        assert!(filter.is_empty() && !filter.contains_many_hash(&hashes).contains(&true));
        assert_eq!(filter.validate(), Ok(()));
    }
    // The end of all time: nothing overflows.
    filter.advance(Duration::MAX);
    assert!(filter.insert("last").unwrap() && filter.contains("last") && !filter.advance(Duration::MAX));
}

/// BR-002: a window of time that is full refuses what is new, changes nothing, renews what it has, and takes new items when
/// old ones are gone.
#[test]
fn refusals_change_nothing() {
    let builder = WindowFilter::builder().duration(Duration::from_secs(60)).items(600).false_positive_rate(0.01);
    let mut filter = builder.build().unwrap();
    let mut before = filter.clone();
    let refusal = (0..).find_map(|key: u64| {
        before = filter.clone();
        filter.insert(&key).err()
    });
    assert!(filter == before, "a refused insert changed the filter");
    let full = refusal.unwrap();
    assert_eq!(full, InsertError::Full { capacity: 650 });
    assert_eq!((filter.len(), filter.capacity()), (650, 650));
    let refused = (1_000..).find(|key: &u64| !filter.contains(key)).unwrap();
    let error = filter.insert_many(&[1u64, 2, refused, 3]).unwrap_err();
    assert_eq!((error.inserted, error.reason), (2, full));
    filter.advance(Duration::from_secs(40));
    assert_eq!(filter.insert(&7u64), Ok(false));
    assert_eq!(filter.insert(&refused), Err(full));
    filter.advance(Duration::from_secs(66));
    assert_eq!((filter.len(), filter.contains(&7u64)), (1, true));
    assert_eq!(filter.insert(&refused), Ok(true));
}

/// BR-029: one key without end takes one slot, and stays.
#[test]
fn one_key_without_end() {
    let mut filter = WindowFilter::builder().items(1_000).false_positive_rate(0.01).build().unwrap();
    let bytes = filter.memory_bytes();
    assert_eq!(filter.insert("one"), Ok(true));
    for _ in 0..50_000 {
        assert_eq!(filter.insert("one"), Ok(false));
    }
    assert_eq!((filter.len(), filter.memory_bytes(), filter.now()), (1, bytes, Window::Items(50_001)));
}

/// BR-082: an emptied filter is a new one, in the same memory.
#[test]
fn cleared_as_new() {
    for time in [None, Some(Duration::from_secs(10))] {
        let builder = WindowFilter::builder().items(500).false_positive_rate(0.01).seed(3);
        let builder = time.map_or(builder.clone(), |time| builder.duration(time));
        let mut filter = builder.build().unwrap();
        let start = filter.clone();
        for key in 0..300u64 {
            filter.advance(Duration::from_millis(key * 100));
            filter.insert(&key).unwrap();
        }
        assert!(filter != start);
        filter.clear();
        assert!(filter == start && filter.to_bytes() == start.to_bytes() && filter.is_empty());
        assert_eq!(filter.insert("again"), Ok(true));
    }
}

/// Contract 6: many keys at once, whatever the borders, lead to the bytes and answers of one by one.
#[test]
fn many_keys_are_single_keys() {
    for items in [1, 10, 1_000, 30_000] {
        let builder = WindowFilter::builder().items(items).false_positive_rate(0.01);
        let keys: Vec<u64> = Hashes(items).take(20_000).map(|hash| hash % 9_000).collect();
        let mut single = builder.build().unwrap();
        let answers: Vec<bool> = keys.iter().map(|key| single.insert(key).unwrap()).collect();
        let texts: Vec<[u8; 8]> = keys.iter().map(|key| key.to_le_bytes()).collect();
        for size in [1, 7, 8, 100, 20_000] {
            let mut many = builder.build().unwrap();
            let new: Vec<bool> = keys.chunks(size).flat_map(|keys| many.insert_many(keys).unwrap()).collect();
            assert!(new == answers && many == single && many.to_bytes() == single.to_bytes());
            let mut by_bytes = builder.build().unwrap();
            texts.chunks(size).for_each(|keys| _ = by_bytes.insert_many(keys).unwrap());
            assert!(by_bytes == single);
        }
        let found: Vec<bool> = keys.iter().map(|key| single.contains(key)).collect();
        assert_eq!(single.contains_many(&keys), found);
    }
}

/// What a window costs.
#[test]
fn memory_follows_the_items() {
    for (rate, most) in [(0.05, 12.2), (0.01, 15.4), (0.001, 18.7), (1e-6, 31.5)] {
        for items in [100_000, 123_457, 1_000_000, 20_000_001] {
            let plan = WindowFilter::builder().items(items).false_positive_rate(rate).build().unwrap();
            let bits = plan.memory_bytes() as f64 * 8.0 / items as f64;
            assert!(bits < most, "{bits} bits an item at {rate}");
        }
    }
}
