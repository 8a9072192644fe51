//! The public type: a cuckoo filter that grows.

use super::builder::GrowingBuilder;
use super::probe::Finder;
use super::rate;
use super::search::Search;
use super::shape::{Item, Parameters, Shape};
use super::stash::{Stash, Stashed};
use super::table::{Cell, Cells, Table};
use crate::arch::Arch;
use crate::bits::mask;
use crate::error::{BuildError, InsertError, MergeError};
use crate::hash::{HashKind, ItemHasher};
use crate::key::Key;
use core::fmt;

/// A [`CuckooFilter`](crate::CuckooFilter) that grows and shrinks with its items, line by line, and keeps one
/// false-positive rate at every size.
///
/// ```
/// use cuculus::GrowingFilter;
///
/// let mut seen = GrowingFilter::new(0.01)?;
/// for key in 0..100_000u64 {
///     seen.insert(&key)?;
/// }
/// assert!(seen.contains(&77_777u64));
/// assert!(seen.remove(&77_777u64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It costs more than a filter of a fixed size: with a [maximum](GrowingBuilder::maximum_items) about a twentieth more
/// memory when that is reached, with an open end about half as much again. It keeps no keys and no hashes.
///
/// * An accepted item that was not removed is always found, however the filter has grown and shrunk since.
/// * A refused call changes nothing. The same operations lead to the same bytes.
/// * One call does bounded work: at most a few lines are split or joined, and nothing is ever copied as a whole.
/// * **Remove only what was stored.** Removing anything else may take the copy of another item, which is then lost.
pub struct GrowingFilter {
    pub(crate) spec: Spec,
    pub(crate) table: Table,
    pub(crate) stash: Stash,
    pub(crate) len: u64,
    pub(crate) arch: Arch,
    pub(crate) search: Search,
    /// Open end: the weight of entries that the promised rate allows.
    pub(crate) most_weight: u128,
}

/// What a filter was built as; it never changes afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spec {
    pub(crate) parameters: Parameters,
    pub(crate) hasher: ItemHasher,
    /// The declared maximum; 0 in the open end.
    pub(crate) maximum: u64,
    pub(crate) promised_rate: f64,
    /// Lines of an empty filter.
    pub(crate) first_lines: u64,
}

/// Reading. All of it takes `&self` and may run from many threads at once.
impl GrowingFilter {
    /// The hash of a key under this filter's hash function: what the `_hash` methods take.
    #[inline]
    pub fn hash<K: Key + ?Sized>(&self, key: &K) -> u64 {
        key.hash_with(&self.spec.hasher)
    }

