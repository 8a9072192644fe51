//! Many keys in one call: hash ahead, fetch ahead, then compare, as for filters of a fixed size.

use super::filter::GrowingFilter;
use super::probe::{Finder, Probe};
use crate::batch::{GROUP, Given, Hashes, Lookup, contains_pipeline, in_groups, write_found};
use crate::bits::Eight;
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
            true => self.contains_by::<true, K>(keys, found, hashes),
            false => self.contains_by::<false, K>(keys, found, hashes),
        }
    }

    #[inline(always)]
    fn contains_by<const OPEN: bool, K>(&self, keys: &[K], found: &mut [bool], hashes: impl Hashes<K>) {
        let narrow = self.table.sides.iter().all(|side| side.lines < 1 << 32);
        // Copied: what the loop reads must not seem to change with what it writes.
        let (shape, sides) = (self.table.shape, self.table.sides);
        let finder = self.finder::<OPEN>().with(&shape, &sides);
        match self.arch.vectors() {
            Some(vectors) if narrow => vectors.run(
                #[inline(always)]
                || contains_pipeline(Finding::<OPEN, true> { filter: self, finder }, keys, found, hashes),
            ),
            _ => contains_pipeline(Finding::<OPEN, false> { filter: self, finder }, keys, found, hashes),
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
            true => self.finder::<true>().prefetch(&self.finder::<true>().locate(hash)),
            false => self.finder::<false>().prefetch(&self.finder::<false>().locate(hash)),
        }
    }
}

#[derive(Clone, Copy)]
struct Finding<'a, const OPEN: bool, const NARROW: bool> {
    filter: &'a GrowingFilter,
    finder: Finder<'a, OPEN>,
}

impl<const OPEN: bool, const NARROW: bool> Lookup for Finding<'_, OPEN, NARROW> {
    /// The items' lines, and their hashes.
    type Group = (Probe<Eight<NARROW>>, [u64; GROUP]);

    #[inline(always)]
    fn locate(&self, hashes: [u64; GROUP]) -> Self::Group {
        (self.finder.locate(Eight(hashes)), hashes)
    }

    #[inline(always)]
    fn prefetch(&self, (probe, _): &Self::Group) {
        self.finder.prefetch(probe);
    }

    #[inline(always)]
    fn look(&self, (probe, hashes): &Self::Group, found: &mut [bool; GROUP]) {
        let matched = self.finder.matches(probe);
        write_found(matched, found);
        let doubt = self.finder.in_doubt(probe, matched).0;
        if doubt.into_iter().fold(0, |all, doubt| all | doubt) == 0 {
            return;
        }
        for lane in 0..GROUP {
            if doubt[lane] != 0 {
                found[lane] = self.filter.settle(hashes[lane]);
            }
        }
    }

    #[inline(always)]
    fn look_one(&self, hash: u64) -> bool {
        self.filter.look(self.finder, hash)
    }
}
