//! The filter: what each command does to it.

use crate::copies::Copies;
use crate::error::{CreateError, MergeError, Refusal};
use crate::imported::{Hashed, Imported};
use crate::limits::Limits;
use crate::params::Params;
use crate::store::Store;
use cuculus::{InsertError, ItemHasher};

/// Compaction that one call of [`Filter::compact`] does at most, in the table's steps.
const COMPACT_STEPS: usize = 100;

/// Compaction that every later change adds, until it is done.
const FOLLOWING_STEPS: usize = 4;

/// A filter as the `CF.*` commands see it.
///
/// * An accepted item that was not removed is always found.
/// * A refused call changes nothing.
/// * One item is stored at most [`Params::most_copies`] times.
#[derive(Clone)]
pub struct Filter {
    pub(crate) params: Params,
    pub(crate) hasher: ItemHasher,
    pub(crate) store: Store,
    pub(crate) imported: Imported,
    /// Copies for which the item's slots in `store` had no room.
    pub(crate) copies: Copies,
    /// Removals that were not made after a merge: two tables hold a match, and only one of them is the item's own.
    pub(crate) withdrawn: Copies,
    /// Whether a merge has put items where an earlier table matches them.
    pub(crate) mixed: bool,
    /// Removals since the last compaction.
    pub(crate) deleted: u64,
    /// Changes ever made: what tells one state from another while a dump goes on.
    pub(crate) changes: u64,
    /// Whether compaction goes on with every change.
    pub(crate) compacting: bool,
}

/// What [`Filter::info`] tells.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Slots of our tables by the bucket size that was asked for, and the buckets of imported ones.
    pub buckets: u64,
    /// Tables: our own, if there is one, and imported ones.
    pub tables: u64,
    /// Items stored now.
    pub items: u64,
    /// Items removed since the last compaction.
    pub deleted: u64,
    /// The rate expected at the present load, imported tables included.
    pub expected_rate: f64,
    /// Slots of all tables.
    pub slots: u64,
    /// Imported tables.
    pub imported_tables: u64,
    /// Items in imported tables.
    pub imported_items: u64,
    /// Bytes of imported tables.
    pub imported_bytes: u64,
}

impl Info {
    /// Items for each slot.
    pub fn load_factor(&self) -> f64 {
        if self.slots == 0 { 0.0 } else { self.items as f64 / self.slots as f64 }
    }

    /// Bits of memory for each item; 0 for an empty filter.
    pub fn bits_per_item(&self) -> f64 {
        if self.items == 0 { 0.0 } else { self.memory_bytes as f64 * 8.0 / self.items as f64 }
    }
}

impl Filter {
    /// An empty filter.
    ///
    /// # Errors
    /// [`CreateError`] if it would exceed the limit, or cannot be built.
    pub fn new(params: Params, limits: &Limits) -> Result<Self, CreateError> {
        let store = Store::new(&params, limits)?;
        Ok(Self::from_parts(params, store, Imported::default()))
    }

    pub(crate) fn from_parts(params: Params, store: Store, imported: Imported) -> Self {
        Filter {
            params,
            hasher: params.hash.hasher(),
            store,
            imported,
            copies: Copies::default(),
            withdrawn: Copies::default(),
            mixed: false,
            deleted: 0,
            changes: 0,
            compacting: false,
        }
    }

    /// What it was made with.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Items stored.
    pub fn len(&self) -> u64 {
        self.store.len() + self.imported.items() + self.copies.total() - self.withdrawn.total()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> u64 {
        let beside = self.copies.memory_bytes() + self.withdrawn.memory_bytes();
        size_of::<Self>() as u64 + self.store.memory_bytes() + self.imported.bytes() + beside
    }

    /// Whether an item is probably stored; `false` is certain.
    #[inline]
    pub fn contains(&self, item: &[u8]) -> bool {
        let hash = self.hasher.hash_bytes(item);
        if self.withdrawn.count(hash) > 0 {
            return self.count(item) > 0;
        }
        self.store.contains_hash(hash) || self.elsewhere(item, hash)
    }

    /// [`contains`](Self::contains) for many items: their memory is fetched at once.
    pub fn contains_many<'a>(&self, items: impl Iterator<Item = &'a [u8]> + Clone) -> Vec<bool> {
        if !self.imported.is_empty() || self.copies.total() > 0 {
            return items.map(|item| self.contains(item)).collect();
        }
        let hashes: Vec<u64> = items.map(|item| self.hasher.hash_bytes(item)).collect();
        self.store.contains_many_hash(&hashes)
    }