    /// Whether an item is probably stored; `false` is certain. Two cache lines are read.
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(self.hash(key))
    }

    /// [`contains`](Self::contains) by hash. The hash must be uniform over all 64 bits; [`hash`](Self::hash) is.
    #[inline]
    pub fn contains_hash(&self, hash: u64) -> bool {
        match self.table.shape.open() {
            true => self.look(self.finder::<true>(), hash),
            false => self.look(self.finder::<false>(), hash),
        }
    }

    #[inline(always)]
    pub(crate) fn look<const OPEN: bool>(&self, finder: Finder<'_, OPEN>, hash: u64) -> bool {
        let probe = finder.locate(hash);
        let found = finder.matches(&probe);
        if finder.in_doubt(&probe, found) != 0 { self.settle(hash) } else { found != 0 }
    }

    /// A lookup for which the slots are not enough.
    #[cold]
    pub(crate) fn settle(&self, hash: u64) -> bool {
        self.count_hash(hash) != 0
    }

    /// How many copies of an item are stored, at least: items that cannot be told from it count too.
    #[inline]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> u32 {
        self.count_hash(self.hash(key))
    }

    /// [`count`](Self::count) by hash.
    pub fn count_hash(&self, hash: u64) -> u32 {
        let item = self.table.shape.item(hash);
        let cells = self.table.cells(&item);
        let slots = cells.as_slice().iter().filter(|&&cell| self.resembles(cell, &item)).count() as u32;
        slots + self.stashed_copies(&item)
    }

    /// Items stored: accepted inserts less successful removals.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The items that the filter was declared to hold at most; one more is refused. `None` with an open end.
    pub fn maximum(&self) -> Option<u64> {
        (!self.table.shape.open()).then_some(self.spec.maximum)
    }

    /// Slots of the table as it is now.
    pub fn slots(&self) -> u64 {
        self.table.slots()
    }

    /// Items stored for each slot, 0 to 1 (the paper's alpha).
    pub fn load_factor(&self) -> f64 {
        self.len as f64 / self.slots() as f64
    }

    /// Bytes of everything that grows with the items, as allocated.
    pub fn memory_bytes(&self) -> u64 {
        self.table.memory_bytes() + self.stash.memory_bytes()
    }

    /// Bits of memory for each item stored; infinite when empty.
    pub fn bits_per_item(&self) -> f64 {
        self.memory_bytes() as f64 * 8.0 / self.len as f64
    }

    /// The expected false-positive rate at the present size. With an open end it is exact: entries are counted by how many
    /// bits they have.
    pub fn false_positive_rate(&self) -> f64 {
        rate::expected(&self.table.shape, self.table.occupied, self.slots(), self.table.weight)
    }

    /// The rate that was asked for; it holds at every size.
    pub fn promised_false_positive_rate(&self) -> f64 {
        self.spec.promised_rate
    }

    /// The hash function, with its seed or key.
    pub fn hash_kind(&self) -> HashKind {
        self.spec.hasher.kind()
    }

    /// Entries kept beside the table because their slots are taken by entries that cannot move: a handful.
    pub fn stashed(&self) -> u64 {
        self.stash.items()
    }

    /// Entries beyond the items. With an open end, an entry that has lost all its further bits in growing stays in both
    /// halves of its line, and one of the two remains when its item is removed. 0 with a declared maximum.
    pub fn ghosts(&self) -> u64 {
        self.table.occupied() + self.stash.items() - self.len
    }

    /// Checks that the table holds what the counts say and nothing but what this crate writes. Reads the whole table.
    ///
    /// # Errors
    /// The first contradiction, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        if self.table.counted()? != (self.table.occupied, self.table.weight) {
            return Err("the table does not hold what was counted");
        }
        self.check_counts()
    }

    /// Whether the entries are as many as the items.
    pub(crate) fn check_counts(&self) -> Result<(), &'static str> {
        let entries = self.table.occupied() + self.stash.items();
        if entries < self.len || (entries > self.len && !self.table.shape.open()) {
            return Err("the number of entries is not the number of items");
        }
        Ok(())
    }

    /// Whether a cell holds an entry that a lookup of the item finds. Lookups read no planes but the open end's last ones.
    fn resembles(&self, cell: Cell, item: &Item) -> bool {
        let Some(entry) = self.table.entry_of_core(cell, item.core) else { return false };
        let unread = self.table.shape.unread(self.table.sides[cell.side()].depth_of(cell.line()));
        let differ = (entry.address ^ item.addresses[cell.side()]) & mask(entry.known) & !unread;
        differ == 0
    }

    /// The stashed copies that a lookup of the item finds.
    fn stashed_copies(&self, item: &Item) -> u32 {
        match self.stash.may_hold(item) {
            true => self.stash.matching(item).map(|(_, copies)| copies).sum(),
            false => 0,
        }
    }
}

/// Building and changing.
impl GrowingFilter {
    /// A filter that starts small, takes any number of items and keeps a false-positive rate of at most `rate` (0.01 is
    /// one in a hundred) at every size.
    ///
    /// # Errors
    /// [`BuildError`] if the rate is not between 0 and 1, or so small that no growing filter reaches it, or if there is no
    /// memory.
    pub fn new(rate: f64) -> Result<Self, BuildError> {
        Self::builder().false_positive_rate(rate).build()
    }

