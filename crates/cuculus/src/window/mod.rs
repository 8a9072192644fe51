//! A set whose items age: what was seen in the last so many items, or in the last so much time.
//!
//! ```text
//!  slot    fingerprint | stamp            seen again: the stamp is rewritten where it is; moved: it moves along
//!
//!  steps   .. 4 5 6 7 8 9 ..              a window is G steps; the first item of a step opens a stamp of its own
//!  stamps     0 1 2 3 4 5 .. M-1 0 ..     stamps are given in turn; alive are those of this step and the G before it
//!  hand    |-swept->.........|            goes round the table and empties slots of dead stamps
//! ```
//! A slot with a dead stamp answers like an empty one at once and is overwritten like one, so the hand is not what makes items
//! expire: it makes their stamps free to be given again. A stamp dies at the latest when `G + 1` more have been opened, and
//! comes again when `M = G + 1 + spare` have. In the `spare` openings between, the hand goes once round the table: each
//! opening waits until it has gone `lines / spare` since the last one, and every insert moves it a little so that nobody
//! has to wait. Dead slots are never moved, so none of them is carried behind the hand.
//!
//! No item is lost: when it was last seen, a slot of its fingerprint among its candidate slots (or an entry of the stash) got
//! the newest stamp. If that slot was another item's, it now answers for both; it can only get newer stamps and only
//! moves among the same candidate slots, for nothing takes single items out.
//!
//! Files in the order of the imports: `clock` (steps and stamps), `lines` (the table), `stash`, `filter`, `batch`, `plan`,
//! `builder`.

mod batch;
mod builder;
mod clock;
mod filter;
mod lines;
mod plan;
mod stash;
#[cfg(test)]
mod tests;

pub(crate) use clock::{Clock, Epoch, Steps};
pub(crate) use filter::Spec;
pub(crate) use lines::Lines;
pub(crate) use stash::Stash;

pub use builder::WindowBuilder;
pub use clock::Window;
pub use filter::WindowFilter;
