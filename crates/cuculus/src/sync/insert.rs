//! Inserting: into a free candidate slot under two locks; else search a chain of moves without any, lock what it touches,
//! look whether it still holds, and move from its end. Nothing moves before everything is known to fit.

use super::filter::{SyncFilter, lines_of};
use super::primitives::{AtomicU64, thread_local};
use super::stripes::Guard;
use crate::error::InsertError;
use crate::evict::{BreadthFirst, Place};
use crate::fingerprint::Fingerprint;
use crate::geometry::Search;
use crate::key::Key;
use crate::table::{Candidates, Cell, Cells, with_table};
use alloc::vec::Vec;
use core::cell::RefCell;

/// Searches whose chain other threads broke, after which an insert locks the whole table for its last one.
const TRIES: u32 = 8;

thread_local! {
    /// Working memory of this thread, for any filter.
    static WORK: RefCell<Work> = RefCell::default();
}

#[derive(Default)]
struct Work {
    search: BreadthFirst,
    chain: Chain,
    stripes: Vec<usize>,
}

/// What stands in the way of an item under locks.
enum Obstacle {
    /// The guard has no right to insert one more: the capacity is reached, or what is left of it is spare elsewhere.
    Room,
    /// All candidate slots are taken.
    Slots,
}

/// One step of a chain: cells with slots, and the cache lines in which the item that moves may lie.
struct Move {
    item: Fingerprint,
    from: (Cell, u32),
    to: (Cell, u32),
    lines: [u64; 2],
}

/// The moves from the end of the chain, and the slot which is then free for the new item.
#[derive(Default)]
struct Chain {
    moves: Vec<Move>,
    home: (Cell, u32),
}

/// Why there is no chain.
enum NoChain {
    /// There is none within the search budget.
    NoRoom,
    /// Other threads changed it as it was read.
    Broken,
}

