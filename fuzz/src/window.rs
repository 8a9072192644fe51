//! Windows and their exact model: of each class of items that cannot be told from each other, the step in which one of them
//! was last seen.

use crate::model::{Class, classify};
use arbitrary::{Arbitrary, Result, Unstructured};
use core::time::Duration;
use cuculus::{InsertError, Window, WindowFilter, WindowInfo};
use std::collections::BTreeMap;

/// What a small window is built from.
#[derive(Clone, Debug)]
pub struct Shape {
    items: u64,
    steps: u32,
    /// Nanoseconds, of a window of time.
    duration: Option<u64>,
    rate: f64,
    seed: u64,
}

impl<'a> Arbitrary<'a> for Shape {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let items = u.int_in_range(1..=300)?;
        let duration = u.arbitrary::<bool>()?.then(|| u.int_in_range(1..=2_000)).transpose()?;
        let most = duration.unwrap_or(items).min(60) as u32;
        let rate = [0.4, 0.1, 0.01, 0.0001][u.int_in_range(0..=3)?];
        Ok(Shape { items, steps: u.int_in_range(1..=most)?, duration, rate, seed: u.arbitrary()? })
    }
}

/// One call. Keys are few, so that they come again.
#[derive(Arbitrary, Clone, Debug)]
pub enum Operation {
    Insert(u8),
    /// A hash of the input's choosing, the extremes too.
    InsertHash(u64),
    InsertMany {
        first: u16,
        keys: u8,
        step: u8,
    },
    Contains(u16),
    Advance(u8),
    /// A pause.
    Leap(u32),
    Back(u16),
    Reload,
    Clear,
}

/// A window with its model.
pub struct Pair {
    filter: WindowFilter,
    start: WindowFilter,
    seen: BTreeMap<Class, u64>,
    now: u64,
    /// Ticks of a step.
    ticks: u64,
    timed: bool,
}

impl Pair {
    pub fn new(shape: &Shape) -> Self {
        let builder = WindowFilter::builder().items(shape.items).steps(shape.steps).false_positive_rate(shape.rate);
        let builder = builder.seed(shape.seed);
        let builder = match shape.duration {
            Some(nanos) => builder.duration(Duration::from_nanos(nanos)),
            None => builder,
        };
        let filter = builder.build().expect("the shape is valid");
        let (ticks, timed) = match filter.step() {
            Window::Time(step) => (step.as_nanos() as u64, true),
            Window::Items(step) => (step, false),
            _ => unreachable!("a third kind of window"),
        };
        Pair { start: filter.clone(), filter, seen: BTreeMap::new(), now: 0, ticks, timed }
    }

    fn knows(&self, hash: u64) -> bool {
        let seen = self.seen.get(&classify(self.filter.geometry(), hash));
        seen.is_some_and(|seen| self.now / self.ticks - seen <= u64::from(self.filter.steps()))
    }

    fn len(&self) -> u64 {
        let steps = u64::from(self.filter.steps());
        self.seen.values().filter(|&&seen| self.now / self.ticks - seen <= steps).count() as u64
    }

    /// Makes one call and compares its outcome with the model's.
    pub fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Insert(key) => _ = self.insert(self.filter.hash(&u64::from(key))),
            Operation::InsertHash(hash) => _ = self.insert(hash),
            Operation::InsertMany { first, keys, step } => {
                let keys: Vec<u64> = (0..u64::from(keys)).map(|i| u64::from(first) + i * u64::from(step)).collect();
                let mut many = self.filter.clone();
                let mut new = vec![false; keys.len()];
                let outcome = many.insert_many_into(&keys, &mut new);
                for (at, key) in keys.iter().enumerate() {
                    match self.insert(self.filter.hash(key)) {
                        Ok(single) => assert_eq!(single, new[at]),
                        Err(reason) => {
                            let error = outcome.expect_err("a refusal");
                            assert_eq!((error.inserted, error.reason), (at, reason));
                            break;
                        }
                    }
                }
                assert!(many == self.filter, "insert_many and insert differ");
            }
            Operation::Contains(key) => {
                let hash = self.filter.hash(&u64::from(key));
                assert_eq!(self.filter.contains_hash(hash), self.knows(hash));
            }
            Operation::Advance(by) => self.advance(self.now + u64::from(by)),
            Operation::Leap(by) => self.advance(self.now + u64::from(by)),
            Operation::Back(by) => self.advance(self.now.saturating_sub(by.into())),
            Operation::Reload => {
                let copy = WindowFilter::from_bytes(&self.filter.to_bytes(), None).expect("it loads");
                assert!(copy == self.filter);
                self.filter = copy;
            }
            Operation::Clear => {
                self.filter.clear();
                assert!(self.filter == self.start, "a cleared window is not a new one");
                (self.seen, self.now) = (BTreeMap::new(), 0);
            }
        }
        assert_eq!(self.filter.len(), self.len());
    }

    fn insert(&mut self, hash: u64) -> std::result::Result<bool, InsertError> {
        let (before, known) = (self.filter.clone(), self.knows(hash));
        let outcome = self.filter.insert_hash(hash);
        match outcome {
            Ok(new) => {
                assert_eq!(new, !known);
                self.seen.insert(classify(self.filter.geometry(), hash), self.now / self.ticks);
                self.now += u64::from(!self.timed);
            }
            Err(reason) => {
                assert!(!known && self.filter == before, "a refused insert changed the filter");
                let full = self.timed && before.len() == before.capacity();
                assert!(full || matches!(reason, InsertError::NoRoom { .. }) && before.stashed() == 64);
            }
        }
        outcome
    }

    fn advance(&mut self, now: u64) {
        let before = self.filter.clone();
        let moved = self.filter.advance(Duration::from_nanos(now));
        assert_eq!(moved, self.timed && now > self.now);
        match moved {
            true => self.now = now,
            false => assert!(self.filter == before),
        }
    }

    /// Checks everything, and returns the filter's file.
    pub fn check(&self) -> Vec<u8> {
        self.filter.validate().expect("it is valid");
        let hashes: Vec<u64> = (0..300u64).map(|key| self.filter.hash(&key)).collect();
        let known: Vec<bool> = hashes.iter().map(|&hash| self.knows(hash)).collect();
        assert_eq!(self.filter.contains_many_hash(&hashes), known);
        let bytes = self.filter.to_bytes();
        WindowInfo::verify_bytes(&bytes).expect("it verifies");
        bytes
    }
}

/// Reads a file that says anything, and uses it if it is a filter.
pub fn use_forged(bytes: &[u8]) {
    let verified = WindowInfo::verify_bytes(bytes);
    let Ok(mut filter) = WindowFilter::from_bytes(bytes, None) else { return };
    assert_eq!(verified, WindowInfo::read(bytes));
    for hash in (1..100u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
        if let Window::Time(now) = filter.now() {
            filter.advance(now.saturating_add(Duration::from_nanos(hash % 64)));
        }
        if filter.insert_hash(hash).is_ok() {
            assert!(filter.contains_hash(hash));
        }
    }
    filter.validate().expect("it stays valid");
    assert!(WindowFilter::from_bytes(&filter.to_bytes(), None).expect("it loads") == filter);
}
