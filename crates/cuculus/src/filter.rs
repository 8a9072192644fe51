//! The public type: a cuckoo filter over owned memory, or for lookups only over borrowed bytes.

use crate::arch::Arch;
use crate::builder::Builder;
use crate::error::{BuildError, InsertError, MergeError};
use crate::evict::{BreadthFirst, random_walk};
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, Search};
use crate::hash::{HashKind, ItemHasher};
use crate::key::Key;
use crate::memory::Memory;
use crate::rng::Rng;
use crate::sizing;
use crate::stash::Stash;
use crate::table::{Candidates, Cells, Table, with_table};
use core::fmt;

/// A set that answers "never stored" or "probably stored", from which items can be removed.
///
/// Built by [`CuckooFilter::new`] or, for everything else, by [`CuckooFilter::builder`].
///
/// ```
/// use cuculus::CuckooFilter;
///
/// let mut seen = CuckooFilter::new(1_000, 0.01)?;
/// seen.insert("cuckoo")?;
/// assert!(seen.contains("cuckoo"));
/// assert!(seen.remove("cuckoo"));
/// assert!(!seen.contains("cuckoo"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// * An accepted item that was not removed is always found. An item that was never stored is found with at most the
///   promised [`false_positive_rate`](Self::promised_false_positive_rate).
/// * A refused call changes nothing.
/// * **Remove only what was stored.** Removing anything else may take the copy of another item, which is then lost;
///   no filter of this size can notice. [`insert_unique`](Self::insert_unique) says whether it stored: an item for
///   which it answered `false` owns no copy and must not be removed.
///
/// The type parameter is where the bytes are: [`Memory`], owned, by default. Filters over borrowed bytes
/// ([`FilterView`](crate::FilterView)) or a mapped file ([`MappedFilter`](crate::MappedFilter)) have the reading
/// methods only.
pub struct CuckooFilter<S = Memory> {
    pub(crate) spec: Spec,
    pub(crate) table: Table,
    pub(crate) bytes: S,
    pub(crate) len: u64,
    pub(crate) rng: Rng,
    pub(crate) stash: Stash,
    pub(crate) arch: Arch,
    /// Working memory of the search; no part of the state.
    pub(crate) search: BreadthFirst,
}

/// What a filter was built as; it never changes afterwards.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Spec {
    pub(crate) geometry: Geometry,
    pub(crate) hasher: ItemHasher,
    pub(crate) search: Search,
    pub(crate) capacity: u64,
    pub(crate) promised_rate: f64,
}

impl Spec {
    /// The generator of a new or cleared filter.
    pub(crate) fn rng(&self) -> Rng {
        match self.hasher.kind() {
            HashKind::Xxh3 { seed } => Rng::new(seed),
            HashKind::SipHash13 { .. } => Rng::new(0),
        }
    }
}

/// Reading. All of it takes `&self` and may run from many threads at once.
impl<S: AsRef<[u8]>> CuckooFilter<S> {
    /// The hash of a key under this filter's hash function: what the `_hash` methods take.
    #[inline]
    pub fn hash<K: Key + ?Sized>(&self, key: &K) -> u64 {
        key.hash_with(&self.spec.hasher)
    }

