//! Many keys in one call: hash ahead, fetch ahead, then compare. One key after the other waits for memory at every key;
//! a block of keys waits about once.

use crate::error::InsertManyError;
use crate::filter::CuckooFilter;
use crate::key::Key;
use crate::table::{Cells, with_table};
use alloc::vec;
use alloc::vec::Vec;

/// Keys in flight: enough to cover the memory's latency, few enough for their lines to stay in the first cache.
const BLOCK: usize = 64;

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
        let hasher = &self.spec.hasher;
        self.contains_blocks(keys, found, |keys, hashes| K::hash_many(keys, hasher, hashes));
    }

    /// [`contains_many`](Self::contains_many) by hash.
    pub fn contains_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        let mut found = vec![false; hashes.len()];
        self.contains_blocks(hashes, &mut found, |block, hashes| hashes.copy_from_slice(block));
        found
    }

    #[inline(always)]
    fn contains_blocks<K>(&self, keys: &[K], found: &mut [bool], hash: impl Fn(&[K], &mut [u64])) {
        let bytes = self.bytes.as_ref();
        let mut hashes = [0; BLOCK];
        with_table!(&self.table, cells => {
            for (keys, found) in keys.chunks(BLOCK).zip(found.chunks_mut(BLOCK)) {
                let hashes = &mut hashes[..keys.len()];
                hash(keys, hashes);
                contains_block(cells, bytes, hashes, found);
            }
        });
    }
}

/// Locates and prefetches a block of hashes, then compares them.
#[inline(always)]
fn contains_block<C: Cells>(cells: &C, bytes: &[u8], hashes: &[u64], found: &mut [bool]) {
    let mut probes = [cells.locate(0); BLOCK];
    for (probe, &hash) in probes.iter_mut().zip(hashes) {
        *probe = cells.locate(hash);
        cells.prefetch(bytes, probe);
    }
    for (found, probe) in found.iter_mut().zip(&probes) {
        *found = cells.matches(bytes, probe);
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
        let mut hashes = [0; BLOCK];
        for (block, keys) in keys.chunks(BLOCK).enumerate() {
            let hashes = &mut hashes[..keys.len()];
            hash(keys, hashes);
            self.prefetch_block(hashes);
            for (position, &hash) in hashes.iter().enumerate() {
                let inserted = block * BLOCK + position;
                self.insert_hash(hash).map_err(|reason| InsertManyError { inserted, reason })?;
            }
        }
        Ok(())
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
        let mut hashes = [0; BLOCK];
        let mut removed = Vec::with_capacity(keys.len());
        for keys in keys.chunks(BLOCK) {
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
