//! Many keys in one call, through the pipelines that plain filters use.

use super::filter::{SyncFilter, look};
use super::primitives::AtomicU64;
use super::stripes::Moves;
use crate::batch::{Look, Sink, contains_pipeline, insert_pipeline};
use crate::bits::Word;
use crate::error::{InsertError, InsertManyError};
use crate::fingerprint::Fingerprint;
use crate::key::Key;
use crate::table::{Candidates, Cells, with_table};
use alloc::vec;
use alloc::vec::Vec;

/// Keys of one step of a removal.
const GROUP: usize = 8;

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
        let hasher = self.spec.hasher;
        self.contains_blocks(keys, found, move |keys, hashes| K::hash_many(keys, &hasher, hashes));
    }

    /// [`contains_many`](Self::contains_many) by hash.
    pub fn contains_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        let mut found = vec![false; hashes.len()];
        self.contains_blocks(hashes, &mut found, |block, hashes| hashes.copy_from_slice(block));
        found
    }

    #[inline(always)]
    fn contains_blocks<K>(&self, keys: &[K], found: &mut [bool], hash: impl Fn(&[K], &mut [u64]) + Copy) {
        let (words, moves) = (self.words.get(), self.stripes.moves());
        let narrow = self.spec.geometry.buckets < 1 << 32;
        with_table!(self.table, cells => match self.arch.vectors() {
            Some(vectors) if narrow => vectors.run(
                #[inline(always)]
                move || contains_pipeline::<_, _, _, _, true>(Shared { cells, words, moves }, words, keys, found, hash)
            ),
            _ => contains_pipeline::<_, _, _, _, false>(Shared { cells, words, moves }, words, keys, found, hash),
        });
    }

    /// [`insert`](Self::insert) for each key, in order, among what other threads do.
    ///
    /// # Errors
    /// [`InsertManyError`] at the first refused key: the ones before it are stored, it and the ones after it are not.
    pub fn insert_many<K: Key>(&self, keys: &[K]) -> Result<(), InsertManyError> {
        let hasher = self.spec.hasher;
        self.insert_blocks(keys, |keys, hashes| K::hash_many(keys, &hasher, hashes))
    }

    /// [`insert_many`](Self::insert_many) by hash.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    pub fn insert_many_hash(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        self.insert_blocks(hashes, |block, hashes| hashes.copy_from_slice(block))
    }

    #[inline(always)]
    fn insert_blocks<K>(&self, keys: &[K], hash: impl Fn(&[K], &mut [u64])) -> Result<(), InsertManyError> {
        let mut sink = self;
        with_table!(&self.table, cells => self.arch.run(
            #[inline(always)]
            || insert_pipeline(&mut sink, cells, keys, &hash)
        ))
    }

    /// [`remove`](Self::remove) for each key, in order: whether each was there.
    pub fn remove_many<K: Key>(&self, keys: &[K]) -> Vec<bool> {
        let hasher = self.spec.hasher;
        self.remove_blocks(keys, |keys, hashes| K::hash_many(keys, &hasher, hashes))
    }

    /// [`remove_many`](Self::remove_many) by hash.
    pub fn remove_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        self.remove_blocks(hashes, |block, hashes| hashes.copy_from_slice(block))
    }

    #[inline(always)]
    fn remove_blocks<K>(&self, keys: &[K], hash: impl Fn(&[K], &mut [u64])) -> Vec<bool> {
        let words = self.words.get();
        let mut hashes = [0; GROUP];
        let mut removed = Vec::with_capacity(keys.len());
        for keys in keys.chunks(GROUP) {
            let hashes = &mut hashes[..keys.len()];
            hash(keys, hashes);
            with_table!(&self.table, cells => {
                hashes.iter().for_each(|&hash| cells.prefetch(words, &cells.locate(hash)));
            });
            removed.extend(hashes.iter().map(|&hash| self.remove_hash(hash)));
        }
        removed
    }
}

#[derive(Clone, Copy)]
struct Shared<'a, C> {
    cells: C,
    words: &'a [AtomicU64],
    moves: Moves<'a>,
}

impl<C: Cells> Look<C> for Shared<'_, C> {
    #[inline(always)]
    fn cells(&self) -> C {
        self.cells
    }

    #[inline(always)]
    fn look<W: Word>(&self, probe: &C::Probe<W>) -> W {
        look(&self.cells, self.words, self.moves, probe)
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