    /// Whether an item is probably stored; `false` is certain. Two cache lines are read.
    ///
    /// (Fan et al. 2014, algorithm 2.)
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(self.hash(key))
    }

    /// [`contains`](Self::contains) by hash. The hash must be uniform over all 64 bits; [`hash`](Self::hash) is.
    #[inline]
    pub fn contains_hash(&self, hash: u64) -> bool {
        let bytes = self.bytes.as_ref();
        if let Table::Straight(cells) = &self.table {
            return cells.matches(bytes, &cells.locate(hash)) != 0;
        }
        self.contains_elsewhere(hash)
    }

    #[inline(never)]
    fn contains_elsewhere(&self, hash: u64) -> bool {
        let bytes = self.bytes.as_ref();
        with_table!(&self.table, cells => cells.matches(bytes, &cells.locate(hash)) != 0)
    }

    /// How many copies of an item are stored, at least: items that cannot be told from it count too.
    #[inline]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> u32 {
        self.count_hash(self.hash(key))
    }

    /// [`count`](Self::count) by hash.
    pub fn count_hash(&self, hash: u64) -> u32 {
        let bytes = self.bytes.as_ref();
        let (candidates, fingerprint) = with_table!(&self.table, cells => cells.candidates(hash));
        let slots = with_table!(&self.table, cells => cells.count(bytes, &candidates, fingerprint));
        slots + self.stash.count(&candidates, fingerprint)
    }

    /// Items stored: accepted inserts less successful removals.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Items for which room and rate are promised; one more is refused. At least what the builder was asked for. With an
    /// explicit geometry this is the number of slots, and the filter may be full before.
    pub fn capacity(&self) -> u64 {
        self.spec.capacity
    }

    /// Slots of the table.
    pub fn slots(&self) -> u64 {
        self.spec.geometry.slots()
    }

    /// Items stored for each slot, 0 to 1 (the paper's alpha).
    pub fn load_factor(&self) -> f64 {
        self.len as f64 / self.slots() as f64
    }

    /// Bytes of the table, which is all that grows with the capacity.
    pub fn table_bytes(&self) -> u64 {
        self.spec.geometry.table_bytes()
    }

    /// Bits of memory for each item stored; infinite when empty.
    pub fn bits_per_item(&self) -> f64 {
        self.table_bytes() as f64 * 8.0 / self.len as f64
    }

    /// The expected false-positive rate at the present load.
    pub fn false_positive_rate(&self) -> f64 {
        sizing::false_positive_rate(&self.spec.geometry, self.load_factor().min(1.0))
    }

    /// The rate that holds up to the capacity: what the builder was asked for, or with an explicit geometry the rate of
    /// a table with every slot taken.
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.spec.promised_rate
    }

    /// The shape.
    pub fn geometry(&self) -> &Geometry {
        &self.spec.geometry
    }

    /// How room is made.
    pub fn search(&self) -> Search {
        self.spec.search
    }

    /// The hash function, with its seed or key.
    pub fn hash_kind(&self) -> HashKind {
        self.spec.hasher.kind()
    }

    /// Items that are counted beside the table because their slots are taken by equal fingerprints: a handful.
    pub fn stashed(&self) -> u64 {
        self.stash.items()
    }

    /// Every stored fingerprint with its bucket (compact: its line), in the order of the table, then stashed copies.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Fingerprint)> + '_ {
        let in_table = self.occupied().map(|(cell, fingerprint)| (self.bucket_of(cell), fingerprint));
        let stashed = self.stash.iter().flat_map(|(cell, fingerprint, copies)| {
            core::iter::repeat_n((self.bucket_of(cell), fingerprint), copies as usize)
        });
        in_table.chain(stashed)
    }

    fn bucket_of(&self, cell: u64) -> u64 {
        with_table!(&self.table, cells => cells.bucket_of(cell))
    }

    /// The occupied slots: cell and fingerprint.
    fn occupied(&self) -> impl Iterator<Item = (u64, Fingerprint)> + '_ {
        let (bytes, table) = (self.bytes.as_ref(), self.table);
        let (cells, slots) = with_table!(&table, cells => (cells.cells(), cells.slots_per_cell()));
        (0..cells).flat_map(move |cell| {
            (0..slots).filter_map(move |slot| {
                let value = with_table!(&table, cells => cells.get(bytes, cell, slot));
                Some((cell, Fingerprint::from_slot(value)?))
            })
        })
    }

    /// Checks that the table holds what the counts say and nothing but what this crate writes. Reads the whole table.
    ///
    /// # Errors
    /// The first contradiction, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        let bytes = self.bytes.as_ref();
        if bytes.len() as u64 != self.table_bytes() {
            return Err("the table has another length than its geometry says");
        }
        let occupied = with_table!(&self.table, cells => cells.validate(bytes))?;
        if occupied + self.stash.items() != self.len {
            return Err("the number of occupied slots is not the number of items");
        }
        if self.len > self.spec.capacity {
            return Err("more items than the capacity");
        }
        for (cell, fingerprint, copies) in self.stash.iter() {
            with_table!(&self.table, cells => {
                let candidates = cells.candidates_from(cell, fingerprint);
                let in_table = cells.count(bytes, &candidates, fingerprint);
                if in_table < self.spec.geometry.candidate_slots() || copies > Stash::MOST_COPIES {
                    return Err("a stashed item has room in the table");
                }
            });
        }
        Ok(())
    }
}

