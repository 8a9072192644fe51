//! Many keys in one call, through the pipelines that plain filters use.

use super::filter::{SyncFilter, look};
use super::primitives::AtomicU64;
use super::stripes::Moves;
use crate::batch::{
    GROUP, Given, Hashes, Lookup, Sink, contains_pipeline, in_groups, insert_pipeline, prefetch_group, write_found,
};
use crate::bits::Eight;
use crate::error::{InsertError, InsertManyError};
use crate::fingerprint::Fingerprint;
use crate::key::Key;
use crate::table::{Candidates, Cells, with_table};
use alloc::vec;
use alloc::vec::Vec;

impl SyncFilter {
    /// [`contains`](Self::contains) for each key, in order. Each answer holds for a moment of its own during the call.
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
        let (words, moves) = (self.words.get(), self.stripes.moves());
        let narrow = self.spec.geometry.buckets < 1 << 32;
        with_table!(self.table, cells => match self.arch.vectors() {
            Some(vectors) if narrow => vectors.run(
                #[inline(always)]
                move || contains_pipeline(Shared::<_, true> { cells, words, moves }, keys, found, hashes)
            ),
            _ => contains_pipeline(Shared::<_, false> { cells, words, moves }, keys, found, hashes),
        });
    }

    /// [`insert`](Self::insert) for each key, in order, among what other threads do.
    ///
    /// # Errors
    /// [`InsertManyError`] at the first refused key: the ones before it are stored, it and the ones after it are not.
    pub fn insert_many<K: Key>(&self, keys: &[K]) -> Result<(), InsertManyError> {
        self.insert_groups(keys, self.spec.hasher)
    }

    /// [`insert_many`](Self::insert_many) by hash.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hash(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        self.insert_groups(hashes, Given)
    }

    #[inline(always)]
    fn insert_groups<K>(&self, keys: &[K], hashes: impl Hashes<K>) -> Result<(), InsertManyError> {
        let mut sink = self;
        with_table!(&self.table, cells => self.arch.run(
            #[inline(always)]
            || insert_pipeline(&mut sink, cells, keys, hashes)
        ))
    }

    /// [`remove`](Self::remove) for each key, in order: whether each was there.
    pub fn remove_many<K: Key>(&self, keys: &[K]) -> Vec<bool> {
        self.remove_groups(keys, self.spec.hasher)
    }

    /// [`remove_many`](Self::remove_many) by hash.
    pub fn remove_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        self.remove_groups(hashes, Given)
    }

    #[inline(always)]
    fn remove_groups<K>(&self, keys: &[K], hashes: impl Hashes<K>) -> Vec<bool> {
        let words = self.words.get();
        let mut removed = Vec::with_capacity(keys.len());
        in_groups(keys, hashes, |group| {
            with_table!(&self.table, cells => prefetch_group(cells, words, group));
            removed.extend(group.iter().map(|&hash| self.remove_hash(hash)));
        });
        removed
    }
}

#[derive(Clone, Copy)]
struct Shared<'a, C, const NARROW: bool> {
    cells: C,
    words: &'a [AtomicU64],
    moves: Moves<'a>,
}

impl<C: Cells, const NARROW: bool> Lookup for Shared<'_, C, NARROW> {
    type Group = C::Probe<Eight<NARROW>>;

    #[inline(always)]
    fn locate(&self, hashes: [u64; GROUP]) -> Self::Group {
        self.cells.locate(Eight(hashes))
    }

    #[inline(always)]
    fn prefetch(&self, group: &Self::Group) {
        self.cells.prefetch(self.words, group);
    }

    #[inline(always)]
    fn look(&self, group: &Self::Group, found: &mut [bool; GROUP]) {
        write_found(look(&self.cells, self.words, self.moves, group), found);
    }

    #[inline(always)]
    fn look_one(&self, hash: u64) -> bool {
        look(&self.cells, self.words, self.moves, &self.cells.locate(hash)) != 0
    }
}

impl Sink for &SyncFilter {
    type Bytes = [AtomicU64];

    #[inline(always)]
    fn bytes(&self) -> &[AtomicU64] {
        self.words.get()
    }

    #[inline(always)]
    fn store<C: Cells>(&mut self, cells: &C, item: &Candidates, fingerprint: Fingerprint) -> Result<(), InsertError> {
        self.insert_in::<false, C>(cells, item, fingerprint).map(drop)
    }
}
