//! Breadth-first search for the shortest chain of moves. Nothing moves before the chain is known.

use super::NoRoom;
use super::visited::Visited;
use crate::bits::{Bytes, BytesMut};
use crate::fingerprint::Fingerprint;
use crate::table::{Candidates, Cell, Cells};
use alloc::vec::Vec;

/// A queued cell, and the slot whose item would move into it.
#[derive(Clone, Copy)]
struct Node {
    cell: Cell,
    parent: u32,
    slot: u32,
}

/// A slot on the chain of moves that a search has found.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    node: usize,
    pub(crate) cell: Cell,
    pub(crate) slot: u32,
}

/// Marks the nodes that are candidates of the new item itself.
const ROOT: u32 = u32::MAX;

/// Queue entries whose memory is kept from one search to the next.
const KEPT: usize = 1024;

/// How many queued cells are being fetched while earlier ones are looked at.
const AHEAD: usize = 16;

/// The search with its reusable memory, which is no part of a filter's state.
#[derive(Default)]
pub(crate) struct BreadthFirst {
    queue: Vec<Node>,
    visited: Visited,
}

impl BreadthFirst {
    /// Stores `fingerprint`, whose candidate cells are all full; returns the moves it took. Looks at up to `budget` cells.
    ///
    /// Cells are looked at in the order in which they were queued, each for a free slot, then each for where its
    /// items could go: so the chain found is the first of the shortest ones, whatever `AHEAD` is.
    pub(crate) fn insert<C: Cells, B: BytesMut + ?Sized>(
        &mut self,
        cells: &C,
        bytes: &mut B,
        candidates: &Candidates,
        fingerprint: Fingerprint,
        budget: u32,
    ) -> Result<u32, NoRoom> {
        let found = self.search(cells, bytes, candidates, budget).ok_or(NoRoom);
        let moves = found.map(|end| self.move_chain(cells, bytes, end, fingerprint));
        self.finish();
        moves
    }

    /// Gives back what a long search took.
    pub(crate) fn finish(&mut self) {
        self.queue.clear();
        self.queue.shrink_to(KEPT);
        self.visited.shrink();
    }

    /// Moves the items of a chain, the last one into its free slot, stores `fingerprint` at the head and counts the moves.
    fn move_chain<C: Cells, B: BytesMut + ?Sized>(
        &self,
        cells: &C,
        bytes: &mut B,
        mut to: Place,
        fingerprint: Fingerprint,
    ) -> u32 {
        let mut moves = 0;
        while let Some(from) = self.before(to) {
            let moving = cells.get(bytes, from.cell, from.slot);
            cells.set(bytes, to.cell, to.slot, moving);
            to = from;
            moves += 1;
        }
        cells.set(bytes, to.cell, to.slot, fingerprint.get());
        moves
    }

    /// The place whose item is to move to the given one; `None` for the place where the new item goes.
    pub(crate) fn before(&self, place: Place) -> Option<Place> {
        let Node { parent, slot, .. } = self.queue[place.node];
        (parent != ROOT).then(|| Place { node: parent as usize, cell: self.queue[parent as usize].cell, slot })
    }

    /// The end of the chain: the first free slot that is found. Changes nothing but the queue.
    pub(crate) fn search<C: Cells, B: Bytes + ?Sized>(
        &mut self,
        cells: &C,
        bytes: &B,
        candidates: &Candidates,
        budget: u32,
    ) -> Option<Place> {
        let most = u64::from(budget).min(cells.cells()) as usize;
        self.visited.start();
        for &cell in candidates.as_slice() {
            if self.visited.insert(cell) {
                self.queue.push(Node { cell, parent: ROOT, slot: 0 });
            }
        }
        // The candidates are known to be full; they count as looked at.
        let mut looked_at = self.queue.len();
        let mut expanded = 0;
        loop {
            while self.queue.len() < looked_at + AHEAD && expanded < looked_at && self.queue.len() < most {
                self.expand(cells, bytes, expanded, most);
                expanded += 1;
            }
            let node = self.queue.get(looked_at)?;
            if let Some(slot) = cells.free_slot(bytes, node.cell) {
                return Some(Place { node: looked_at, cell: node.cell, slot });
            }
            looked_at += 1;
        }
    }

    /// Queues the cells to which the items of a queued cell could move.
    #[inline]
    fn expand<C: Cells, B: Bytes + ?Sized>(&mut self, cells: &C, bytes: &B, parent: usize, most: usize) {
        let cell = self.queue[parent].cell;
        for slot in 0..cells.slots_per_cell() {
            // A full cell has no empty slot; in a damaged table one may have appeared, and then leads nowhere.
            let Some(item) = Fingerprint::from_slot(cells.get(bytes, cell, slot)) else { continue };
            for &other in &cells.candidates_from(cell, item).as_slice()[1..] {
                if self.queue.len() < most && self.visited.insert(other) {
                    cells.prefetch_cell(bytes, other);
                    self.queue.push(Node { cell: other, parent: parent as u32, slot });
                }
            }
        }
    }
}
