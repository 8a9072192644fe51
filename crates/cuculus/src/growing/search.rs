//! Search for a chain of moves that makes room: a few steps within each line, which cost no cache line, then across to the
//! other side, breadth first. Nothing moves before the chain is known.

use super::seen::Seen;
use super::shape::Item;
use super::side::RANKS;
use super::table::{Cell, Cells, Table};
use alloc::vec::Vec;

/// A cell that was found occupied, and the one whose entry would move into it.
#[derive(Clone, Copy)]
struct Node {
    cell: Cell,
    /// What its slot holds.
    held: u64,
    parent: u32,
    /// The other slot of its entry in the line.
    partner: u8,
}

/// Two slots of a line that is being fetched, and the cell whose entry would move into one of them.
#[derive(Clone, Copy)]
struct Arrival {
    side: usize,
    line: u64,
    slots: [u64; 2],
    parent: u32,
}

/// Marks the cells of the new item itself.
const ROOT: u32 = u32::MAX;

/// The most cells that are looked at. Nearly all searches end within a few dozen.
const BUDGET: usize = 2_000;

/// Steps within a line: with 1 searches fetch a quarter more lines, with 4 they look at a tenth more slots.
const STEPS: u8 = 2;

/// Lines that are fetched at a time, when those so far have no room.
const ACROSS: usize = 4;

/// The search with its reusable memory, which is no part of a filter's state.
#[derive(Default)]
pub(crate) struct Search {
    nodes: Vec<Node>,
    seen: Seen,
    /// The lines of this round.
    arrivals: Vec<Arrival>,
    /// Lines of the other side to which entries of nodes could move, by their rank, and how many of them were fetched.
    across: [(Vec<Arrival>, usize); RANKS],
    /// Nodes whose lines are among these.
    crossed: usize,
}

impl Search {
    /// Puts an item whose cells are all occupied; false, and nothing has changed, if no chain of moves is found.
    pub(crate) fn insert(&mut self, table: &mut Table, item: &Item, cells: &Cells) -> bool {
        let Some((mut free, mut parent)) = self.find(table, item, cells) else { return false };
        while parent != ROOT {
            let node = self.nodes[parent as usize];
            table.move_entry(node.cell, free);
            (free, parent) = (node.cell, node.parent);
        }
        table.put(free, &item.entry(free.side()));
        true
    }

    /// The first cell that is found free, and the node whose entry can move into it.
    fn find(&mut self, table: &Table, item: &Item, cells: &Cells) -> Option<(Cell, u32)> {
        self.nodes.clear();
        self.seen.start();
        self.arrivals.clear();
        self.across.iter_mut().for_each(|(lines, fetched)| {
            lines.clear();
            *fetched = 0;
        });
        self.crossed = 0;
        for cells in cells.as_slice().chunks(2) {
            let (side, line) = (cells[0].side(), cells[0].line());
            self.arrivals.push(Arrival { side, line, slots: item.slots, parent: ROOT });
        }
        loop {
            for number in 0..self.arrivals.len() {
                let found = self.look_in(table, self.arrivals[number]);
                if found.is_some() {
                    return found;
                }
            }
            self.arrivals.clear();
            if self.nodes.len() >= BUDGET || !self.cross(table) {
                return None;
            }
        }
    }

    /// Looks for a free slot in a line, a few steps from slot to slot.
    #[inline(always)]
    fn look_in(&mut self, table: &Table, arrival: Arrival) -> Option<(Cell, u32)> {
        let Arrival { side, line, slots, parent } = arrival;
        let bytes = table.line(side, line);
        let seen = self.seen.slots(line << 1 | side as u64);
        for mut slot in slots {
            let mut parent = parent;
            for _ in 0..=STEPS {
                if *seen >> slot & 1 != 0 {
                    break;
                }
                *seen |= 1 << slot;
                let cell = Cell::new(side, line, slot);
                let held = table.held(bytes, slot);
                if held == 0 && table.is_free(cell) {
                    return Some((cell, parent));
                }
                let partner = table.partner(slot, held);
                let number = self.nodes.len() as u32;
                self.nodes.push(Node { cell, held, parent, partner: partner as u8 });
                (slot, parent) = (partner, number);
            }
        }
        None
    }

    /// Fetches lines of the other side to which entries could move, of the best rank that there is.
    fn cross(&mut self, table: &Table) -> bool {
        while self.crossed < self.nodes.len() && self.across[0].0.len() < self.across[0].1 + ACROSS {
            let Node { cell, held, partner, .. } = self.nodes[self.crossed];
            if let Some(line) = table.line_across(cell, held) {
                let (side, slots) = (1 - cell.side(), [cell.slot(), partner.into()]);
                let arrival = Arrival { side, line, slots, parent: self.crossed as u32 };
                self.across[table.sides[side].rank(line)].0.push(arrival);
            }
            self.crossed += 1;
        }
        for (lines, fetched) in &mut self.across {
            let some = &lines[*fetched..lines.len().min(*fetched + ACROSS)];
            if !some.is_empty() {
                some.iter().for_each(|arrival| table.prefetch(arrival.side, arrival.line));
                self.arrivals.extend_from_slice(some);
                *fetched += some.len();
                return true;
            }
        }
        false
    }
}
