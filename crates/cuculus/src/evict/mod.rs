//! Making room: finding the moves that let one more item in.
//!
//! Either search leaves the table as it was when it finds no room.

mod breadth_first;
mod random_walk;
#[cfg(test)]
mod tests;
mod visited;

pub(crate) use breadth_first::BreadthFirst;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub(crate) use breadth_first::Place;
pub(crate) use random_walk::random_walk;

/// No chain of moves within the budget ends in a free slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoRoom;
