//! Against an exact model: items that are equal in candidates and fingerprint cannot be told from each other, all others
//! can, so every answer is known, false positives too.

use super::clock::Steps;
use super::filter::Spec;
use super::lines::with_lines;
use super::{Stash, WindowFilter};
use crate::geometry::Geometry;
use crate::hash::{HashKind, ItemHasher};
use crate::rng::Rng;
use crate::table::Cells;
use crate::{InsertError, Window};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

/// A filter of an explicit shape: any capacity, however little room there is.
fn filter(fingerprints: Geometry, cut: Steps, capacity: u64) -> WindowFilter {
    let hasher = ItemHasher::new(HashKind::default());
    WindowFilter::from_spec(Spec { fingerprints, cut, hasher, capacity, promised_rate: 0.5 }).unwrap()
}

type Class = (u64, u32);

struct Pair {
    filter: WindowFilter,
    /// The step in which each class was last seen.
    seen: BTreeMap<Class, u64>,
    now: u64,
}

impl Pair {
    fn new(filter: WindowFilter) -> Self {
        Pair { filter, seen: BTreeMap::new(), now: 0 }
    }

    fn class(&self, hash: u64) -> Class {
        let (candidates, fingerprint) = with_lines!(&self.filter.lines, cells => cells.candidates(hash));
        (*candidates.as_slice().iter().min().unwrap(), fingerprint.get())
    }

    fn step(&self) -> u64 {
        self.now / self.filter.spec.cut.ticks
    }

    fn is_in(&self, class: &Class) -> bool {
        self.seen.get(class).is_some_and(|&seen| self.step() - seen <= self.filter.steps().into())
    }

    fn len(&self) -> u64 {
        self.seen.keys().filter(|class| self.is_in(class)).count() as u64
    }

    fn insert(&mut self, hash: u64) {
        let class = self.class(hash);
        let known = self.is_in(&class);
        let before = self.filter.clone();
        match self.filter.insert_hash(hash) {
            Ok(new) => {
                assert_eq!(new, !known);
                self.seen.insert(class, self.step());
                if !self.filter.spec.cut.timed {
                    self.now += 1;
                }
            }
            Err(reason) => {
                assert!(!known && self.filter == before, "a refused insert changed the filter");
                match reason {
                    InsertError::Full { capacity } => assert_eq!(capacity, self.len()),
                    _ => assert_eq!(self.filter.stashed(), Stash::MOST as u64),
                }
            }
        }
    }

    fn advance(&mut self, now: u64) {
        let before = self.filter.clone();
        let moved = self.filter.advance(Duration::from_nanos(now));
        assert_eq!(moved, self.filter.spec.cut.timed && now > self.now);
        assert!(moved || self.filter == before);
        if moved {
            self.now = now;
        }
    }

    fn check(&self, hashes: impl Iterator<Item = u64>) {
        let hashes: Vec<u64> = hashes.collect();
        let answers = hashes.iter().map(|&hash| self.is_in(&self.class(hash))).collect::<Vec<_>>();
        let single: Vec<bool> = hashes.iter().map(|&hash| self.filter.contains_hash(hash)).collect();
        assert_eq!(single, answers);
        assert_eq!(self.filter.contains_many_hash(&hashes), answers);
        assert_eq!(self.filter.len(), self.len());
        assert_eq!(self.filter.validate(), Ok(()));
        assert_eq!(self.filter.now(), self.filter.spec.cut.span(self.now));
    }
}

fn shapes() -> Vec<WindowFilter> {
    let mut filters = Vec::new();
    for timed in [false, true] {
        for (steps, ticks) in [(1, 7), (2, 3), (3, 40), (5, 1), (12, 5), (13, 9), (29, 2), (60, 1)] {
            let cut = Steps::new(timed, steps, ticks);
            assert_eq!(cut.validate(), Ok(()));
            let capacity = cut.window() + cut.ticks;
            for shape in
                [Geometry::compact(5, 24, 0, 8), Geometry::compact(6, 31, 15, 4), Geometry::compact(12, 20, 10, 2)]
            {
                let lines = capacity.div_ceil(shape.slots_per_bucket.into()).next_multiple_of(2).max(2);
                filters.push(filter(Geometry { buckets: lines, ..shape }, cut, capacity));
                // Far too little room: what is put aside, and refusals.
                filters.push(filter(Geometry { buckets: 2, ..shape }, cut, capacity));
            }
        }
    }
    filters
}

