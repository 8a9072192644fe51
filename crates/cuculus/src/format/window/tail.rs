//! What follows a window's table: when each stamp was given, and the stash.
#![forbid(unsafe_code)]

use super::header::Header;
use crate::format::FormatError;
use crate::table::Cell;
use crate::window::{Clock, Epoch, Stash, WindowFilter};
use alloc::vec;
use alloc::vec::Vec;

/// The step of a stamp.
pub(super) const STAMP_BYTES: usize = 8;

/// Cell (8), fingerprint (4), stamp (4).
pub(super) const ENTRY_BYTES: usize = 16;

pub(super) fn encode(filter: &WindowFilter) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.clock.epochs.iter().for_each(|epoch| bytes.extend_from_slice(&epoch.step.to_le_bytes()));
    for (cell, fingerprint, stamp) in filter.stash.iter() {
        bytes.extend_from_slice(&cell.to_le_bytes());
        bytes.extend_from_slice(&fingerprint.to_le_bytes());
        bytes.extend_from_slice(&stamp.to_le_bytes());
    }
    bytes
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The clock, whose items are not counted yet, and the stash. `bytes` are as many as the header says.
pub(super) fn decode(header: &Header, bytes: &[u8]) -> Result<(Clock, Stash), FormatError> {
    let (stamps, stash) = bytes.split_at(header.cut.stamps() as usize * STAMP_BYTES);
    let mut epochs = vec![Epoch::default(); header.cut.stamps() as usize];
    for (epoch, step) in epochs.iter_mut().zip(stamps.chunks_exact(STAMP_BYTES)) {
        epoch.step = word(step);
    }
    check_steps(header, &epochs)?;
    let clock = Clock::from_parts(header.cut, header.now, header.opened, epochs);
    let stash = decode_stash(header, &clock, stash)?;
    Ok((clock, stash))
}

/// Steps ascend in the order in which their stamps were opened, none is later than now, and stamps never opened have none.
fn check_steps(header: &Header, epochs: &[Epoch]) -> Result<(), FormatError> {
    let clock = Clock::new(header.cut);
    let opened = header.opened.saturating_sub(header.cut.stamps())..header.opened;
    let mut later = (header.now / header.cut.ticks).checked_add(1);
    for number in opened.rev() {
        let step = epochs[clock.stamp_of(number) as usize].step;
        if later.is_some_and(|later| step >= later) {
            return Err(FormatError::Contents("the steps of the stamps are not in order"));
        }
        later = Some(step);
    }
    match epochs.iter().skip(header.opened.min(header.cut.stamps()) as usize).all(|epoch| epoch.step == 0) {
        true => Ok(()),
        false => Err(FormatError::Contents("a stamp that was never given has a step")),
    }
}

fn decode_stash(header: &Header, clock: &Clock, bytes: &[u8]) -> Result<Stash, FormatError> {
    let lines = header.lines();
    let (mut stash, mut last) = (Stash::default(), None);
    for entry in bytes.chunks_exact(ENTRY_BYTES) {
        let (cell, fingerprint, stamp): (Cell, u32, u64) =
            (word(&entry[..8]), word(&entry[8..12]) as u32, word(&entry[12..]));
        if stamp >= header.cut.stamps() || clock.alive() >> stamp & 1 == 0 {
            return Err(FormatError::Contents("a stash entry that is not in the window"));
        }
        if !lines.is_lowest(cell, fingerprint) {
            return Err(FormatError::Contents("a stash entry that no item of this filter has"));
        }
        if last.is_some_and(|last| last >= (cell, fingerprint)) {
            return Err(FormatError::Contents("stash entries that are not in order"));
        }
        last = Some((cell, fingerprint));
        stash.restore(cell, fingerprint, stamp as u32);
    }
    Ok(stash)
}
