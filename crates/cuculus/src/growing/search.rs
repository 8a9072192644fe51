//! Breadth-first search for the shortest chain of moves that makes room. Nothing moves before the chain is known.

use super::shape::Item;
use super::table::{Cell, Cells, Table};
use crate::evict::Visited;
use alloc::vec::Vec;

/// A queued cell, and the one whose entry would move into it.
#[derive(Clone, Copy)]
struct Node {
    cell: Cell,
    parent: u32,
}

/// Marks the cells of the new item itself.
const ROOT: u32 = u32::MAX;

/// The most cells that are queued. Nearly all searches end within a few dozen.
const BUDGET: usize = 2_000;

/// How many queued cells are being fetched while earlier ones are looked at.
const AHEAD: usize = 8;

/// The search with its reusable memory, which is no part of a filter's state.
#[derive(Default)]
pub(crate) struct Search {
    queue: Vec<Node>,
    visited: Visited,
}

impl Search {
    /// Puts an item whose cells are all occupied; false, and nothing has changed, if no chain of moves is found.
    pub(crate) fn insert(&mut self, table: &mut Table, item: &Item, cells: &Cells) -> bool {
        let Some(free) = self.find(table, cells) else { return false };
        let mut node = self.queue[free];
        while node.parent != ROOT {
            let parent = self.queue[node.parent as usize];
            if let (Some(item), Some(_)) = (table.item_at(parent.cell), table.take(parent.cell)) {
                table.put(node.cell, &item.entry(node.cell.side()));
            }
            node = parent;
        }
        table.put(node.cell, &item.entry(node.cell.side()));
        true
    }

    /// The first queued cell that is free.
    fn find(&mut self, table: &Table, cells: &Cells) -> Option<usize> {
        self.queue.clear();
        self.visited.start();
        for &cell in cells.as_slice() {
            if self.visited.insert(cell.0) {
                self.queue.push(Node { cell, parent: ROOT });
            }
        }
        // The item's own cells are known to be occupied; they count as looked at.
        let mut looked_at = self.queue.len();
        let mut expanded = 0;
        loop {
            while self.queue.len() < looked_at + AHEAD && expanded < looked_at && self.queue.len() < BUDGET {
                self.expand(table, expanded);
                expanded += 1;
            }
            let node = self.queue.get(looked_at)?;
            if table.is_free(node.cell) {
                return Some(looked_at);
            }
            looked_at += 1;
        }
    }

    /// Queues the cells to which the entry in a queued cell could move: in its line, and in the other side's.
    #[inline]
    fn expand(&mut self, table: &Table, parent: usize) {
        let cell = self.queue[parent].cell;
        let Some(item) = table.item_at(cell) else { return };
        let (side, parent) = (cell.side(), parent as u32);
        let mut queue = |cell: Cell| {
            let new = self.visited.insert(cell.0);
            if new {
                self.queue.push(Node { cell, parent });
            }
            new
        };
        queue(Cell::new(side, cell.line(), item.slots[1]));
        let other = 1 - side;
        if let Some((line, _)) = table.sides[other].find(item.rows[other], item.addresses[other], item.known) {
            let [first, second] = item.slots.map(|slot| queue(Cell::new(other, line, slot)));
            if first | second {
                table.prefetch(other, line);
            }
        }
    }
}