    fn elsewhere(&self, item: &[u8], hash: u64) -> bool {
        self.copies.count(hash) > 0 || (!self.imported.is_empty() && self.imported.contains(Hashed::of(item)))
    }

    /// How often an item is stored, at least.
    pub fn count(&self, item: &[u8]) -> u32 {
        let hash = self.hasher.hash_bytes(item);
        let imported = if self.imported.is_empty() { 0 } else { self.imported.count(Hashed::of(item)) };
        (self.store.count_hash(hash) + self.copies.count(hash) + imported).saturating_sub(self.withdrawn.count(hash))
    }

    /// Stores an item once more.
    ///
    /// # Errors
    /// [`Refusal`], and nothing has changed.
    pub fn insert(&mut self, item: &[u8], limits: &Limits) -> Result<(), Refusal> {
        self.insert_hashed(item, self.hasher.hash_bytes(item), limits)
    }

    /// [`insert`](Self::insert) for each item in order, also after a refused one: an answer for each. Their memory is fetched
    /// at once.
    pub fn insert_many(&mut self, items: &[&[u8]], limits: &Limits) -> Vec<Result<bool, Refusal>> {
        let hashes = self.fetched(items);
        let store = |(item, hash): (&&[u8], u64)| self.insert_hashed(item, hash, limits).map(|()| true);
        items.iter().zip(hashes).map(store).collect()
    }

    /// [`insert_unique`](Self::insert_unique) for each item in order, also after a refused one.
    pub fn insert_many_unique(&mut self, items: &[&[u8]], limits: &Limits) -> Vec<Result<bool, Refusal>> {
        self.fetched(items);
        items.iter().map(|item| self.insert_unique(item, limits)).collect()
    }

    /// The hashes of items whose slots are in the caches now. What is found does not matter.
    fn fetched(&self, items: &[&[u8]]) -> Vec<u64> {
        let hashes: Vec<u64> = items.iter().map(|item| self.hasher.hash_bytes(item)).collect();
        if hashes.len() > 1 {
            std::hint::black_box(self.store.contains_many_hash(&hashes));
        }
        hashes
    }

    #[inline]
    fn insert_hashed(&mut self, item: &[u8], hash: u64, limits: &Limits) -> Result<(), Refusal> {
        let present = self.store.contains_hash(hash) || self.elsewhere(item, hash);
        if present && self.count(item) >= self.params.most_copies() {
            return Err(Refusal::TooManyCopies);
        }
        // What was withdrawn is still in a table: it only has to be given back.
        if !self.withdrawn.remove(hash) {
            self.store_new(item, hash, present, limits)?;
        }
        self.changed();
        Ok(())
    }

    /// Stores in the last table. It holds nothing that an earlier table matches, so that a removal, which takes from the
    /// first table with a match, never takes another item's copy: such items are counted one by one instead.
    fn store_new(&mut self, item: &[u8], hash: u64, present: bool, limits: &Limits) -> Result<(), Refusal> {
        let imported = !self.imported.is_empty();
        if imported && self.store.tables() == 0 && self.imported.place(Hashed::of(item)) {
            return Ok(());
        }
        self.check_growth(limits)?;
        let earlier =
            present && (self.store.matches_earlier(hash) || (imported && self.imported.contains(Hashed::of(item))));
        if earlier {
            self.copies.add(hash, 1);
            return Ok(());
        }
        match self.store.insert_hash(hash, &self.params) {
            Ok(()) => Ok(()),
            Err(InsertError::TooManyCopies { .. }) => {
                self.copies.add(hash, 1);
                Ok(())
            }
            Err(_) => Err(Refusal::Full),
        }
    }

    /// Stores an item unless it is probably stored; says whether it did.
    ///
    /// # Errors
    /// [`Refusal`], and nothing has changed.
    pub fn insert_unique(&mut self, item: &[u8], limits: &Limits) -> Result<bool, Refusal> {
        if self.contains(item) {
            return Ok(false);
        }
        self.insert(item, limits).map(|()| true)
    }

