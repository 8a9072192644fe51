//! Many keys in one call: hash ahead, fetch ahead, then compare. One key after the other waits for memory at every key;
//! a block of keys waits about once.

use crate::bits::{Bytes, Eight};
use crate::error::{InsertError, InsertManyError};
use crate::filter::CuckooFilter;
use crate::fingerprint::Fingerprint;
use crate::hash::ItemHasher;
use crate::key::Key;
use crate::table::{Candidates, Cells, with_table};
use alloc::vec;
use alloc::vec::Vec;

/// Keys of one step. Eight keys a group and four groups in flight were the fastest of 4 to 64 keys and 2 to 12 groups.
pub(crate) const GROUP: usize = 8;

/// Groups on their way in lookups.
const FLYING: usize = 4;

/// Groups between two stages of an insert.
const LEAD: usize = 2;
const STAGES: usize = 2 * LEAD + 1;

impl<S: AsRef<[u8]>> CuckooFilter<S> {
    /// [`contains`](Self::contains) for each key, in order. Several times faster than single calls where the table is
    /// larger than the caches.
    pub fn contains_many<K: Key>(&self, keys: &[K]) -> Vec<bool> {
        let mut found = vec![false; keys.len()];
        self.contains_many_into(keys, &mut found);
        found
    }

    /// [`contains_many`](Self::contains_many) into a slice of the caller's.
    ///
    /// # Panics
    /// If `found` is not as long as `keys`.
    pub fn contains_many_into<K: Key>(&self, keys: &[K], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "one answer for each key");
        self.contains_groups(keys, found, self.spec.hasher);
    }

    /// [`contains_many`](Self::contains_many) by hash.
    pub fn contains_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        let mut found = vec![false; hashes.len()];
        self.contains_groups(hashes, &mut found, Given);
        found
    }

    #[inline(always)]
    fn contains_groups<K>(&self, keys: &[K], found: &mut [bool], hashes: impl Hashes<K>) {
        let bytes = self.bytes.as_ref();
        let narrow = self.spec.geometry.buckets < 1 << 32;
        // Moved, not borrowed: what the loop reads must not seem to change with what it writes.
        with_table!(self.table, cells => match self.arch.vectors() {
            Some(vectors) if narrow => vectors.run(
                #[inline(always)]
                move || contains_pipeline(Plain::<_, true> { cells, bytes }, keys, found, hashes)
            ),
            _ => contains_pipeline(Plain::<_, false> { cells, bytes }, keys, found, hashes),
        });
    }
}

/// Where the hashes of many keys come from.
pub(crate) trait Hashes<K>: Copy {
    /// The hashes of up to [`GROUP`] keys.
    fn fill(self, keys: &[K], hashes: &mut [u64]);
}

impl<K: Key> Hashes<K> for ItemHasher {
    #[inline(always)]
    fn fill(self, keys: &[K], hashes: &mut [u64]) {
        K::hash_many(keys, &self, hashes);
    }
}

/// The keys are the hashes.
#[derive(Clone, Copy)]
pub(crate) struct Given;

impl Hashes<u64> for Given {
    #[inline(always)]
    fn fill(self, keys: &[u64], hashes: &mut [u64]) {
        hashes.copy_from_slice(keys);
    }
}

/// Hashes a group of keys after the other, and hands it on.
#[inline(always)]
pub(crate) fn in_groups<K>(keys: &[K], hashes: impl Hashes<K>, mut work: impl FnMut(&[u64])) {
    let mut group = [0; GROUP];
    for keys in keys.chunks(GROUP) {
        let group = &mut group[..keys.len()];
        hashes.fill(keys, group);
        work(group);
    }
}

/// How a filter answers many lookups.
pub(crate) trait Lookup: Copy {
    /// Where the slots of a group's items are.
    type Group: Copy;

    fn locate(&self, hashes: [u64; GROUP]) -> Self::Group;
    /// Asks for the cache lines.
    fn prefetch(&self, group: &Self::Group);
    fn look(&self, group: &Self::Group, found: &mut [bool; GROUP]);
    /// A single lookup, for the keys after the last group.
    fn look_one(&self, hash: u64) -> bool;
}

