//! Many keys in one call: hash ahead, fetch ahead, then compare, as for filters of a fixed size.

use super::filter::GrowingFilter;
use super::probe::Probe;
use crate::batch::{GROUP, Given, Hashes, Lookup, contains_pipeline, in_groups};
use crate::error::InsertManyError;
use crate::key::Key;
use alloc::vec;
use alloc::vec::Vec;

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
        match self.table.shape.open() {
            true => self.arch.run(
                #[inline(always)]
                || contains_pipeline(Lines::<true>(self), keys, found, hashes),
            ),
            false => self.arch.run(
                #[inline(always)]
                || contains_pipeline(Lines::<false>(self), keys, found, hashes),
            ),
        }
    }

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

    /// Fetches the lines of one group of keys while the group before it is stored.
    #[inline(always)]
    fn insert_groups<K>(&mut self, keys: &[K], source: impl Hashes<K>) -> Result<(), InsertManyError> {
        let mut ring = [[0; GROUP]; 2];
        let groups = keys.len().div_ceil(GROUP);
        let group_len = |group: usize| GROUP.min(keys.len() - group * GROUP);
        for step in 0..groups + 1 {
            if step < groups {
                let hashes = &mut ring[step % 2][..group_len(step)];
                source.fill(&keys[step * GROUP..][..hashes.len()], hashes);
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
            group.iter().for_each(|&hash| self.prefetch(hash));
            removed.extend(group.iter().map(|&hash| self.remove_hash(hash)));
        });
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

/// Lookups, by the two lines of each item.
#[derive(Clone, Copy)]
struct Lines<'a, const OPEN: bool>(&'a GrowingFilter);

impl<'a, const OPEN: bool> Lookup for Lines<'a, OPEN> {
    /// Each item's lines, and its hash.
    type Group = [(Probe<'a>, u64); GROUP];

    #[inline(always)]
    fn locate(&self, hashes: [u64; GROUP]) -> Self::Group {
        hashes.map(|hash| (Probe::new::<OPEN>(&self.0.table, &self.0.stash, hash), hash))
    }

    #[inline(always)]
    fn prefetch(&self, group: &Self::Group) {
        group.iter().for_each(|(probe, _)| probe.prefetch());
    }

    #[inline(always)]
    fn look(&self, group: &Self::Group, found: &mut [bool; GROUP]) {
        for (found, (probe, hash)) in found.iter_mut().zip(group) {
            *found = self.0.look::<OPEN>(probe, *hash);
        }
    }

    #[inline(always)]
    fn look_one(&self, hash: u64) -> bool {
        self.0.look::<OPEN>(&Probe::new::<OPEN>(&self.0.table, &self.0.stash, hash), hash)
    }
}
