//! The tables that cuculus makes for a filter: one of fixed size for the capacity, one that grows line by line, or the
//! first and, when it is full, the second beside it.
//!
//! A large filter that stays within its capacity so takes little more than one that cannot grow: the growing table costs
//! half as much again. The promised rate is divided between the two beforehand. A small one is only a growing table.

use crate::error::{CreateError, LoadError, MergeError};
use crate::limits::Limits;
use crate::params::{Params, Shape};
use cuculus::{Builder, CuckooFilter, GrowingFilter, InsertError};

/// The growing table begins with room for this share of the capacity.
const FIRST_SHARE: u64 = 16;

/// The part of the promised rate that the fixed table of a growing filter uses.
const BASE_SHARE: f64 = 0.8125;

/// Both tables; none in a filter that so far has imported ones only.
#[derive(Clone, PartialEq)]
pub(crate) struct Store {
    pub(crate) base: Option<CuckooFilter>,
    pub(crate) grown: Option<GrowingFilter>,
}

impl Store {
    /// Beside imported tables.
    pub(crate) const NONE: Store = Store { base: None, grown: None };

    pub(crate) fn new(params: &Params, limits: &Limits) -> Result<Self, CreateError> {
        if params.shape == Shape::Growing {
            let grown = growing(params, params.capacity)?;
            let bytes = grown.memory_bytes();
            return match bytes > limits.bytes {
                true => Err(CreateError::TooLarge { bytes, limit: limits.bytes }),
                false => Ok(Store { base: None, grown: Some(grown) }),
            };
        }
        let builder = base(params);
        let bytes = builder.plan().map_err(CreateError::Build)?.table_bytes();
        if bytes > limits.bytes {
            return Err(CreateError::TooLarge { bytes, limit: limits.bytes });
        }
        Ok(Store { base: Some(builder.build().map_err(CreateError::Build)?), grown: None })
    }

    #[inline]
    pub(crate) fn contains_hash(&self, hash: u64) -> bool {
        self.base.as_ref().is_some_and(|base| base.contains_hash(hash))
            || self.grown.as_ref().is_some_and(|grown| grown.contains_hash(hash))
    }

