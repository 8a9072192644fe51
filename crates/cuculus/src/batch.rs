//! Many keys in one call: hash ahead, fetch ahead, then compare. One key after the other waits for memory at every key;
//! a block of keys waits about once.

use crate::bits::{Bytes, Eight, Word};
use crate::error::{InsertError, InsertManyError};
use crate::filter::CuckooFilter;
use crate::fingerprint::Fingerprint;
use crate::key::Key;
use crate::table::{Candidates, Cells, with_table};
use alloc::vec;
use alloc::vec::Vec;

/// Keys of one step. Eight keys a group and four groups in flight were the fastest of 4 to 64 keys and 2 to 12 groups.
const GROUP: usize = 8;

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
        let hasher = self.spec.hasher;
        self.contains_blocks(
            keys,
            found,
            #[inline(always)]
            move |keys, hashes| K::hash_many(keys, &hasher, hashes),
        );
    }

    /// [`contains_many`](Self::contains_many) by hash.
    pub fn contains_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        let mut found = vec![false; hashes.len()];
        self.contains_blocks(
            hashes,
            &mut found,
            #[inline(always)]
            |block, hashes| hashes.copy_from_slice(block),
        );
        found
    }

    #[inline(always)]
    fn contains_blocks<K>(&self, keys: &[K], found: &mut [bool], hash: impl Fn(&[K], &mut [u64]) + Copy) {
        let bytes = self.bytes.as_ref();
        let narrow = self.spec.geometry.buckets < 1 << 32;
        // Moved, not borrowed: what the loop reads must not seem to change with what it writes.
        with_table!(self.table, cells => match self.arch.vectors() {
            Some(vectors) if narrow => vectors.run(
                #[inline(always)]
                move || contains_pipeline::<_, _, _, _, true>(Plain { cells, bytes }, bytes, keys, found, hash)
            ),
            _ => contains_pipeline::<_, _, _, _, false>(Plain { cells, bytes }, bytes, keys, found, hash),
        });
    }
}

/// How a filter answers many lookups: the layout, and how it is looked at.
pub(crate) trait Look<C: Cells>: Copy {
    fn cells(&self) -> C;
    /// Not zero where the item of a probe is found.
    fn look<W: Word>(&self, probe: &C::Probe<W>) -> W;
}

#[derive(Clone, Copy)]
struct Plain<'a, C> {
    cells: C,
    bytes: &'a [u8],
}

impl<C: Cells> Look<C> for Plain<'_, C> {
    #[inline(always)]
    fn cells(&self) -> C {
        self.cells
    }

    #[inline(always)]
    fn look<W: Word>(&self, probe: &C::Probe<W>) -> W {
        self.cells.matches(self.bytes, probe)
    }
}

/// Compares one group of keys while the lines of the next three are on their way.
#[inline(always)]
pub(crate) fn contains_pipeline<C: Cells, L: Look<C>, B: Bytes + ?Sized, K, const NARROW: bool>(
    filter: L,
    bytes: &B,
    keys: &[K],
    found: &mut [bool],
    hash: impl Fn(&[K], &mut [u64]),
) {
    let cells = filter.cells();
    let mut ring = [cells.locate(Eight::<NARROW>([0; GROUP])); FLYING];
    let groups = keys.len() / GROUP;
    let mut turn = 0;
    for step in 0..groups + FLYING - 1 {
        if step < groups {
            let mut hashes = [0; GROUP];
            hash(&keys[step * GROUP..][..GROUP], &mut hashes);
            ring[turn] = cells.locate(Eight(hashes));
            cells.prefetch(bytes, &ring[turn]);
        }
        turn += 1;
        if turn == FLYING {
            turn = 0;
        }
        if step + 1 >= FLYING {
            let start = (step + 1 - FLYING) * GROUP;
            let found: &mut [bool; GROUP] = (&mut found[start..][..GROUP]).try_into().expect("a group");
            let matched = filter.look(&ring[turn]);
            for (found, matched) in found.iter_mut().zip(matched.0) {
                *found = matched != 0;
            }
        }
    }
    let (keys, found) = (&keys[groups * GROUP..], &mut found[groups * GROUP..]);
    let mut hashes = [0; GROUP];
    hash(keys, &mut hashes[..keys.len()]);
    for (found, &hash) in found.iter_mut().zip(&hashes) {
        *found = filter.look(&cells.locate(hash)) != 0;
    }
}

impl CuckooFilter {
    /// [`insert`](Self::insert) for each key, in order; the bytes are those of one-by-one insertion.
    ///
    /// # Errors
    /// [`InsertManyError`] at the first refused key: the ones before it are stored, it and the ones after it are not.
    pub fn insert_many<K: Key>(&mut self, keys: &[K]) -> Result<(), InsertManyError> {
        let hasher = self.spec.hasher;
        self.insert_blocks(keys, |keys, hashes| K::hash_many(keys, &hasher, hashes))
    }

    /// [`insert_many`](Self::insert_many) by hash.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hash(&mut self, hashes: &[u64]) -> Result<(), InsertManyError> {
        self.insert_blocks(hashes, |block, hashes| hashes.copy_from_slice(block))
    }

    #[inline(always)]
    fn insert_blocks<K>(&mut self, keys: &[K], hash: impl Fn(&[K], &mut [u64])) -> Result<(), InsertManyError> {
        let arch = self.arch;
        let table = self.table;
        with_table!(&table, cells => arch.run(
            #[inline(always)]
            || insert_pipeline(self, cells, keys, &hash)
        ))
    }

    /// [`remove`](Self::remove) for each key, in order: whether each was there.
    pub fn remove_many<K: Key>(&mut self, keys: &[K]) -> Vec<bool> {
        let hasher = self.spec.hasher;
        self.remove_blocks(keys, |keys, hashes| K::hash_many(keys, &hasher, hashes))
    }

    /// [`remove_many`](Self::remove_many) by hash.
    pub fn remove_many_hash(&mut self, hashes: &[u64]) -> Vec<bool> {
        self.remove_blocks(hashes, |block, hashes| hashes.copy_from_slice(block))
    }

    #[inline(always)]
    fn remove_blocks<K>(&mut self, keys: &[K], hash: impl Fn(&[K], &mut [u64])) -> Vec<bool> {
        let mut hashes = [0; GROUP];
        let mut removed = Vec::with_capacity(keys.len());
        for keys in keys.chunks(GROUP) {
            let hashes = &mut hashes[..keys.len()];
            hash(keys, hashes);
            self.prefetch_block(hashes);
            removed.extend(hashes.iter().map(|&hash| self.remove_hash(hash)));
        }
        removed
    }

    #[inline(always)]
    fn prefetch_block(&self, hashes: &[u64]) {
        let bytes = self.bytes.as_ref();
        with_table!(&self.table, cells => {
            for &hash in hashes {
                cells.prefetch(bytes, &cells.locate(hash));
            }
        });
    }
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
    hash: &impl Fn(&[K], &mut [u64]),
) -> Result<(), InsertManyError> {
    let mut hashes = [0; GROUP];
    let mut stages = [[cells.candidates(0); GROUP]; STAGES];
    let groups = keys.len().div_ceil(GROUP);
    let group_len = |group: usize| GROUP.min(keys.len() - group * GROUP);
    for step in 0..groups + 2 * LEAD {
        if step < groups {
            let keys = &keys[step * GROUP..][..group_len(step)];
            let hashes = &mut hashes[..keys.len()];
            hash(keys, hashes);
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