/// What a vector lookup found, lane by lane.
#[inline(always)]
pub(crate) fn write_found<const NARROW: bool>(matched: Eight<NARROW>, found: &mut [bool; GROUP]) {
    for (found, matched) in found.iter_mut().zip(matched.0) {
        *found = matched != 0;
    }
}

/// Lookups in a table alone.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a, C, const NARROW: bool> {
    pub(crate) cells: C,
    pub(crate) bytes: &'a [u8],
}

impl<C: Cells, const NARROW: bool> Lookup for Plain<'_, C, NARROW> {
    type Group = C::Probe<Eight<NARROW>>;

    #[inline(always)]
    fn locate(&self, hashes: [u64; GROUP]) -> Self::Group {
        self.cells.locate(Eight(hashes))
    }

    #[inline(always)]
    fn prefetch(&self, group: &Self::Group) {
        self.cells.prefetch(self.bytes, group);
    }

    #[inline(always)]
    fn look(&self, group: &Self::Group, found: &mut [bool; GROUP]) {
        write_found(self.cells.matches(self.bytes, group), found);
    }

    #[inline(always)]
    fn look_one(&self, hash: u64) -> bool {
        self.cells.matches(self.bytes, &self.cells.locate(hash)) != 0
    }
}

/// Compares one group of keys while the lines of the next three are on their way.
#[inline(always)]
pub(crate) fn contains_pipeline<L: Lookup, K>(filter: L, keys: &[K], found: &mut [bool], source: impl Hashes<K>) {
    let mut ring = [filter.locate([0; GROUP]); FLYING];
    let groups = keys.len() / GROUP;
    let mut turn = 0;
    for step in 0..groups + FLYING - 1 {
        if step < groups {
            let mut hashes = [0; GROUP];
            source.fill(&keys[step * GROUP..][..GROUP], &mut hashes);
            ring[turn] = filter.locate(hashes);
            filter.prefetch(&ring[turn]);
        }
        turn += 1;
        if turn == FLYING {
            turn = 0;
        }
        if step + 1 >= FLYING {
            let start = (step + 1 - FLYING) * GROUP;
            filter.look(&ring[turn], (&mut found[start..][..GROUP]).try_into().expect("a group"));
        }
    }
    let (keys, found) = (&keys[groups * GROUP..], &mut found[groups * GROUP..]);
    let mut hashes = [0; GROUP];
    source.fill(keys, &mut hashes[..keys.len()]);
    for (found, &hash) in found.iter_mut().zip(&hashes) {
        *found = filter.look_one(hash);
    }
}

impl CuckooFilter {
    /// [`insert`](Self::insert) for each key, in order; the bytes are those of one-by-one insertion.
    ///
    /// # Errors
    /// [`InsertManyError`] at the first refused key: the ones before it are stored, it and the ones after it are not.
    pub fn insert_many<K: Key>(&mut self, keys: &[K]) -> Result<(), InsertManyError> {
        self.insert_groups(keys, self.spec.hasher)
    }

    /// [`insert_many`](Self::insert_many) by hash.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hash(&mut self, hashes: &[u64]) -> Result<(), InsertManyError> {
        self.insert_groups(hashes, Given)
    }

    #[inline(always)]
    fn insert_groups<K>(&mut self, keys: &[K], hashes: impl Hashes<K>) -> Result<(), InsertManyError> {
        let arch = self.arch;
        let table = self.table;
        with_table!(&table, cells => arch.run(
            #[inline(always)]
            || insert_pipeline(self, cells, keys, hashes)
        ))
    }

    /// [`remove`](Self::remove) for each key, in order: whether each was there.
    pub fn remove_many<K: Key>(&mut self, keys: &[K]) -> Vec<bool> {
        self.remove_groups(keys, self.spec.hasher)
    }

    /// [`remove_many`](Self::remove_many) by hash.
    pub fn remove_many_hash(&mut self, hashes: &[u64]) -> Vec<bool> {
        self.remove_groups(hashes, Given)
    }

    #[inline(always)]
    fn remove_groups<K>(&mut self, keys: &[K], hashes: impl Hashes<K>) -> Vec<bool> {
        let mut removed = Vec::with_capacity(keys.len());
        in_groups(keys, hashes, |group| {
            let bytes = self.bytes.as_ref();
            with_table!(&self.table, cells => prefetch_group(cells, bytes, group));
            removed.extend(group.iter().map(|&hash| self.remove_hash(hash)));
        });
        removed
    }
}