/// Inserts, times of every kind, clearing, copies: all answers are the model's.
#[test]
fn answers_as_an_exact_model() {
    for (number, filter) in (0..).zip(shapes()) {
        let (mut pair, mut rng) = (Pair::new(filter), Rng::new(number));
        let span = pair.filter.spec.cut.window() + 2 * pair.filter.spec.cut.ticks;
        let keys = 1 + 2 * span as u32;
        let hash = |key: u32| u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for _ in 0..600 {
            match rng.below(20) {
                0 => pair.advance(pair.now.saturating_sub(rng.below(30).into())),
                1 => pair.advance(pair.now + u64::from(rng.below(4 * span as u32))),
                2..5 => pair.advance(pair.now + u64::from(rng.below(4))),
                5 if rng.below(20) == 0 => {
                    pair.filter.clear();
                    (pair.seen, pair.now) = (BTreeMap::new(), 0);
                    assert!(pair.filter == WindowFilter::from_spec(pair.filter.spec).unwrap());
                }
                6 => {
                    let mut many = pair.filter.clone();
                    let keys: Vec<u64> = (0..rng.below(30)).map(|_| hash(rng.below(keys))).collect();
                    let mut new = alloc::vec![false; keys.len()];
                    let _ = many.insert_many_hash_into(&keys, &mut new);
                    for &key in &keys {
                        let refused = pair.filter.clone().insert_hash(key).is_err();
                        pair.insert(key);
                        if refused {
                            break;
                        }
                    }
                    assert!(many == pair.filter, "many-key and single calls differ");
                }
                _ => pair.insert(hash(rng.below(keys))),
            }
        }
        pair.check((0..keys).map(hash));
    }
}

/// A stamp comes again only when no slot has it any more: with one item a step in a table of many lines, where the hand has
/// to be driven by the openings alone.
#[test]
fn stamps_come_again_clean() {
    for steps in [1, 2, 5, 12, 13, 29, 60] {
        for shape in [Geometry::compact(9, 30, 10, 2), Geometry::compact(9, 31, 15, 2)] {
            let mut pair = Pair::new(filter(Geometry { buckets: 118, ..shape }, Steps::new(true, steps, 10), 10_000));
            let mut rng = Rng::new(steps.into());
            for round in 0..600 {
                for _ in 0..1 + round % 5 {
                    pair.insert(rng.next());
                }
                assert_eq!(pair.filter.validate(), Ok(()));
                pair.advance(pair.now + 10 * (1 + u64::from(rng.below(2))));
            }
            pair.check((0..100).map(|_| rng.next()));
        }
    }
}

/// No call sweeps more lines than the documentation says, however long nothing was seen.
#[test]
fn one_call_does_bounded_work() {
    let mut of_time = filter(Geometry::compact(9, 30, 10, 100_000), Steps::new(true, 12, 1_000), 1_000_000);
    let mut of_items = filter(Geometry::compact(9, 30, 10, 1_000), Steps::new(false, 12, 2_000), 30_000);
    let mut rng = Rng::new(1);
    let swept = |filter: &WindowFilter| (filter.clock.opened, filter.swept);
    for round in 0..2_000 {
        for (filter, most) in [(&mut of_time, 100_000u64.div_ceil(3) + 8), (&mut of_items, 1)] {
            filter.advance(Duration::from_nanos(round * 600));
            let before = swept(filter);
            filter.insert_hash(rng.next()).unwrap();
            let after = swept(filter);
            let lines = match after.0 - before.0 {
                0 => after.1 - before.1,
                _ => filter.spec.quota() - before.1 + after.1,
            };
            assert!(lines <= most, "{lines} lines");
        }
    }
    let before = swept(&of_time).1;
    of_time.advance(Duration::from_secs(1 << 40));
    assert!(of_time.is_empty() && swept(&of_time).1 - before <= 256);
    assert_eq!(of_items.now(), Window::Items(2_000));
}
