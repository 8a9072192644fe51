//! An exact model of a filter, written from the definition of the layouts and not from the library's code.
//!
//! Two items with the same fingerprint and the same candidate slots cannot be told from each other; any other two can.
//! So a multiset of (fingerprint, candidates) predicts every answer of the filter, false positives included.

use cuculus::{CuckooFilter, Geometry, Layout, Placement};
use std::collections::{BTreeMap, BTreeSet};

/// What a filter knows of an item: fingerprint, the two buckets and, compact, the two slots; in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    pub fingerprint: u64,
    pub buckets: (u64, u64),
    slots: (u64, u64),
}

/// The high and the low half of a product: the next digit of a fraction in base `base`, and the rest.
fn digit(fraction: u64, base: u64) -> (u64, u64) {
    let product = u128::from(fraction) * u128::from(base);
    ((product >> 64) as u64, product as u64)
}

fn sorted(a: u64, b: u64) -> (u64, u64) {
    (a.min(b), a.max(b))
}

/// The other bucket, and the rest of the spread fingerprint.
fn partner(geometry: &Geometry, bucket: u64, fingerprint: u64) -> (u64, u64) {
    let m = geometry.buckets;
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let x = fingerprint.wrapping_mul(K);
    let (c, rest) = digit((x ^ (x >> 32)).wrapping_mul(K), m);
    let c = c | 1;
    match geometry.placement {
        Placement::AnySize => ((c + m - bucket) % m, rest),
        Placement::Xor => (bucket ^ c, rest),
    }
}

/// The class of a hash.
pub fn classify(geometry: &Geometry, hash: u64) -> Class {
    let (bucket, rest) = digit(hash, geometry.buckets);
    if geometry.layout != Layout::Compact {
        let fingerprint = 1 + digit(rest, (1 << geometry.fingerprint_bits) - 1).0;
        let (other, _) = partner(geometry, bucket, fingerprint);
        return Class { fingerprint, buckets: sorted(bucket, other), slots: (0, 0) };
    }
    let (slots, wide) = (u64::from(geometry.slots_per_bucket), u64::from(geometry.wide_slots));
    let narrow = slots - wide;
    let (slot, mut rest) = digit(rest, slots);
    let (first, size, width) = match slot < wide {
        true => (0, wide, geometry.fingerprint_bits + 1),
        false => (wide, narrow, geometry.fingerprint_bits),
    };
    let mut choice = slot - first;
    if wide % 2 == 1 || narrow % 2 == 1 {
        // In a class of odd size each sum of partners has a slot that would be its own partner: it is left out.
        (choice, rest) = digit(rest, size - size % 2);
    }
    let fingerprint = 1 + digit(rest, (1 << width) - 1).0;
    let (other, rest) = partner(geometry, bucket, fingerprint);
    let sum = digit(rest, size).0 | u64::from(size % 2 == 0);
    let mirror = |slot: u64| (sum + size - slot) % size;
    let slot = (0..size).filter(|&slot| mirror(slot) != slot).nth(choice as usize).expect("a slot for each choice");
    let (slot, other_slot) = (first + slot, first + mirror(slot));
    Class { fingerprint, buckets: sorted(bucket, other), slots: sorted(slot, other_slot) }
}

/// The multiset of what was stored and not removed.
#[derive(Clone, Default)]
pub struct Model {
    stored: BTreeMap<Class, u32>,
}

impl Model {
    pub fn count(&self, class: Class) -> u32 {
        self.stored.get(&class).copied().unwrap_or(0)
    }

    pub fn insert(&mut self, class: Class) {
        *self.stored.entry(class).or_default() += 1;
    }

    /// Takes one copy out; false if there is none.
    pub fn remove(&mut self, class: Class) -> bool {
        match self.stored.get_mut(&class) {
            None => return false,
            Some(1) => _ = self.stored.remove(&class),
            Some(count) => *count -= 1,
        }
        true
    }

    pub fn clear(&mut self) {
        self.stored.clear();
    }

    pub fn add_all(&mut self, other: &Model) {
        for (&class, &count) in &other.stored {
            *self.stored.entry(class).or_default() += count;
        }
    }

    pub fn len(&self) -> u64 {
        self.stored.values().map(|&count| u64::from(count)).sum()
    }

    /// Compares everything that the filter says of itself.
    pub fn check<S: AsRef<[u8]>>(&self, filter: &CuckooFilter<S>) {
        assert_eq!(filter.validate(), Ok(()));
        assert_eq!(filter.len(), self.len());
        assert_eq!(filter.is_empty(), self.len() == 0);
        let geometry = filter.geometry();
        let mut expected = BTreeMap::new();
        for (class, count) in &self.stored {
            *expected.entry((class.fingerprint, class.buckets)).or_insert(0) += count;
        }
        let mut found = BTreeMap::new();
        for (bucket, fingerprint) in filter.iter() {
            let fingerprint = u64::from(fingerprint.get());
            let buckets = sorted(bucket, partner(geometry, bucket, fingerprint).0);
            *found.entry((fingerprint, buckets)).or_insert(0) += 1;
        }
        assert_eq!(found, expected, "iter() is not what was stored");
    }
}

/// Whether moves can free a candidate slot of `class`. Packed and semi-sorted only, where `iter` tells it all.
pub fn room_can_be_made(filter: &CuckooFilter, class: Class) -> bool {
    let geometry = filter.geometry();
    let mut buckets = BTreeMap::<u64, Vec<u64>>::new();
    for (bucket, fingerprint) in filter.iter() {
        buckets.entry(bucket).or_default().push(fingerprint.get().into());
    }
    let mut seen = BTreeSet::from([class.buckets.0, class.buckets.1]);
    let mut queue = Vec::from_iter(seen.iter().copied());
    while let Some(bucket) = queue.pop() {
        let stored = buckets.get(&bucket).map_or(&[][..], |stored| stored);
        if stored.len() < geometry.slots_per_bucket as usize {
            return true;
        }
        for &fingerprint in stored {
            let (other, _) = partner(geometry, bucket, fingerprint);
            if seen.insert(other) {
                queue.push(other);
            }
        }
    }
    false
}
