//! The table of a window: compact lines with stamps, whose classes are all of even size or not.
#![forbid(unsafe_code)]

use crate::geometry::Geometry;
use crate::table::{Ages, Cell, Compact, has_odd_class};

/// The two forms of the one layout.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lines {
    Even(Compact<false, Ages>),
    Odd(Compact<true, Ages>),
}

/// Runs `$body` with `$cells` bound to the table inside [`Lines`].
macro_rules! with_lines {
    ($lines:expr, $cells:ident => $body:expr) => {
        match $lines {
            $crate::window::lines::Lines::Even($cells) => $body,
            $crate::window::lines::Lines::Odd($cells) => $body,
        }
    };
}
pub(crate) use with_lines;

impl Lines {
    /// The table of a geometry of fingerprints, with stamps below them.
    pub(crate) fn new(fingerprints: &Geometry, stamp_bits: u32) -> Self {
        let ages = Ages::new(stamp_bits);
        match has_odd_class(fingerprints) {
            true => Lines::Odd(Compact::with_stamps(fingerprints, ages)),
            false => Lines::Even(Compact::with_stamps(fingerprints, ages)),
        }
    }

    /// Whether an item with this fingerprint can have this cell as the lowest of its candidates.
    pub(crate) fn is_lowest(&self, cell: Cell, fingerprint: u32) -> bool {
        with_lines!(self, cells => cells.is_lowest(cell, fingerprint))
    }

    pub(crate) fn set_alive(&mut self, alive: u64) {
        with_lines!(self, cells => cells.set_alive(alive));
    }
}
