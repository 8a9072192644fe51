//! A filter that many threads read and change at once.
//!
//! ```text
//!  primitives  atomics and locks, of the machine or of the model checker    words   the table as shared words
//!  stripes     writers' locks, move counters, counts                        filter  lookups, counts, snapshots
//!  insert      placing an item, or moving others first                      many    many keys in one call
//! ```
//! **Why a lookup never misses an item that is there.** Writers hold the locks of all lines in which the item that they
//! insert, move or remove may lie. A slot loses its fingerprint, by a move or a removal, in this order: the copy is in its
//! new slot (if it moves), the item's move counter is one higher, the slot is overwritten. A lookup reads the counter, the
//! slots, and after a miss the counter again; if it has changed, it starts anew. Suppose it missed an item that was there
//! all the time, and both times read `v`. The first read of `v` makes everything visible that was written before the counter
//! became `v`. Take the last move or removal that is counted in `v`, and a copy that survived it: the copy was in its slot by
//! then, since whoever put it there held one of the locks that this mover held too. So the lookup's read of that slot
//! gave the copy, or bits that someone wrote there later to take it out; but those are seen only together with the count
//! before them, `v + 1` or more, which the second read would have given. Torn reads change nothing in this: either word of a
//! slot across a border shows the copy's bits, or bits written after `v + 1`. (Inserts need not count: they take nothing
//! away. A removal must: a second copy may have come to the one place and the first may leave the other.)

mod filter;
mod insert;
mod many;
mod primitives;
mod stripes;
mod words;

pub use filter::{ShareError, SyncFilter};
