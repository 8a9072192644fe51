//! The cuckoo filter crates that a user would find, each built as its documentation says.

use std::collections::hash_map::DefaultHasher;

use autoscale_cuckoo_filter::{CuckooFilter as Autoscale, CuckooFilterBuilder as AutoscaleBuilder};
use scalable_cuckoo_filter::{ScalableCuckooFilter, ScalableCuckooFilterBuilder};

use super::{Built, Ops, Plan, each};

/// Items that fit into `bytes` of a power-of-two table with `bits` a slot, at 95 % load.
fn items_in(bytes: u64, bits: u64) -> u64 {
    let slots = (bytes * 8 / bits + 1).next_power_of_two() / 2;
    slots * 95 / 100
}

struct Cuckoofilter(cuckoofilter::CuckooFilter<DefaultHasher>);

/// Always 8 bits a slot, whatever rate is asked, and a power of two of slots.
pub(super) fn cuckoofilter(plan: &Plan) -> Built {
    let items = plan.memory.map_or(plan.items, |m| items_in(m, 8));
    each(Cuckoofilter(cuckoofilter::CuckooFilter::with_capacity(items as usize)))
}

impl Ops for Cuckoofilter {
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.add(&key).is_ok()
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(&key)
    }
    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.0.delete(&key)
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.0.add(key).is_ok()
    }
    fn contains_text(&self, key: &str) -> bool {
        self.0.contains(key)
    }
    fn memory_bytes(&self) -> u64 {
        self.0.memory_usage() as u64
    }
    fn promised_rate(&self) -> f64 {
        // Its documentation: "about 3 %".
        0.03
    }
}

struct Scalable {
    numbers: ScalableCuckooFilter<u64>,
    texts: ScalableCuckooFilter<str>,
}

/// The type is bound to one type of key, so text goes to a second filter of its own, empty unless text is stored.
pub(super) fn scalable(plan: &Plan) -> Built {
    let items = plan.memory.map_or(plan.items, |m| items_in(m, 11)) as usize;
    let numbers =
        ScalableCuckooFilterBuilder::new().initial_capacity(items).false_positive_probability(plan.rate).finish();
    let texts = ScalableCuckooFilterBuilder::new().initial_capacity(1).false_positive_probability(plan.rate).finish();
    each(Scalable { numbers, texts })
}

impl Ops for Scalable {
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.numbers.insert(&key);
        true
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.numbers.contains(&key)
    }
    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.numbers.remove(&key)
    }
    fn insert_text(&mut self, key: &str) -> bool {
        if self.texts.is_empty() {
            self.texts = ScalableCuckooFilter::new(self.numbers.capacity(), self.numbers.false_positive_probability());
        }
        self.texts.insert(key);
        true
    }
    fn contains_text(&self, key: &str) -> bool {
        self.texts.contains(key)
    }
    fn memory_bytes(&self) -> u64 {
        self.numbers.bits() / 8
    }
    fn promised_rate(&self) -> f64 {
        self.numbers.false_positive_probability()
    }
}

struct Auto {
    numbers: Autoscale<u64>,
    texts: Autoscale<str>,
}

pub(super) fn autoscale(plan: &Plan) -> Built {
    let items = plan.memory.map_or(plan.items, |m| items_in(m, 11)) as usize;
    let builder = |n| AutoscaleBuilder::new().initial_capacity(n).false_positive_probability(plan.rate);
    each(Auto { numbers: builder(items).finish(), texts: builder(1).finish() })
}

impl Ops for Auto {
    const MANY_LOOKUPS: bool = true;

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.numbers.add(&key);
        true
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.numbers.contains(&key)
    }
    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.numbers.remove(&key)
    }
    fn contains_many(&self, keys: &[u64]) -> usize {
        self.numbers.contains_batch::<u64, u64>(keys).into_iter().filter(|&hit| hit).count()
    }
    fn insert_text(&mut self, key: &str) -> bool {
        if self.texts.is_empty() {
            self.texts = Autoscale::new(self.numbers.capacity(), self.numbers.false_positive_probability());
        }
        self.texts.add(key);
        true
    }
    fn contains_text(&self, key: &str) -> bool {
        self.texts.contains(key)
    }
    fn memory_bytes(&self) -> u64 {
        self.numbers.bits() / 8
    }
    fn promised_rate(&self) -> f64 {
        self.numbers.false_positive_probability()
    }
}

struct Atomic {
    filter: atomic_cuckoo_filter::CuckooFilter,
    fingerprint_bits: usize,
}

/// It takes fingerprints of 4, 8, 16 or 32 bits: the smallest that keeps the rate.
pub(super) fn atomic(plan: &Plan) -> Built {
    let rate = |bits: usize| 8.0 / 2f64.powi(bits as i32);
    let fingerprint_bits = [4, 8, 16, 32].into_iter().find(|&f| rate(f) <= plan.rate).unwrap_or(32);
    let items = plan.memory.map_or(plan.items, |m| items_in(m, fingerprint_bits as u64));
    let builder = atomic_cuckoo_filter::CuckooFilter::builder();
    let filter = builder.capacity(items as usize).fingerprint_size(fingerprint_bits).build();
    each(Atomic { filter: filter.map_err(|e| e.to_string())?, fingerprint_bits })
}

impl Ops for Atomic {
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.filter.insert(&key).is_ok()
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.filter.contains(&key)
    }
    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.filter.remove(&key)
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.filter.insert(key).is_ok()
    }
    fn contains_text(&self, key: &str) -> bool {
        self.filter.contains(key)
    }
    fn memory_bytes(&self) -> u64 {
        (self.filter.capacity() * self.fingerprint_bits / 8) as u64
    }
    fn promised_rate(&self) -> f64 {
        8.0 / 2f64.powi(self.fingerprint_bits as i32)
    }
}