    pub(crate) fn contains_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        let base = self.base.as_ref().map(|base| base.contains_many_hash(hashes));
        let grown = self.grown.as_ref().map(|grown| grown.contains_many_hash(hashes));
        match (base, grown) {
            (Some(base), Some(grown)) => base.iter().zip(&grown).map(|(a, b)| a | b).collect(),
            (one, other) => one.or(other).unwrap_or_else(|| vec![false; hashes.len()]),
        }
    }

    pub(crate) fn count_hash(&self, hash: u64) -> u32 {
        self.base.as_ref().map_or(0, |base| base.count_hash(hash))
            + self.grown.as_ref().map_or(0, |grown| grown.count_hash(hash))
    }

    /// Whether an item must not go into the table that takes items now, since an earlier one matches it.
    pub(crate) fn matches_earlier(&self, hash: u64) -> bool {
        self.grown.is_some() && self.base.as_ref().is_some_and(|base| base.contains_hash(hash))
    }

    /// Stores in the last table; makes a growing one when the fixed one is full and the filter grows.
    #[inline]
    pub(crate) fn insert_hash(&mut self, hash: u64, params: &Params) -> Result<(), InsertError> {
        let refused = match (&mut self.grown, &mut self.base) {
            (Some(grown), _) => return grown.insert_hash(hash),
            (None, Some(base)) => match base.insert_hash(hash) {
                Err(refused @ (InsertError::Full { .. } | InsertError::NoRoom { .. })) => refused,
                other => return other,
            },
            (None, None) => InsertError::Full { capacity: 0 },
        };
        if !params.grows() {
            return Err(refused);
        }
        let share = params.capacity / FIRST_SHARE;
        let mut grown = growing(params, share).map_err(|_| refused)?;
        // As in `matches_earlier`: nothing may be in both.
        if self.base.as_ref().is_some_and(|base| base.contains_hash(hash)) {
            return Err(InsertError::TooManyCopies { copies: self.count_hash(hash) });
        }
        grown.insert_hash(hash)?;
        self.grown = Some(grown);
        Ok(())
    }

    /// Removes from the first table that matches. A table that is empty then is given up, if there is another.
    pub(crate) fn remove_hash(&mut self, hash: u64) -> bool {
        if self.base.as_mut().is_some_and(|base| base.remove_hash(hash)) {
            if self.grown.is_some() && self.base.as_ref().is_some_and(CuckooFilter::is_empty) {
                self.base = None;
            }
            return true;
        }
        let removed = self.grown.as_mut().is_some_and(|grown| grown.remove_hash(hash));
        if removed && self.base.is_some() && self.grown.as_ref().is_some_and(|grown| grown.is_empty()) {
            self.grown = None;
        }
        removed
    }

    pub(crate) fn len(&self) -> u64 {
        self.base.as_ref().map_or(0, CuckooFilter::len) + self.grown.as_ref().map_or(0, GrowingFilter::len)
    }

    /// How many tables there are.
    pub(crate) fn tables(&self) -> u64 {
        u64::from(self.base.is_some()) + u64::from(self.grown.is_some())
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.base.as_ref().map_or(0, CuckooFilter::table_bytes)
            + self.grown.as_ref().map_or(0, GrowingFilter::memory_bytes)
    }

    pub(crate) fn slots(&self) -> u64 {
        self.base.as_ref().map_or(0, CuckooFilter::slots) + self.grown.as_ref().map_or(0, GrowingFilter::slots)
    }

    pub(crate) fn false_positive_rate(&self) -> f64 {
        self.base.as_ref().map_or(0.0, CuckooFilter::false_positive_rate)
            + self.grown.as_ref().map_or(0.0, GrowingFilter::false_positive_rate)
    }

    /// How many of the tables match an item.
    pub(crate) fn matching_tables(&self, hash: u64) -> u32 {
        u32::from(self.base.as_ref().is_some_and(|base| base.contains_hash(hash)))
            + u32::from(self.grown.as_ref().is_some_and(|grown| grown.contains_hash(hash)))
    }

    /// Whether the next item may need memory.
    pub(crate) fn is_about_to_grow(&self) -> bool {
        match (&self.base, &self.grown) {
            (_, Some(grown)) => grown.len() * 10 >= grown.slots() * 8,
            (Some(base), None) => base.len() >= base.capacity(),
            (None, None) => true,
        }
    }

    /// About the largest piece of memory that growing takes next.
    pub(crate) fn next_piece(&self) -> u64 {
        self.grown.as_ref().map_or(0, |grown| (grown.memory_bytes() / 16).clamp(256, 4 << 20))
    }

    /// Does some of the work of making the growing table smaller; whether nothing is left to do.
    pub(crate) fn compact(&mut self, steps: usize) -> bool {
        self.grown.as_mut().is_none_or(|grown| grown.compact(steps))
    }

    /// The file format's bytes of each.
    pub(crate) fn to_bytes(&self) -> [Option<Vec<u8>>; 2] {
        [self.base.as_ref().map(CuckooFilter::to_bytes), self.grown.as_ref().map(GrowingFilter::to_bytes)]
    }

    pub(crate) fn from_bytes(base: Option<&[u8]>, grown: Option<&[u8]>, params: &Params) -> Result<Self, LoadError> {
        let base = base.map(|bytes| CuckooFilter::from_bytes(bytes, params.key())).transpose()?;
        let grown = grown.map(|bytes| GrowingFilter::from_bytes(bytes, params.key())).transpose()?;
        let hash_differs = base.as_ref().is_some_and(|base| base.hash_kind() != params.hash)
            || grown.as_ref().is_some_and(|grown| grown.hash_kind() != params.hash);
        if hash_differs || (grown.is_some() && !params.grows()) {
            return Err(LoadError::Parameter("table"));
        }
        Ok(Store { base, grown })
    }

    /// Takes every item of `other` in as well: its tables must fit ours, one by one.
    pub(crate) fn merge(&mut self, other: &Store) -> Result<(), MergeError> {
        let failed = |error| match error {
            cuculus::MergeError::Mismatch { .. } => MergeError::Mismatch(format!("{error}")),
            _ => MergeError::Full,
        };
        if let Some(theirs) = &other.base {
            match &mut self.base {
                Some(ours) => ours.merge(theirs).map_err(failed)?,
                None => self.base = Some(theirs.clone()),
            }
        }
        if let Some(theirs) = &other.grown {
            match &mut self.grown {
                Some(ours) => ours.merge(theirs).map_err(failed)?,
                None => self.grown = Some(theirs.clone()),
            }
        }
        Ok(())
    }
}

fn base(params: &Params) -> Builder {
    let share = if params.grows() { BASE_SHARE } else { 1.0 };
    CuckooFilter::builder()
        .items(params.capacity)
        .false_positive_rate(params.rate * share)
        .layout(params.shape.layout())
        .hash(params.hash)
}

/// A growing table with room for some items to begin with.
fn growing(params: &Params, items: u64) -> Result<GrowingFilter, CreateError> {
    let share = if params.shape == Shape::Growing { 1.0 } else { 1.0 - BASE_SHARE };
    let builder = GrowingFilter::builder().start_items(items).false_positive_rate(params.rate * share);
    builder.hash(params.hash).build().map_err(CreateError::Build)
}