    /// Starts a filter from what is known: the rate, the items to begin with, the most that there will be.
    pub fn builder() -> GrowingBuilder {
        GrowingBuilder::default()
    }

    pub(crate) fn from_spec(spec: Spec) -> Result<Self, BuildError> {
        debug_assert!(spec.parameters.validate().is_ok(), "{:?}", spec.parameters);
        let table = Table::new(Shape::new(spec.parameters), spec.first_lines);
        let table = table.ok_or(BuildError::Allocation { bytes: spec.first_lines.saturating_mul(64) })?;
        let stash = Stash::new(&table.shape);
        Ok(Self::from_parts(spec, table, stash, 0))
    }

    pub(crate) fn from_parts(spec: Spec, table: Table, stash: Stash, len: u64) -> Self {
        let most_weight = rate::most_weight(&table.shape, spec.promised_rate);
        GrowingFilter { spec, table, stash, len, arch: Arch::detect(), search: Search::default(), most_weight }
    }

    /// Stores an item; a second time, a second copy, up to eight. Splits at most a few lines.
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
        let item = self.table.shape.item(hash);
        self.insert_item(&item)
    }

    /// Stores an item unless it is probably stored already; says whether it stored. An item for which the answer is
    /// `false` owns no copy and must not be removed; it is found as long as the one that it was taken for is not removed,
    /// however the filter grows. An item that [`contains`](Self::contains) finds now but might not find later is stored.
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
        // Lookups leave bits unread that tell entries apart when lines split: what looks stored may not look so later.
        if self.contains_hash(hash) && self.holds(&self.table.shape.item(hash)) {
            return Ok(false);
        }
        self.insert_hash(hash).map(|()| true)
    }

    /// Removes one copy of an item; says whether there was one. Joins at most one pair of lines.
    ///
    /// **Remove only what was stored**: anything else may take the copy of another item.
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool {
        self.remove_hash(self.hash(key))
    }

    /// [`remove`](Self::remove) by hash.
    pub fn remove_hash(&mut self, hash: u64) -> bool {
        let item = self.table.shape.item(hash);
        let removed = self.remove_item(&item);
        if removed {
            self.len -= 1;
            if self.holds_less_than(self.table.lines, self.full() - SHRINK) {
                self.join();
            }
        }
        removed
    }

    /// Gives memory back, a bounded step at a time: joins up to `steps` pairs of lines. Says whether nothing is left to
    /// do. Removals do the same by themselves once a fifth more of the slots are free than when the
    /// filter grows; this goes on until a fiftieth more are.
    pub fn compact(&mut self, steps: usize) -> bool {
        for _ in 0..steps {
            if !self.holds_less_than(self.table.lines - 1, self.full() - COMPACT) || !self.join() {
                return true;
            }
        }
        !self.holds_less_than(self.table.lines - 1, self.full() - COMPACT)
    }

    /// Removes everything. What is left is a new filter.
    ///
    /// # Panics
    /// If the system has not got the memory of an empty filter.
    pub fn clear(&mut self) {
        let empty = Table::new(self.table.shape, self.spec.first_lines);
        self.table = empty.expect("memory for an empty filter");
        self.stash = Stash::new(&self.table.shape);
        self.len = 0;
    }

    /// Takes every item of `other` in as well, and grows as it needs to. Needs a copy of the filter while it works.
    ///
    /// # Errors
    /// [`MergeError`] if rate, maximum, hash or seed differ, or if the items do not fit; both are unchanged.
    pub fn merge(&mut self, other: &GrowingFilter) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        let needed = self.len + other.len;
        if let Some(capacity) = self.maximum().filter(|&maximum| needed > maximum) {
            return Err(MergeError::OverCapacity { needed, capacity });
        }
        let mut merged = self.clone();
        for item in other.items() {
            merged.insert_known(&item).map_err(MergeError::NoRoom)?;
        }
        merged.len = needed;
        *self = merged;
        Ok(())
    }

    fn check_mergeable(&self, other: &GrowingFilter) -> Result<(), MergeError> {
        let (ours, theirs) = (&self.spec, &other.spec);
        MergeError::check_same("maximum", self.maximum(), other.maximum())?;
        MergeError::check_same("false-positive rate", ours.promised_rate, theirs.promised_rate)?;
        MergeError::check_same("shape", ours.parameters, theirs.parameters)?;
        ours.hasher.check_same(&theirs.hasher)
    }

    /// Every entry as an item: those of the table in its order, then stashed copies.
    fn items(&self) -> impl Iterator<Item = Item> + '_ {
        let table = &self.table;
        let cells = (0..2).flat_map(move |side| {
            (0..table.sides[side].lines)
                .flat_map(move |line| (0..table.shape.slots()).map(move |slot| Cell::new(side, line, slot)))
        });
        let stashed = self
            .stash
            .iter()
            .flat_map(|(entry, copies)| core::iter::repeat_n(entry.item(&table.shape), copies as usize));
        cells.filter_map(|cell| table.item_at(cell)).chain(stashed)
    }

    /// Stores an item of which perhaps too few bits are known: then in every line that it may belong to.
    fn insert_known(&mut self, item: &Item) -> Result<(), InsertError> {
        if !self.table.cells(item).as_slice().is_empty() {
            return self.insert_item(item);
        }
        item.halves().iter().try_for_each(|half| self.insert_known(half))
    }

    /// The common end of every insert: into a free slot, else by moving others, else beside the table, else refused.
    #[inline(always)]
    pub(crate) fn insert_item(&mut self, item: &Item) -> Result<(), InsertError> {
        self.check_room()?;
        let cells = self.table.cells(item);
        match cells.as_slice().iter().find(|&&cell| self.table.is_free(cell)) {
            Some(&cell) => self.table.put(cell, &item.entry(cell.side())),
            None => self.make_room(item, &cells)?,
        }
        self.len += 1;
        self.grow();
        Ok(())
    }

    #[inline(always)]
    fn check_room(&self) -> Result<(), InsertError> {
        let full = match self.table.shape.open() {
            true => self.table.weight >= self.most_weight,
            false => self.len >= self.spec.maximum,
        };
        if full { Err(InsertError::Full { capacity: self.len }) } else { Ok(()) }
    }

    #[inline(never)]
    fn make_room(&mut self, item: &Item, cells: &Cells) -> Result<(), InsertError> {
        if self.search.insert(&mut self.table, item, cells) {
            return Ok(());
        }
        let known = |&cell: &Cell| self.known_there(cell, item).is_some();
        let copies = cells.as_slice().iter().filter(|cell| known(cell)).count() as u32;
        let stashed = self.stashed_copies(item);
        if stashed >= Stash::MOST_COPIES {
            return Err(InsertError::TooManyCopies { copies: copies + stashed });
        }
        if self.stash.len() as u64 >= Stash::most(self.slots()) {
            return Err(InsertError::NoRoom { len: self.len, slots: self.slots() });
        }
        self.put_aside(item);
        Ok(())
    }

    /// Puts an item into the stash, with as much of its address as a slot would hold.
    fn put_aside(&mut self, item: &Item) {
        let (line, _) = self.table.sides[0].locate(item.rows[0], item.addresses[0]);
        let depth = self.table.sides[0].depth_of(line);
        let known = self.table.shape.most_known(item.class, depth).min(item.known);
        self.stash.add(Stashed::new(item, known), 1);
    }

    /// Stores an item that was stored before: it is not counted, and never refused. Where too little is known of it, in
    /// every line that it may belong to.
    pub(crate) fn place_again(&mut self, item: &Item) {
        let cells = self.table.cells(item);
        if cells.as_slice().is_empty() {
            return item.halves().iter().for_each(|half| self.place_again(half));
        }
        match cells.as_slice().iter().find(|&&cell| self.table.is_free(cell)) {
            Some(&cell) => self.table.put(cell, &item.entry(cell.side())),
            None if self.search.insert(&mut self.table, item, &cells) => {}
            None => self.put_aside(item),
        }
    }

    /// Whether an entry may be the item's by all that is known of it, which stays so whatever splits and joins.
    fn holds(&self, item: &Item) -> bool {
        let cells = self.table.cells(item);
        cells.as_slice().iter().any(|&cell| self.known_there(cell, item).is_some()) || self.stashed_copies(item) > 0
    }

    /// How many address bits an entry knows that may be the item's.
    fn known_there(&self, cell: Cell, item: &Item) -> Option<u32> {
        let entry = self.table.entry_of_core(cell, item.core)?;
        let differ = (entry.address ^ item.addresses[cell.side()]) & mask(entry.known.min(item.known));
        (differ == 0).then_some(entry.known)
    }

    /// Takes out the entry that knows most of all that may be the item's: any other that may be the item's then may be
    /// this one's too.
    fn remove_item(&mut self, item: &Item) -> bool {
        let cells = self.table.cells(item);
        let known = |&cell: &Cell| Some((self.known_there(cell, item)?, cell));
        let best = cells.as_slice().iter().filter_map(known).reduce(|a, b| if b.0 > a.0 { b } else { a });
        let of_stash = self.stash.may_hold(item).then(|| self.stash.matching(item).map(|(entry, _)| *entry));
        let beside = of_stash.and_then(|entries| entries.max_by_key(|entry| entry.known));
        let enough = |entry: &Stashed| best.is_none_or(|(known, _)| known <= entry.known.into());
        if let Some(entry) = beside.filter(enough) {
            self.stash.remove(&entry);
            return true;
        }
        let Some((_, cell)) = best else { return false };
        self.table.take(cell);
        // A stashed entry that may lie wherever the item may now has a place.
        if let Some(entry) = beside {
            self.take_back(&entry);
        }
        true
    }

    /// Puts a stashed entry into the table if it finds a free slot.
    pub(crate) fn take_back(&mut self, entry: &Stashed) {
        let item = entry.item(&self.table.shape);
        let cells = self.table.cells(&item);
        if let Some(&cell) = cells.as_slice().iter().find(|&&cell| self.table.is_free(cell)) {
            self.table.put(cell, &item.entry(cell.side()));
            self.stash.remove(entry);
        }
    }

    /// Whether what is stored takes less than `part` / 1024 of the slots of so many lines.
    fn holds_less_than(&self, lines: u64, part: u64) -> bool {
        let stored = self.table.occupied() + self.stash.items();
        stored << 10 < lines * self.table.shape.slots() * part
    }

    /// How many of 1024 slots are occupied when a line splits.
    fn full(&self) -> u64 {
        self.spec.parameters.full.into()
    }

    /// Splits lines until the table is as full as it should be.
    #[inline(always)]
    fn grow(&mut self) {
        if !self.holds_less_than(self.table.lines, self.full()) {
            self.split();
        }
    }
}

/// Removals join lines when so many more of 1024 slots are free than when lines split.
const SHRINK: u64 = 205;

/// `compact` joins lines until as few more are.
const COMPACT: u64 = 20;

impl Clone for GrowingFilter {
    fn clone(&self) -> Self {
        Self::from_parts(self.spec, self.table.clone(), self.stash.clone(), self.len)
    }
}

/// Equal filters hold the same bytes under the same parameters: they answer alike and go on alike.
impl PartialEq for GrowingFilter {
    fn eq(&self, other: &GrowingFilter) -> bool {
        self.spec == other.spec
            && (self.len, self.table.lines, &self.stash) == (other.len, other.table.lines, &other.stash)
            && self.table.same_bytes(&other.table)
    }
}

impl fmt::Debug for GrowingFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrowingFilter")
            .field("len", &self.len)
            .field("maximum", &self.maximum())
            .field("promised_false_positive_rate", &self.spec.promised_rate)
            .field("slots", &self.slots())
            .field("hash", &self.spec.hasher.kind())
            .finish_non_exhaustive()
    }
}
