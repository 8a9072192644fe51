//! Many keys in one call: hash ahead, fetch ahead, then compare, as for filters of a fixed size.

use super::filter::WindowFilter;
use super::lines::with_lines;
use crate::batch::{Given, Hashes, Plain, Sink, contains_pipeline, in_groups, insert_pipeline};
use crate::error::{InsertError, InsertManyError};
use crate::fingerprint::Fingerprint;
use crate::key::Key;
use crate::table::{Candidates, Cells};
use alloc::vec;
use alloc::vec::Vec;

impl WindowFilter {
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
        let narrow = self.spec.fingerprints.buckets < 1 << 32;
        let in_table = &mut *found;
        with_lines!(self.lines, cells => match self.arch.vectors() {
            Some(vectors) if narrow => vectors.run(
                #[inline(always)]
                move || contains_pipeline(Plain::<_, true> { cells, bytes }, keys, in_table, hashes)
            ),
            _ => contains_pipeline(Plain::<_, false> { cells, bytes }, keys, in_table, hashes),
        });
        if !self.stash.is_empty() {
            self.look_aside(keys, found, hashes);
        }
    }

    /// Looks for what was not found in the stash.
    #[cold]
    fn look_aside<K>(&self, keys: &[K], found: &mut [bool], hashes: impl Hashes<K>) {
        let mut found = found.iter_mut();
        in_groups(keys, hashes, |group| {
            group.iter().zip(&mut found).for_each(|(&hash, found)| *found = *found || self.is_stashed(hash));
        });
    }

    /// [`insert`](Self::insert) for each key, in order: whether each is new. The bytes are those of one-by-one insertion.
    ///
    /// # Errors
    /// [`InsertManyError`] at the first refused key: the ones before it are in the window, it and the ones after it are
    /// not. [`insert_many_into`](Self::insert_many_into) tells which of the ones before it were new.
    pub fn insert_many<K: Key>(&mut self, keys: &[K]) -> Result<Vec<bool>, InsertManyError> {
        let mut new = vec![false; keys.len()];
        self.insert_many_into(keys, &mut new)?;
        Ok(new)
    }

    /// [`insert_many`](Self::insert_many) into a slice of the caller's. After an error the answers up to the refused key
    /// are in it.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    ///
    /// # Panics
    /// If `new` is not as long as `keys`.
    pub fn insert_many_into<K: Key>(&mut self, keys: &[K], new: &mut [bool]) -> Result<(), InsertManyError> {
        assert_eq!(keys.len(), new.len(), "one answer for each key");
        self.insert_groups(keys, new, self.spec.hasher)
    }

    /// [`insert_many_into`](Self::insert_many_into) by hash.
    ///
    /// # Errors
    /// As [`insert_many`](Self::insert_many).
    ///
    /// # Panics
    /// If `new` is not as long as `hashes`.
    pub fn insert_many_hash_into(&mut self, hashes: &[u64], new: &mut [bool]) -> Result<(), InsertManyError> {
        assert_eq!(hashes.len(), new.len(), "one answer for each hash");
        self.insert_groups(hashes, new, Given)
    }

    #[inline(always)]
    fn insert_groups<K>(
        &mut self,
        keys: &[K],
        new: &mut [bool],
        hashes: impl Hashes<K>,
    ) -> Result<(), InsertManyError> {
        let arch = self.arch;
        let mut seeing = Seeing { filter: self, new: new.iter_mut() };
        // Stamps may die on the way: what is fetched ahead by this copy of the table is a guess.
        with_lines!(seeing.filter.lines, cells => arch.run(
            #[inline(always)]
            || insert_pipeline(&mut seeing, &cells, keys, hashes)
        ))
    }
}

/// A filter that notes items, and what it says of each.
struct Seeing<'a> {
    filter: &'a mut WindowFilter,
    new: core::slice::IterMut<'a, bool>,
}

impl Sink for Seeing<'_> {
    type Bytes = [u8];

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.filter.bytes.as_ref()
    }

    #[inline(always)]
    fn store<C: Cells>(&mut self, _: &C, item: &Candidates, fingerprint: Fingerprint) -> Result<(), InsertError> {
        let is_new = self.filter.insert_at(item, fingerprint)?;
        if let Some(new) = self.new.next() {
            *new = is_new;
        }
        Ok(())
    }
}