/// Asks for the lines of a few items.
#[inline(always)]
pub(crate) fn prefetch_group<C: Cells, B: Bytes + ?Sized>(cells: &C, bytes: &B, hashes: &[u64]) {
    hashes.iter().for_each(|&hash| cells.prefetch(bytes, &cells.locate(hash)));
}

/// What the many-key insert needs of a filter.
pub(crate) trait Sink {
    type Bytes: Bytes + ?Sized;

    /// The table, to be prefetched.
    fn bytes(&self) -> &Self::Bytes;
    /// Stores one item.
    fn store<C: Cells>(&mut self, cells: &C, item: &Candidates, fingerprint: Fingerprint) -> Result<(), InsertError>;
}

impl Sink for CuckooFilter {
    type Bytes = [u8];

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    #[inline(always)]
    fn store<C: Cells>(&mut self, cells: &C, item: &Candidates, fingerprint: Fingerprint) -> Result<(), InsertError> {
        self.insert_in(cells, item, fingerprint)
    }
}

/// Three stages a block apart: find and fetch an item's cells; where they are all full, fetch the cells to which
/// their items could move; store, one item after the other. Only the last stage changes anything.
#[inline(always)]
pub(crate) fn insert_pipeline<F: Sink, C: Cells, K>(
    filter: &mut F,
    cells: &C,
    keys: &[K],
    source: impl Hashes<K>,
) -> Result<(), InsertManyError> {
    let mut hashes = [0; GROUP];
    let mut stages = [[cells.candidates(0); GROUP]; STAGES];
    let groups = keys.len().div_ceil(GROUP);
    let group_len = |group: usize| GROUP.min(keys.len() - group * GROUP);
    for step in 0..groups + 2 * LEAD {
        if step < groups {
            let keys = &keys[step * GROUP..][..group_len(step)];
            let hashes = &mut hashes[..keys.len()];
            source.fill(keys, hashes);
            let bytes = filter.bytes();
            for (item, &hash) in stages[step % STAGES].iter_mut().zip(&*hashes) {
                *item = cells.candidates(hash);
                for &cell in item.0.as_slice() {
                    cells.prefetch_cell(bytes, cell);
                }
            }
        }
        if (LEAD..groups + LEAD).contains(&step) {
            let items = &stages[(step - LEAD) % STAGES][..group_len(step - LEAD)];
            items.iter().for_each(|(candidates, _)| prefetch_moves(cells, filter.bytes(), candidates));
        }
        if step >= 2 * LEAD {
            let step = step - 2 * LEAD;
            let items = &stages[step % STAGES][..group_len(step)];
            for (position, (candidates, fingerprint)) in items.iter().enumerate() {
                let inserted = step * GROUP + position;
                filter.store(cells, candidates, *fingerprint).map_err(|reason| InsertManyError { inserted, reason })?;
            }
        }
    }
    Ok(())
}

/// Where an item's cells are all full, asks for the cells to which the items in them could move.
#[inline(always)]
fn prefetch_moves<C: Cells, B: Bytes + ?Sized>(cells: &C, bytes: &B, candidates: &Candidates) {
    if !candidates.as_slice().iter().all(|&cell| cells.is_full(bytes, cell)) {
        return;
    }
    for &cell in candidates.as_slice() {
        for slot in 0..cells.slots_per_cell() {
            if let Some(item) = Fingerprint::from_slot(cells.get(bytes, cell, slot)) {
                cells.candidates_from(cell, item).as_slice()[1..].iter().for_each(|&o| cells.prefetch_cell(bytes, o));
            }
        }
    }
}