impl SyncFilter {
    /// Stores an item; a second time, a second copy. As [`CuckooFilter::insert`](crate::CuckooFilter::insert).
    ///
    /// # Errors
    /// [`InsertError`], and nothing has changed.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&self, key: &K) -> Result<(), InsertError> {
        self.insert_hash(self.hash(key))
    }

    /// [`insert`](Self::insert) by hash. The hash must be uniform over all 64 bits; [`hash`](Self::hash) is.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&self, hash: u64) -> Result<(), InsertError> {
        with_table!(&self.table, cells => {
            let (candidates, fingerprint) = cells.candidates(hash);
            self.insert_in::<false, _>(cells, &candidates, fingerprint).map(drop)
        })
    }

    /// Stores an item unless it is probably stored already; says whether it stored. Of several threads that do this at
    /// once with an item that is not stored, one gets `true`.
    ///
    /// An item for which the answer is `false` owns no copy and must not be removed.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_unique<K: Key + ?Sized>(&self, key: &K) -> Result<bool, InsertError> {
        self.insert_unique_hash(self.hash(key))
    }

    /// [`insert_unique`](Self::insert_unique) by hash.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    #[inline]
    pub fn insert_unique_hash(&self, hash: u64) -> Result<bool, InsertError> {
        with_table!(&self.table, cells => {
            let (candidates, fingerprint) = cells.candidates(hash);
            self.insert_in::<true, _>(cells, &candidates, fingerprint)
        })
    }

    /// The common end of every insert; whether it stored.
    #[inline(always)]
    pub(super) fn insert_in<const UNIQUE: bool, C: Cells>(
        &self,
        cells: &C,
        candidates: &Candidates,
        fingerprint: Fingerprint,
    ) -> Result<bool, InsertError> {
        if !UNIQUE {
            // Nearly always there is a free slot, and one lock is enough to take it.
            if let Some(place) = cells.choose(self.words.get(), candidates) {
                let guard = self.stripes.lock_one(cells.line(place.0));
                if guard.has_room() && cells.fill(&mut self.locked(), place, fingerprint) {
                    guard.count_insert();
                    return Ok(true);
                }
            }
        }
        let guard = self.stripes.lock_two(lines_of(cells, candidates));
        match self.settle::<UNIQUE, C>(&guard, cells, candidates, fingerprint) {
            Ok(outcome) => outcome,
            Err(obstacle) => {
                drop(guard);
                self.make_room::<UNIQUE, C>(cells, candidates, fingerprint, obstacle)
            }
        }
    }

    /// Decides, under a guard of the candidates, all that needs no moves.
    #[inline(always)]
    fn settle<const UNIQUE: bool, C: Cells>(
        &self,
        guard: &Guard<'_>,
        cells: &C,
        candidates: &Candidates,
        fingerprint: Fingerprint,
    ) -> Result<Result<bool, InsertError>, Obstacle> {
        let mut words = self.locked();
        if UNIQUE && cells.count(&words, candidates, fingerprint) > 0 {
            return Ok(Ok(false));
        }
        if !guard.has_room() {
            return Err(Obstacle::Room);
        }
        if cells.place(&mut words, candidates, fingerprint) {
            guard.count_insert();
            return Ok(Ok(true));
        }
        self.crowd(guard, cells, candidates, fingerprint).ok_or(Obstacle::Slots)
    }

    /// Where all candidate slots hold this very fingerprint, moves are of no use: the stash, or a refusal.
    #[inline(never)]
    fn crowd<C: Cells>(
        &self,
        guard: &Guard<'_>,
        cells: &C,
        candidates: &Candidates,
        fingerprint: Fingerprint,
    ) -> Option<Result<bool, InsertError>> {
        let geometry = &self.spec.geometry;
        if cells.count(self.words.get(), candidates, fingerprint) < geometry.candidate_slots() {
            return None;
        }
        let taken_in = self.with_stash(|stash| stash.take_in(geometry, candidates, fingerprint));
        Some(taken_in.map(|()| {
            guard.count_insert();
            true
        }))
    }

    #[inline(never)]
    fn make_room<const UNIQUE: bool, C: Cells>(
        &self,
        cells: &C,
        candidates: &Candidates,
        fingerprint: Fingerprint,
        mut obstacle: Obstacle,
    ) -> Result<bool, InsertError> {
        for _ in 0..TRIES {
            if let Obstacle::Room = obstacle {
                break;
            }
            let outcome = WORK.with(|work| {
                let Work { search, chain, stripes } = &mut *work.borrow_mut();
                self.find_chain(cells, candidates, search, chain)?;
                let lines = chain.moves.iter().flat_map(|step| step.lines).chain(lines_of(cells, candidates));
                let guard = self.stripes.lock_lines(lines, stripes);
                if UNIQUE && cells.count(self.words.get(), candidates, fingerprint) > 0 {
                    return Ok(Ok(false));
                }
                if !guard.has_room() {
                    return Ok(Err(Obstacle::Room));
                }
                let stored = self.follow(&guard, cells, chain, fingerprint);
                if stored { Ok(Ok(true)) } else { Err(NoChain::Broken) }
            });
            match outcome {
                Ok(Ok(stored)) => return Ok(stored),
                Ok(Err(other)) => obstacle = other,
                Err(NoChain::Broken) => {}
                Err(NoChain::NoRoom) => break,
            }
        }
        self.insert_alone::<UNIQUE, C>(cells, candidates, fingerprint)
    }

    /// The end of a bounded call, and the only place that may refuse for want of room: with the table to itself.
    #[inline(never)]
    fn insert_alone<const UNIQUE: bool, C: Cells>(
        &self,
        cells: &C,
        candidates: &Candidates,
        fingerprint: Fingerprint,
    ) -> Result<bool, InsertError> {
        let guard = self.stripes.lock_all();
        match self.settle::<UNIQUE, C>(&guard, cells, candidates, fingerprint) {
            Ok(outcome) => return outcome,
            Err(Obstacle::Room) => return Err(InsertError::Full { capacity: self.spec.capacity }),
            Err(Obstacle::Slots) => {}
        }
        let stored = WORK.with(|work| {
            let Work { search, chain, .. } = &mut *work.borrow_mut();
            let found = self.find_chain(cells, candidates, search, chain);
            found.is_ok() && self.follow(&guard, cells, chain, fingerprint)
        });
        match stored {
            true => Ok(true),
            false => Err(InsertError::NoRoom { len: self.len(), slots: self.spec.geometry.slots() }),
        }
    }

    /// Searches the shortest chain, without a lock unless the caller has one.
    fn find_chain<C: Cells>(
        &self,
        cells: &C,
        candidates: &Candidates,
        search: &mut BreadthFirst,
        chain: &mut Chain,
    ) -> Result<(), NoChain> {
        let Search::BreadthFirst { positions } = self.spec.search else { return Err(NoChain::NoRoom) };
        let words = self.words.get();
        let found = search.search(cells, words, candidates, positions);
        let read = found.ok_or(NoChain::NoRoom).and_then(|end| Self::read_chain(cells, words, search, end, chain));
        search.finish();
        read
    }

    /// Writes down the chain that a search has found.
    fn read_chain<C: Cells>(
        cells: &C,
        words: &[AtomicU64],
        search: &BreadthFirst,
        end: Place,
        chain: &mut Chain,
    ) -> Result<(), NoChain> {
        let mut place = end;
        chain.moves.clear();
        while let Some(before) = search.before(place) {
            // What was read here first may have changed since: then the step need not lead there any more.
            let item = Fingerprint::from_slot(cells.get(words, before.cell, before.slot)).ok_or(NoChain::Broken)?;
            let item_cells = cells.candidates_from(before.cell, item);
            if !item_cells.as_slice()[1..].contains(&place.cell) {
                return Err(NoChain::Broken);
            }
            let lines = lines_of(cells, &item_cells);
            chain.moves.push(Move { item, from: (before.cell, before.slot), to: (place.cell, place.slot), lines });
            place = before;
        }
        chain.home = (place.cell, place.slot);
        Ok(())
    }

    /// Moves along a chain and stores the new item at its start, if the chain is still as it was found. The guard holds
    /// the lines of all items that move, and of the new one.
    fn follow<C: Cells>(&self, guard: &Guard<'_>, cells: &C, chain: &Chain, fingerprint: Fingerprint) -> bool {
        let mut words = self.locked();
        let holds = |(cell, slot): (Cell, u32), value: u32| cells.get(&words, cell, slot) == value;
        let free = chain.moves.first().map_or(chain.home, |step| step.to);
        if !holds(free, 0) || !chain.moves.iter().all(|step| holds(step.from, step.item.get())) {
            return false;
        }
        for step in &chain.moves {
            // First there, then announced; the next write takes it away from where it was.
            cells.set(&mut words, step.to.0, step.to.1, step.item.get());
            guard.announce_move(step.lines);
        }
        cells.set(&mut words, chain.home.0, chain.home.1, fingerprint.get());
        guard.count_insert();
        true
    }
}