/// Building and changing.
impl CuckooFilter {
    /// A filter for `items` distinct items and a false-positive rate of at most `rate` (0.01 is one in a hundred), in
    /// the smallest layout, with the default hash.
    ///
    /// # Errors
    /// [`BuildError`] if the rate is not between 0 and 1 or so low (below about 1e-9) that no 32-bit fingerprint reaches it,
    /// if the items are more than 2^48, or if there is no memory.
    pub fn new(items: u64, rate: f64) -> Result<Self, BuildError> {
        Self::builder().items(items).false_positive_rate(rate).build()
    }

    /// Starts a filter from what is known: items, rate, memory, or an explicit geometry.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn from_spec(spec: Spec) -> Result<Self, BuildError> {
        let bytes = spec.geometry.table_bytes();
        let memory = usize::try_from(bytes).ok().and_then(Memory::zeroed).ok_or(BuildError::Allocation { bytes })?;
        Ok(Self::from_parts(spec, memory, 0, spec.rng(), Stash::default()))
    }

    /// Stores an item; a second time, a second copy. `candidate_slots` copies of one item fit for certain, unless other
    /// items need their slots.
    ///
    /// Reads two cache lines; while the table fills past four fifths, more and more inserts move others. The work of
    /// one call is bounded by the search's budget. (Fan et al. 2014, algorithm 1.)
    ///
    /// # Errors
    /// [`InsertError`], and nothing has changed.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<(), InsertError> {
        self.insert_hash(self.hash(key))
    }

    /// [`insert`](Self::insert) by hash. The hash must be uniform over all 64 bits; [`hash`](Self::hash) is.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&mut self, hash: u64) -> Result<(), InsertError> {
        let table = &self.table;
        with_table!(*table, cells => {
            let (candidates, fingerprint) = cells.candidates(hash);
            self.insert_in(&cells, &candidates, fingerprint)
        })
    }

    /// Stores an item unless it is probably stored already; says whether it stored. One hash.
    ///
    /// An item for which the answer is `false` owns no copy: it was found, perhaps by a false positive, and must not
    /// be removed.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_unique<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool, InsertError> {
        self.insert_unique_hash(self.hash(key))
    }

    /// [`insert_unique`](Self::insert_unique) by hash.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_unique_hash(&mut self, hash: u64) -> Result<bool, InsertError> {
        if self.contains_hash(hash) {
            return Ok(false);
        }
        self.insert_hash(hash).map(|()| true)
    }

    /// Removes one copy of an item; says whether there was one.
    ///
    /// **Remove only what was stored**: anything else may take the copy of another item. (Fan et al. 2014, algorithm 3;
    /// that no filter can prevent it: Agarwala and Even 2024.)
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool {
        self.remove_hash(self.hash(key))
    }

    /// [`remove`](Self::remove) by hash.
    #[inline]
    pub fn remove_hash(&mut self, hash: u64) -> bool {
        let bytes = self.bytes.as_mut();
        let removed = with_table!(&self.table, cells => {
            let (candidates, fingerprint) = cells.candidates(hash);
            self.stash.remove(&candidates, fingerprint) || cells.take(bytes, &candidates, fingerprint)
        });
        self.len -= u64::from(removed);
        removed
    }

    /// Removes everything. The memory stays; the bytes are those of a new filter.
    pub fn clear(&mut self) {
        self.bytes.as_mut().fill(0);
        self.len = 0;
        self.rng = self.spec.rng();
        self.stash.clear();
    }

    /// Takes every item of `other` in as well. Needs a copy of the table while it works.
    ///
    /// # Errors
    /// [`MergeError`] if geometry, placement, hash or seed differ, or if the items do not fit; both are unchanged.
    pub fn merge<T: AsRef<[u8]>>(&mut self, other: &CuckooFilter<T>) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        let needed = self.len + other.len;
        if needed > self.spec.capacity {
            return Err(MergeError::OverCapacity { needed, capacity: self.spec.capacity });
        }
        let mut merged = self.clone();
        let stashed = other.stash.iter().flat_map(|(cell, f, copies)| core::iter::repeat_n((cell, f), copies as usize));
        for (cell, fingerprint) in other.occupied().chain(stashed) {
            let candidates = with_table!(&merged.table, cells => cells.candidates_from(cell, fingerprint));
            merged.insert_at(&candidates, fingerprint).map_err(MergeError::NoRoom)?;
        }
        *self = merged;
        Ok(())
    }

    fn check_mergeable<T>(&self, other: &CuckooFilter<T>) -> Result<(), MergeError> {
        let (a, b) = (&self.spec.geometry, &other.spec.geometry);
        MergeError::check_same("layout", a.layout, b.layout)?;
        MergeError::check_same("placement", a.placement, b.placement)?;
        MergeError::check_same("fingerprint bits", a.fingerprint_bits, b.fingerprint_bits)?;
        MergeError::check_same("slots a bucket", a.slots_per_bucket, b.slots_per_bucket)?;
        MergeError::check_same("wide slots a bucket", a.wide_slots, b.wide_slots)?;
        MergeError::check_same("buckets", a.buckets, b.buckets)?;
        self.spec.hasher.check_same(&other.spec.hasher)
    }

    /// [`insert_in`](Self::insert_in) the table that the filter has.
    pub(crate) fn insert_at(&mut self, candidates: &Candidates, fingerprint: Fingerprint) -> Result<(), InsertError> {
        let table = self.table;
        with_table!(&table, cells => self.insert_in(cells, candidates, fingerprint))
    }

    /// The common end of every insert: into a free candidate slot, else by moving others, else refused.
    #[inline(always)]
    pub(crate) fn insert_in<C: Cells>(
        &mut self,
        cells: &C,
        candidates: &Candidates,
        fingerprint: Fingerprint,
    ) -> Result<(), InsertError> {
        if self.len >= self.spec.capacity {
            return Err(InsertError::Full { capacity: self.spec.capacity });
        }
        if !cells.place(self.bytes.as_mut(), candidates, fingerprint) {
            self.make_room(cells, candidates, fingerprint)?;
        }
        self.len += 1;
        Ok(())
    }

    /// Stores a fingerprint whose candidate slots are all taken.
    #[inline(never)]
    fn make_room<C: Cells>(
        &mut self,
        cells: &C,
        candidates: &Candidates,
        fingerprint: Fingerprint,
    ) -> Result<(), InsertError> {
        let bytes = self.bytes.as_mut();
        let geometry = &self.spec.geometry;
        if cells.count(bytes, candidates, fingerprint) == geometry.candidate_slots() {
            return self.stash.take_in(geometry, candidates, fingerprint);
        }
        let moved = match self.spec.search {
            Search::BreadthFirst { positions } => self.search.insert(cells, bytes, candidates, fingerprint, positions),
            Search::RandomWalk { kicks } => random_walk(cells, bytes, candidates, fingerprint, kicks, &mut self.rng),
        };
        moved.map(drop).map_err(|_| InsertError::NoRoom { len: self.len, slots: geometry.slots() })
    }
}

