//! Tables that came from RedisBloom: one byte a slot, 0 is empty. They go on answering, taking items into free slots
//! and giving them up again; nothing new is made in this shape.
//!
//! Two items are *alike* in a table if their fingerprints and bucket pairs are equal. All tables share the hash and have
//! powers of two as sizes, so items alike in a larger one are alike in every smaller one: a removal takes from the
//! largest table that holds a match, and what is left is still found.

use crate::bytes::{Reader, Writer};
use crate::error::LoadError;
use crate::murmur::murmur64a;

/// One sub-filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    buckets: u64,
    bucket_size: u8,
    slots: Vec<u8>,
}

/// An item as RedisBloom's tables know it.
#[derive(Clone, Copy)]
pub(crate) struct Hashed {
    fingerprint: u8,
    hash: u64,
}

impl Hashed {
    pub(crate) fn of(item: &[u8]) -> Self {
        let hash = murmur64a(item);
        Hashed { fingerprint: (hash % 255) as u8 + 1, hash }
    }
}

impl Table {
    /// Takes the slots of a table whose size was checked.
    pub(crate) fn new(buckets: u64, bucket_size: u8, slots: Vec<u8>) -> Self {
        debug_assert!(buckets.is_power_of_two() && slots.len() as u64 == buckets * u64::from(bucket_size));
        Table { buckets, bucket_size, slots }
    }

    /// The first slots of the item's buckets; one if they are the same bucket.
    fn starts(&self, item: Hashed) -> impl Iterator<Item = usize> + use<> {
        let mask = self.buckets - 1;
        let first = item.hash & mask;
        let second = (item.hash ^ u64::from(item.fingerprint).wrapping_mul(0x5bd1_e995)) & mask;
        let size = usize::from(self.bucket_size);
        let start = move |bucket: u64| bucket as usize * size;
        core::iter::once(start(first)).chain((second != first).then_some(start(second)))
    }

    fn count(&self, item: Hashed) -> u32 {
        let size = usize::from(self.bucket_size);
        let in_bucket =
            |start: usize| self.slots[start..start + size].iter().filter(|&&slot| slot == item.fingerprint).count();
        self.starts(item).map(in_bucket).sum::<usize>() as u32
    }

    /// Sets the first slot of the item's buckets that holds `from` to `to`.
    fn replace(&mut self, item: Hashed, from: u8, to: u8) -> bool {
        let size = usize::from(self.bucket_size);
        for start in self.starts(item) {
            if let Some(slot) = self.slots[start..start + size].iter_mut().find(|slot| **slot == from) {
                *slot = to;
                return true;
            }
        }
        false
    }
}

/// All imported tables of a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Imported {
    /// Smallest first.
    tables: Vec<Table>,
    /// Taken slots.
    items: u64,
}

impl Imported {
    /// The tables of a dump, whose taken slots the caller has counted.
    pub(crate) fn new(mut tables: Vec<Table>, items: u64) -> Self {
        tables.sort_by_key(|table| table.buckets);
        Imported { tables, items }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    pub(crate) fn parts(&self) -> u64 {
        self.tables.len() as u64
    }

    pub(crate) fn items(&self) -> u64 {
        self.items
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.tables.iter().map(|table| table.slots.len() as u64).sum()
    }

    pub(crate) fn buckets(&self) -> u64 {
        self.tables.iter().map(|table| table.buckets).sum()
    }

    pub(crate) fn contains(&self, item: Hashed) -> bool {
        self.tables.iter().any(|table| table.count(item) > 0)
    }

    pub(crate) fn count(&self, item: Hashed) -> u32 {
        self.tables.iter().map(|table| table.count(item)).sum()
    }

    /// Stores an item in a free slot of its buckets, in the largest table first; moves nothing.
    pub(crate) fn place(&mut self, item: Hashed) -> bool {
        let placed = self.tables.iter_mut().rev().any(|table| table.replace(item, 0, item.fingerprint));
        self.items += u64::from(placed);
        placed
    }

    /// Gives up one copy of an item, from the largest table that holds one.
    pub(crate) fn remove(&mut self, item: Hashed) -> bool {
        let removed = self.tables.iter_mut().rev().any(|table| table.replace(item, item.fingerprint, 0));
        self.items -= u64::from(removed);
        removed
    }

    /// Takes the tables of another filter too.
    pub(crate) fn append(&mut self, other: &Imported) {
        self.tables.extend_from_slice(&other.tables);
        self.tables.sort_by_key(|table| table.buckets);
        self.items += other.items;
    }

    /// The expected rate of all tables together: in each, an absent item meets `2 x bucket_size` slots, and a taken one
    /// has its fingerprint once in 255.
    pub(crate) fn false_positive_rate(&self) -> f64 {
        let slots: f64 = self.tables.iter().map(|table| table.slots.len() as f64).sum();
        if slots == 0.0 {
            return 0.0;
        }
        let load = self.items as f64 / slots;
        let looks: f64 = self.tables.iter().map(|table| 2.0 * f64::from(table.bucket_size)).sum();
        (looks * load / 255.0).min(1.0)
    }

    /// The tables' sizes; their slots follow elsewhere.
    pub(crate) fn write_sizes(&self, out: &mut Writer) {
        out.u64(self.tables.len() as u64);
        for table in &self.tables {
            out.u64(table.buckets);
            out.u8(table.bucket_size);
        }
    }

    pub(crate) fn write_slots(&self, out: &mut Writer) {
        self.tables.iter().for_each(|table| out.bytes(&table.slots));
    }

    /// Reads [`write_sizes`](Self::write_sizes); every table is empty until [`read_slots`](Self::read_slots).
    pub(crate) fn read_sizes(input: &mut Reader) -> Result<Self, LoadError> {
        let parts = input.u64()?;
        let mut tables: Vec<Table> = Vec::new();
        for _ in 0..parts {
            let (buckets, bucket_size) = (input.u64()?, input.u8()?);
            let ordered = tables.last().is_none_or(|last| last.buckets <= buckets);
            if !buckets.is_power_of_two() || buckets > 1 << 40 || bucket_size == 0 || !ordered {
                return Err(LoadError::Parameter("imported table"));
            }
            tables.push(Table { buckets, bucket_size, slots: Vec::new() });
        }
        Ok(Imported { tables, items: 0 })
    }

    pub(crate) fn read_slots(&mut self, input: &mut Reader) -> Result<(), LoadError> {
        for table in &mut self.tables {
            let bytes = usize::try_from(table.buckets * u64::from(table.bucket_size));
            table.slots = input.take(bytes.map_err(|_| LoadError::Truncated)?)?.to_vec();
            self.items += taken(&table.slots);
        }
        Ok(())
    }
}

/// Slots that hold a fingerprint.
pub(crate) fn taken(slots: &[u8]) -> u64 {
    slots.iter().filter(|&&slot| slot != 0).count() as u64
}
