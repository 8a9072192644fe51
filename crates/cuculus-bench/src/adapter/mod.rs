//! One trait, every filter behind it.
//!
//! A filter's file implements [`Ops`], one call a key; [`Each`] turns that into the loops of [`Filter`], so that the
//! virtual call is paid once a batch and the loop around the single calls is compiled for the filter.

mod bloom;
mod counting_bloom;
mod cuckoos;
mod cuculus;
mod dleft;
mod fuse;
mod quotient;
mod registry;

pub use registry::{Kind, all, find, select};

/// What a filter is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Items that it must take.
    pub items: u64,
    /// False-positive rate asked for.
    pub rate: f64,
    /// Table bytes, where the memory is given and not the rate.
    pub memory: Option<u64>,
    /// A fixed table for this project's filters; the others go by the fields above.
    pub shape: Option<Shape>,
}

impl Plan {
    /// For so many items at such a rate.
    pub fn rate(items: u64, rate: f64) -> Self {
        Plan { items, rate, memory: None, shape: None }
    }

    /// The same plan with a fixed table.
    #[must_use]
    pub fn with_shape(self, shape: Shape) -> Self {
        Plan { shape: Some(shape), ..self }
    }

    /// The same plan in a given number of table bytes.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Plan { memory: Some(bytes), ..self }
    }
}

/// An explicit cuckoo table.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bits of a fingerprint.
    pub fingerprint_bits: u32,
    /// Slots of a bucket.
    pub slots: u32,
    /// Buckets.
    pub buckets: u64,
    /// The paper's placement and its walk of 500 kicks, instead of this project's defaults.
    pub as_in_paper: bool,
}

impl Shape {
    /// A table of `f`-bit fingerprints, four to a bucket, that `items` fill to `load`.
    pub fn for_load(items: u64, fingerprint_bits: u32, load: f64) -> Self {
        let buckets = (items as f64 / load / 4.0).ceil() as u64;
        Shape { fingerprint_bits, slots: 4, buckets: (buckets + buckets % 2).max(2), as_in_paper: false }
    }
}

/// One call a key. What a filter cannot do stays `None`.
pub trait Ops {
    /// Stores a key; false when refused.
    fn insert(&mut self, key: u64) -> bool;
    /// Whether the key may be stored.
    fn contains(&self, key: u64) -> bool;
    /// Stores a key given as bytes.
    fn insert_text(&mut self, key: &str) -> bool;
    /// Whether the bytes may be stored.
    fn contains_text(&self, key: &str) -> bool;
    /// Takes one copy out. Only called where [`Ops::DELETES`].
    fn remove(&mut self, _key: u64) -> bool {
        false
    }
    /// Whether `remove` works.
    const DELETES: bool = true;
    /// Whether `contains_many` is a call of the filter's own.
    const MANY_LOOKUPS: bool = false;
    /// Whether `insert_many` and `remove_many` are calls of the filter's own.
    const MANY_UPDATES: bool = false;
    /// The filter's own many-key lookup: number of hits.
    fn contains_many(&self, _keys: &[u64]) -> usize {
        0
    }
    /// The filter's own many-key insert: number stored.
    fn insert_many(&mut self, _keys: &[u64]) -> usize {
        0
    }
    /// The filter's own many-key removal: number taken out.
    fn remove_many(&mut self, _keys: &[u64]) -> usize {
        0
    }
    /// Ends the filling (static filters build here); false if that failed.
    fn seal(&mut self) -> bool {
        true
    }
    /// Bytes of the table as the filter itself says.
    fn memory_bytes(&self) -> u64;
    /// Rate that the filter promises when full.
    fn promised_rate(&self) -> f64;
}

/// A filter under test, a batch a call.
pub trait Filter {
    /// Single-call inserts; stops at the first refusal and gives the number stored.
    fn insert_each(&mut self, keys: &[u64]) -> usize;
    /// Single-call lookups: number of hits.
    fn contains_each(&self, keys: &[u64]) -> usize;
    /// Single-call removals: number taken out, `None` without removal.
    fn remove_each(&mut self, keys: &[u64]) -> Option<usize>;
    /// Many-key inserts: number stored, `None` without such a call.
    fn insert_many(&mut self, keys: &[u64]) -> Option<usize>;
    /// Many-key lookups: number of hits, `None` without such a call.
    fn contains_many(&self, keys: &[u64]) -> Option<usize>;
    /// Many-key removals: number taken out, `None` without such a call.
    fn remove_many(&mut self, keys: &[u64]) -> Option<usize>;
    /// Steps of one removal and one insert: the new keys that were refused, `None` without removal.
    fn churn(&mut self, old: &[u64], new: &[u64]) -> Option<Vec<u64>>;
    /// Inserts of text keys: number stored.
    fn insert_text(&mut self, keys: &[String]) -> usize;
    /// Lookups of text keys: number of hits.
    fn contains_text(&self, keys: &[String]) -> usize;
    /// Ends the filling.
    fn seal(&mut self) -> bool;
    /// Table bytes by the filter's own account.
    fn memory_bytes(&self) -> u64;
    /// Promised rate.
    fn promised_rate(&self) -> f64;
}

/// The loops of [`Filter`] around the single calls of [`Ops`].
pub struct Each<T>(pub T);

impl<T: Ops> Filter for Each<T> {
    fn insert_each(&mut self, keys: &[u64]) -> usize {
        keys.iter().position(|&k| !self.0.insert(k)).unwrap_or(keys.len())
    }

    fn contains_each(&self, keys: &[u64]) -> usize {
        keys.iter().map(|&k| usize::from(self.0.contains(k))).sum()
    }

    fn remove_each(&mut self, keys: &[u64]) -> Option<usize> {
        T::DELETES.then(|| keys.iter().map(|&k| usize::from(self.0.remove(k))).sum())
    }

    fn insert_many(&mut self, keys: &[u64]) -> Option<usize> {
        T::MANY_UPDATES.then(|| self.0.insert_many(keys))
    }

    fn contains_many(&self, keys: &[u64]) -> Option<usize> {
        T::MANY_LOOKUPS.then(|| self.0.contains_many(keys))
    }

    fn remove_many(&mut self, keys: &[u64]) -> Option<usize> {
        T::MANY_UPDATES.then(|| self.0.remove_many(keys))
    }

    fn churn(&mut self, old: &[u64], new: &[u64]) -> Option<Vec<u64>> {
        T::DELETES.then(|| {
            let mut refused = Vec::new();
            for (&out, &into) in old.iter().zip(new) {
                self.0.remove(out);
                if !self.0.insert(into) {
                    refused.push(into);
                }
            }
            refused
        })
    }

    fn insert_text(&mut self, keys: &[String]) -> usize {
        keys.iter().map(|k| usize::from(self.0.insert_text(k))).sum()
    }

    fn contains_text(&self, keys: &[String]) -> usize {
        keys.iter().map(|k| usize::from(self.0.contains_text(k))).sum()
    }

    fn seal(&mut self) -> bool {
        self.0.seal()
    }

    fn memory_bytes(&self) -> u64 {
        self.0.memory_bytes()
    }

    fn promised_rate(&self) -> f64 {
        self.0.promised_rate()
    }
}

/// What building gives: the filter, or why there is none.
pub type Built = Result<Box<dyn Filter>, String>;

fn each<T: Ops + 'static>(ops: T) -> Built {
    Ok(Box::new(Each(ops)))
}
