//! Operations, applied to a filter and its model side by side.

use crate::model::{Class, Model, classify, room_can_be_made};
use crate::shape::Shape;
use arbitrary::Arbitrary;
use cuculus::{CuckooFilter, InsertError, Layout, MergeError, Search};

/// One call. Keys are few, so that they come again.
#[derive(Arbitrary, Clone, Debug)]
pub enum Operation {
    Insert(u8),
    InsertUnique(u8),
    Remove(u8),
    Contains(u16),
    /// A hash of the input's choosing, the extremes too.
    InsertHash(u64),
    RemoveHash(u64),
    /// `copies` copies of one key.
    Copies(u8, u8),
    /// Running keys from `first`: fills the table in few bytes of input.
    Fill {
        first: u16,
        keys: u8,
    },
    InsertMany {
        first: u16,
        keys: u8,
        step: u8,
    },
    RemoveMany {
        first: u16,
        keys: u8,
        step: u8,
    },
    ContainsMany {
        first: u16,
        keys: u8,
    },
    Merge {
        first: u16,
        keys: u8,
    },
    Clear,
}

/// A filter with its model.
#[derive(Clone)]
pub struct Pair {
    pub filter: CuckooFilter,
    pub model: Model,
    shape: Shape,
}

impl Pair {
    pub fn new(shape: Shape) -> Self {
        let filter = shape.build();
        assert_eq!(filter.capacity(), shape.geometry.slots());
        Pair { filter, model: Model::default(), shape }
    }

    /// The same model for another filter.
    pub fn with_filter(&self, filter: CuckooFilter) -> Self {
        Pair { filter, ..self.clone() }
    }

    fn class(&self, hash: u64) -> Class {
        classify(&self.shape.geometry, hash)
    }

    /// Makes one call and compares its outcome with the model's.
    pub fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Insert(key) => _ = self.insert(self.filter.hash(&u64::from(key))),
            Operation::InsertUnique(key) => self.insert_unique(key.into()),
            Operation::Remove(key) => self.remove(self.filter.hash(&u64::from(key))),
            Operation::Contains(key) => self.contains(key.into()),
            Operation::InsertHash(hash) => _ = self.insert(hash),
            Operation::RemoveHash(hash) => self.remove(hash),
            Operation::Copies(key, copies) => {
                let hash = self.filter.hash(&u64::from(key));
                for _ in 0..copies % 24 {
                    _ = self.insert(hash);
                }
            }
            Operation::Fill { first, keys } => {
                for key in running(first, keys, 1) {
                    _ = self.insert(self.filter.hash(&key));
                }
            }
            Operation::InsertMany { first, keys, step } => self.insert_many(&running(first, keys, step)),
            Operation::RemoveMany { first, keys, step } => self.remove_many(&running(first, keys, step)),
            Operation::ContainsMany { first, keys } => {
                let keys = running(first, keys, 1);
                let single: Vec<bool> = keys.iter().map(|key| self.filter.contains(key)).collect();
                assert_eq!(self.filter.contains_many(&keys), single);
            }
            Operation::Merge { first, keys } => self.merge(&running(first, keys, 1)),
            Operation::Clear => {
                self.filter.clear();
                self.model.clear();
                assert!(self.filter == self.shape.build(), "a cleared filter is not a new one");
            }
        }
        assert_eq!(self.filter.len(), self.model.len());
    }

    fn contains(&self, key: u64) {
        let hash = self.filter.hash(&key);
        let count = self.model.count(self.class(hash));
        assert_eq!(self.filter.contains(&key), count > 0);
        assert_eq!(self.filter.contains_hash(hash), count > 0);
        assert_eq!(self.filter.count(&key), count);
    }

    fn insert(&mut self, hash: u64) -> Result<(), InsertError> {
        let before = self.filter.clone();
        let class = self.class(hash);
        let outcome = self.filter.insert_hash(hash);
        match outcome {
            Ok(()) => {
                self.model.insert(class);
                assert!(self.filter.contains_hash(hash));
            }
            Err(reason) => {
                self.refused_for_a_reason(reason, class);
                assert!(self.filter == before, "a refused insert changed the filter");
            }
        }
        assert_eq!(self.filter.count_hash(hash), self.model.count(class));
        outcome
    }

    fn refused_for_a_reason(&self, reason: InsertError, class: Class) {
        let geometry = self.filter.geometry();
        let copies = self.model.count(class);
        match reason {
            InsertError::Full { .. } => assert_eq!(self.model.len(), geometry.slots()),
            InsertError::TooManyCopies { copies: told } => {
                assert_eq!(told, copies);
                assert!(copies >= geometry.candidate_slots());
            }
            InsertError::NoRoom { .. } => {
                assert!(copies < geometry.candidate_slots());
                let exhaustive = self.filter.search() == Search::BreadthFirst { positions: 10_000 };
                if exhaustive && geometry.layout != Layout::Compact {
                    assert!(!room_can_be_made(&self.filter, class), "room was there and not found");
                }
            }
            _ => {}
        }
    }

    fn insert_unique(&mut self, key: u64) {
        let class = self.class(self.filter.hash(&key));
        let (before, known) = (self.filter.clone(), self.model.count(class) > 0);
        match self.filter.insert_unique(&key) {
            Ok(stored) => {
                assert_eq!(stored, !known);
                if stored {
                    self.model.insert(class);
                }
            }
            Err(_) => assert!(!known && self.filter == before),
        }
    }

    fn remove(&mut self, hash: u64) {
        let class = self.class(hash);
        let before = self.filter.clone();
        let removed = self.filter.remove_hash(hash);
        assert_eq!(removed, self.model.remove(class));
        assert!(removed || self.filter == before, "a removal of nothing changed the filter");
        assert_eq!(self.filter.count_hash(hash), self.model.count(class));
    }

    /// The bytes are those of one-by-one insertion up to the first refusal.
    fn insert_many(&mut self, keys: &[u64]) {
        let mut many = self.filter.clone();
        let mut single = Ok(());
        for (at, key) in keys.iter().enumerate() {
            if let Err(reason) = self.insert(self.filter.hash(key)) {
                single = Err((at, reason));
                break;
            }
        }
        let outcome = many.insert_many(keys).map_err(|error| (error.inserted, error.reason));
        assert_eq!(outcome, single);
        assert!(many == self.filter, "insert_many and insert differ");
    }

    fn remove_many(&mut self, keys: &[u64]) {
        let mut many = self.filter.clone();
        let single: Vec<bool> = keys
            .iter()
            .map(|key| {
                let before = self.filter.len();
                self.remove(self.filter.hash(key));
                self.filter.len() < before
            })
            .collect();
        assert_eq!(many.remove_many(keys), single);
        assert!(many == self.filter, "remove_many and remove differ");
    }

    fn merge(&mut self, keys: &[u64]) {
        let mut other = Pair::new(self.shape);
        for key in keys {
            _ = other.insert(other.filter.hash(key));
        }
        let (before, theirs) = (self.filter.clone(), other.filter.clone());
        match self.filter.merge(&other.filter) {
            Ok(()) => self.model.add_all(&other.model),
            Err(reason) => {
                assert!(!matches!(reason, MergeError::Mismatch { .. }));
                assert!(self.filter == before, "a refused merge changed the filter");
            }
        }
        assert!(other.filter == theirs, "a merge changed the other filter");
        self.model.check(&self.filter);
    }
}

fn running(first: u16, keys: u8, step: u8) -> Vec<u64> {
    (0..u64::from(keys)).map(|i| u64::from(first) + i * u64::from(step)).collect()
}