impl<S> CuckooFilter<S> {
    pub(crate) fn from_parts(spec: Spec, bytes: S, len: u64, rng: Rng, stash: Stash) -> Self {
        let table = Table::new(&spec.geometry);
        CuckooFilter { spec, table, bytes, len, rng, stash, arch: Arch::detect(), search: BreadthFirst::default() }
    }
}

impl<S: Clone> Clone for CuckooFilter<S> {
    fn clone(&self) -> Self {
        Self::from_parts(self.spec, self.bytes.clone(), self.len, self.rng, self.stash.clone())
    }
}

/// Equal filters hold the same bytes under the same parameters: they answer alike and go on alike.
impl<S: AsRef<[u8]>, T: AsRef<[u8]>> PartialEq<CuckooFilter<T>> for CuckooFilter<S> {
    fn eq(&self, other: &CuckooFilter<T>) -> bool {
        self.spec == other.spec
            && (self.len, self.rng, &self.stash) == (other.len, other.rng, &other.stash)
            && self.bytes.as_ref() == other.bytes.as_ref()
    }
}

impl<S> fmt::Debug for CuckooFilter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CuckooFilter")
            .field("len", &self.len)
            .field("capacity", &self.spec.capacity)
            .field("promised_false_positive_rate", &self.spec.promised_rate)
            .field("geometry", &self.spec.geometry)
            .field("search", &self.spec.search)
            .field("hash", &self.spec.hasher.kind())
            .finish_non_exhaustive()
    }
}
