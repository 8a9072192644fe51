//! Keys, a naive map of when each was last seen, and how much work a test does.

use core::time::Duration;
use cuculus::{InsertError, Window, WindowFilter};
use std::collections::HashMap;

/// A stream of hashes that have no pattern (SplitMix64).
pub(crate) struct Hashes(pub(crate) u64);

impl Iterator for Hashes {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Some(z ^ (z >> 31))
    }
}

/// `CUCULUS_TEST_SCALE` percent of a test's work.
pub(crate) fn scaled(count: u64) -> u64 {
    let scale = std::env::var("CUCULUS_TEST_SCALE").ok().and_then(|scale| scale.parse::<u64>().ok());
    scale.map_or(count, |percent| (count * percent / 100).max(1))
}

/// What a count of rare events exceeds once in a thousand times.
pub(crate) fn upper_bound(expected: f64) -> f64 {
    expected + 3.1 * expected.sqrt() + 4.0
}

/// Ticks: items, or nanoseconds.
pub(crate) fn ticks(span: Window) -> u64 {
    match span {
        Window::Items(items) => items,
        Window::Time(time) => time.as_nanos() as u64,
        _ => unreachable!("a third kind of window"),
    }
}

/// A filter, and when each hash was last seen.
pub(crate) struct Watched {
    pub(crate) filter: WindowFilter,
    pub(crate) seen: HashMap<u64, u64>,
    now: u64,
    /// Keys that the filter took for others.
    pub(crate) wrong: u64,
    /// Keys that were asked for after they had to be gone, or before they came.
    pub(crate) asked: u64,
}

impl Watched {
    pub(crate) fn new(filter: WindowFilter) -> Self {
        Watched { filter, seen: HashMap::new(), now: 0, wrong: 0, asked: 0 }
    }

    /// What an answer has to be, where the promise says it.
    fn promised(&self, hash: u64) -> Option<bool> {
        let Some(seen) = self.seen.get(&hash) else { return Some(false) };
        let (age, window) = (self.now - seen, ticks(self.filter.window()));
        match age {
            _ if age <= window => Some(true),
            _ if age >= window + ticks(self.filter.step()) => Some(false),
            _ => None,
        }
    }

    fn judge(&mut self, hash: u64, found: bool) {
        match self.promised(hash) {
            Some(true) => assert!(found, "an item of the window is denied"),
            Some(false) => {
                self.asked += 1;
                self.wrong += u64::from(found);
            }
            None => {}
        }
    }

    pub(crate) fn insert(&mut self, hash: u64) -> Result<bool, InsertError> {
        let new = self.filter.insert_hash(hash)?;
        self.judge(hash, !new);
        self.seen.insert(hash, self.now);
        if matches!(self.filter.window(), Window::Items(_)) {
            self.now += 1;
        }
        Ok(new)
    }

    pub(crate) fn look(&mut self, hash: u64) {
        self.judge(hash, self.filter.contains_hash(hash));
    }

    pub(crate) fn advance(&mut self, by: u64) {
        self.now += by;
        assert_eq!(self.filter.advance(Duration::from_nanos(self.now)), by > 0);
    }
}