    /// Removes one copy of an item; says whether there was one. Only what was stored may be removed.
    pub fn remove(&mut self, item: &[u8]) -> bool {
        let hash = self.hasher.hash_bytes(item);
        let removed = self.copies.remove(hash) || self.remove_from_tables(item, hash);
        if removed {
            self.deleted += 1;
            self.changed();
        }
        removed
    }

    fn remove_from_tables(&mut self, item: &[u8], hash: u64) -> bool {
        if self.imported.is_empty() && !self.mixed {
            return self.store.remove_hash(hash);
        }
        let hashed = Hashed::of(item);
        let imported = self.imported.contains(hashed);
        if self.mixed && u32::from(imported) + self.store.matching_tables(hash) > 1 {
            // One match is another item's, which must stay: take neither and remember.
            let there = self.count(item) > 0;
            if there {
                self.withdrawn.add(hash, 1);
            }
            return there;
        }
        if self.withdrawn.count(hash) > 0 && self.count(item) == 0 {
            return false;
        }
        (imported && self.imported.remove(hashed)) || self.store.remove_hash(hash)
    }

    /// Removes everything, imported tables too. The parameters stay.
    ///
    /// # Errors
    /// [`CreateError`] if there is no memory; nothing has changed then.
    pub fn clear(&mut self) -> Result<(), CreateError> {
        let changes = self.changes + 1;
        *self = Self::new(self.params, &Limits::NONE)?;
        self.changes = changes;
        Ok(())
    }

    /// Takes every item of `other` in as well.
    ///
    /// # Errors
    /// [`MergeError`], and nothing has changed.
    pub fn merge(&mut self, other: &Filter, limits: &Limits) -> Result<(), MergeError> {
        let mismatch = |what: &str| Err(MergeError::Mismatch(format!("the filters differ in {what}")));
        if self.params.hash != other.params.hash {
            return mismatch("hash or seed");
        }
        if self.params.grows() != other.params.grows() {
            return mismatch("expansion");
        }
        if self.params.shape != other.params.shape {
            return mismatch("layout");
        }
        let mut store = self.store.clone();
        store.merge(&other.store)?;
        if store.memory_bytes() + self.imported.bytes() + other.imported.bytes() > limits.bytes {
            return Err(MergeError::Limit);
        }
        self.store = store;
        self.imported.append(&other.imported);
        for (hash, copies) in other.copies.iter() {
            self.copies.add(hash, copies);
        }
        for (hash, copies) in other.withdrawn.iter() {
            self.withdrawn.add(hash, copies);
        }
        self.mixed |= other.mixed || self.store.tables() + u64::from(!self.imported.is_empty()) > 1;
        self.changed();
        Ok(())
    }

    /// Gives memory back that removals left: some of it now, the rest with the changes that follow.
    pub fn compact(&mut self) {
        self.compacting = !self.store.compact(COMPACT_STEPS);
        self.deleted = 0;
        self.changes += 1;
    }

    /// What `CF.INFO` tells.
    pub fn info(&self) -> Info {
        Info {
            memory_bytes: self.memory_bytes(),
            buckets: self.store.slots().div_ceil(self.params.bucket_size.into()) + self.imported.buckets(),
            tables: self.store.tables() + self.imported.parts(),
            items: self.len(),
            deleted: self.deleted,
            expected_rate: (self.store.false_positive_rate() + self.imported.false_positive_rate()).min(1.0),
            slots: self.store.slots() + self.imported.bytes(),
            imported_tables: self.imported.parts(),
            imported_items: self.imported.items(),
            imported_bytes: self.imported.bytes(),
        }
    }

    fn changed(&mut self) {
        self.changes += 1;
        if self.compacting {
            self.compacting = !self.store.compact(FOLLOWING_STEPS);
        }
    }

    /// Whether the limits allow one item more. A filter may grow up to the limit of bytes, less the largest piece of memory
    /// that a growing table takes next.
    fn check_growth(&self, limits: &Limits) -> Result<(), Refusal> {
        if !self.params.grows() || *limits == Limits::NONE {
            return Ok(());
        }
        let most = self.params.capacity.saturating_mul(limits.growth);
        let too_many = limits.growth > 0 && self.len() >= most;
        let too_large = self.store.is_about_to_grow() && {
            let bytes = self.store.memory_bytes() + self.imported.bytes();
            bytes + self.store.next_piece() > limits.bytes
        };
        if too_many || too_large { Err(Refusal::Limit) } else { Ok(()) }
    }
}
