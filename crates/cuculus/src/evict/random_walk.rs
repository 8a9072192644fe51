//! The paper's search (section 3.1): kick a random victim to its other bucket, up to `max_kicks` times.

use super::NoRoom;
use crate::fingerprint::Fingerprint;
use crate::rng::Rng;
use crate::table::{Candidates, Cell, Cells};
use alloc::vec::Vec;

/// Stores `fingerprint`, whose candidate cells are all full; returns the kicks it took. A walk that fails is undone,
/// table and generator.
pub(crate) fn random_walk<C: Cells>(
    cells: &C,
    bytes: &mut [u8],
    candidates: &Candidates,
    fingerprint: Fingerprint,
    max_kicks: u32,
    rng: &mut Rng,
) -> Result<u32, NoRoom> {
    let rng_before = *rng;
    let mut undo: Vec<(Cell, u32, u32)> = Vec::new();
    let candidates = candidates.as_slice();
    let mut cell = candidates[rng.below(candidates.len() as u32) as usize];
    let mut homeless = fingerprint;
    for kick in 1..=max_kicks {
        let slot = rng.below(cells.slots_per_cell());
        let victim = cells.get(bytes, cell, slot);
        let slot = cells.set(bytes, cell, slot, homeless.get());
        undo.push((cell, slot, victim));
        homeless = Fingerprint::from_slot(victim).expect("only full cells are walked through");
        let others = cells.candidates_from(cell, homeless);
        let others = &others.as_slice()[1..];
        cell = others[rng.below(others.len() as u32) as usize];
        if let Some(slot) = cells.free_slot(bytes, cell) {
            cells.set(bytes, cell, slot, homeless.get());
            return Ok(kick);
        }
    }
    for (cell, slot, victim) in undo.into_iter().rev() {
        cells.set(bytes, cell, slot, victim);
    }
    *rng = rng_before;
    Err(NoRoom)
}
