//! Many keys in one call: hash ahead, fetch ahead, then compare, as for filters of a fixed size.

use super::filter::GrowingFilter;
use super::probe::Probe;
use crate::error::InsertManyError;
use crate::key::Key;
use alloc::vec;
use alloc::vec::Vec;

/// Keys of one step, and how many steps their lines are on their way.
const GROUP: usize = 8;
const FLYING: usize = 4;

impl GrowingFilter {
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
        match self.table.shape.open() {
            true => self.arch.run(
                #[inline(always)]
                || self.contains_pipeline::<true, K>(keys, found, hash),
            ),
            false => self.arch.run(
                #[inline(always)]
                || self.contains_pipeline::<false, K>(keys, found, hash),
            ),
        }
    }

    /// Compares one group of keys while the lines of the next three are on their way.
    #[inline(always)]
    fn contains_pipeline<const OPEN: bool, K>(&self, keys: &[K], found: &mut [bool], hash: impl Fn(&[K], &mut [u64])) {
        let (table, stash) = (&self.table, &self.stash);
        let mut ring = [[(Probe::new::<OPEN>(table, stash, 0), 0); GROUP]; FLYING];
        let groups = keys.len() / GROUP;
        for step in 0..groups + FLYING - 1 {
            if step < groups {
                let mut hashes = [0; GROUP];
                hash(&keys[step * GROUP..][..GROUP], &mut hashes);
                for (slot, &hash) in ring[step % FLYING].iter_mut().zip(&hashes) {
                    let probe = Probe::new::<OPEN>(table, stash, hash);
                    probe.prefetch();
                    *slot = (probe, hash);
                }
            }
            if let Some(step) = (step + 1).checked_sub(FLYING) {
                let found = &mut found[step * GROUP..][..GROUP];
                for (found, (probe, hash)) in found.iter_mut().zip(&ring[step % FLYING]) {
                    *found = self.look::<OPEN>(probe, *hash);
                }
            }
        }
        let (keys, found) = (&keys[groups * GROUP..], &mut found[groups * GROUP..]);
        let mut hashes = [0; GROUP];
        hash(keys, &mut hashes[..keys.len()]);
        for (found, &hash) in found.iter_mut().zip(&hashes) {
            *found = self.look::<OPEN>(&Probe::new::<OPEN>(table, stash, hash), hash);
        }
    }

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

    /// Fetches the lines of one group of keys while the group before it is stored.
    #[inline(always)]
    fn insert_blocks<K>(&mut self, keys: &[K], hash: impl Fn(&[K], &mut [u64])) -> Result<(), InsertManyError> {
        let mut ring = [[0; GROUP]; 2];
        let groups = keys.len().div_ceil(GROUP);
        let group_len = |group: usize| GROUP.min(keys.len() - group * GROUP);
        for step in 0..groups + 1 {
            if step < groups {
                let hashes = &mut ring[step % 2][..group_len(step)];
                hash(&keys[step * GROUP..][..hashes.len()], hashes);
                hashes.iter().for_each(|&hash| self.prefetch(hash));
            }
            if let Some(step) = step.checked_sub(1) {
                for (position, &hash) in ring[step % 2][..group_len(step)].iter().enumerate() {
                    let inserted = step * GROUP + position;
                    self.insert_hash(hash).map_err(|reason| InsertManyError { inserted, reason })?;
                }
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
        let mut hashes = [0; GROUP];
        let mut removed = Vec::with_capacity(keys.len());
        for keys in keys.chunks(GROUP) {
            let hashes = &mut hashes[..keys.len()];
            hash(keys, hashes);
            hashes.iter().for_each(|&hash| self.prefetch(hash));
            removed.extend(hashes.iter().map(|&hash| self.remove_hash(hash)));
        }
        removed
    }

    #[inline(always)]
    fn prefetch(&self, hash: u64) {
        match self.table.shape.open() {
            true => Probe::new::<true>(&self.table, &self.stash, hash).prefetch(),
            false => Probe::new::<false>(&self.table, &self.stash, hash).prefetch(),
        }
    }
}
