//! A compressed table, checked in the memory of a window: each stretch of it as the small table that it also is. A stream
//! can claim a thousand times its own size, so this comes before any room for the table.
#![forbid(unsafe_code)]

use super::error::FormatError;
use super::header::Header;
use super::zlib;
use crate::fingerprint::Fingerprint;
use crate::geometry::{Geometry, Layout};
use crate::stash::Stash;
use crate::table::{Cell, Cells, Compact, Table, with_table};
use alloc::vec;
use alloc::vec::Vec;

/// Buckets checked at a time: a multiple of 512, so that they end with a line.
const STRETCH: u64 = 1024;

/// All that [`validate`](crate::CuckooFilter::validate) says of the unpacked filter, in the same words.
pub(super) fn check(stream: &[u8], header: &Header, stash: &Stash) -> Result<(), FormatError> {
    let mut check = Check::new(header, stash);
    zlib::look_through(stream, header.geometry.table_bytes(), |bytes| {
        check.take(bytes).map_err(FormatError::Contents)
    })?;
    match check.occupied == check.most {
        true => Ok(()),
        false => Err(FormatError::Contents(MISCOUNTED)),
    }
}

const MISCOUNTED: &str = "the number of occupied slots is not the number of items";

struct Check {
    geometry: Geometry,
    /// The whole table: where its items may lie.
    table: Table,
    /// Slots that hold a stashed item, ascending, those still to come last.
    stashed: Vec<(Cell, Fingerprint)>,
    /// The stretch, and behind it what a table of its size has of padding.
    bytes: Vec<u8>,
    filled: usize,
    /// Buckets before the stretch.
    first: u64,
    occupied: u64,
    most: u64,
}

impl Check {
    fn new(header: &Header, stash: &Stash) -> Self {
        let geometry = header.geometry;
        let table = Table::new(&geometry);
        let slots_of = |(cell, fingerprint, _)| {
            let candidates = with_table!(&table, cells => cells.candidates_from(cell, fingerprint));
            let cells = candidates.as_slice().to_vec();
            cells.into_iter().map(move |cell| (cell, fingerprint))
        };
        let mut stashed: Vec<_> = stash.iter().flat_map(slots_of).collect();
        stashed.sort_unstable_by(|a, b| b.cmp(a));
        let mut check = Check {
            geometry,
            table,
            stashed,
            bytes: Vec::new(),
            filled: 0,
            first: 0,
            occupied: 0,
            most: header.len.saturating_sub(stash.items()),
        };
        check.bytes = vec![0; check.stretch().table_bytes() as usize];
        check
    }

    /// The shape of the stretch.
    fn stretch(&self) -> Geometry {
        Geometry { buckets: (self.geometry.buckets - self.first).min(STRETCH), ..self.geometry }
    }

    /// How many bytes the stretch has: the last one takes the padding too.
    fn wanted(&self) -> usize {
        let stretch = self.stretch();
        match self.first + stretch.buckets == self.geometry.buckets {
            true => stretch.table_bytes() as usize,
            false => (stretch.buckets * u64::from(stretch.bucket_bits()) / 8) as usize,
        }
    }

    fn take(&mut self, mut bytes: &[u8]) -> Result<(), &'static str> {
        while !bytes.is_empty() {
            let wanted = self.wanted();
            let (now, rest) = bytes.split_at(bytes.len().min(wanted - self.filled));
            self.bytes[self.filled..self.filled + now.len()].copy_from_slice(now);
            self.filled += now.len();
            bytes = rest;
            if self.filled == wanted {
                self.finish()?;
            }
        }
        Ok(())
    }

    /// The stretch is complete.
    fn finish(&mut self) -> Result<(), &'static str> {
        let stretch = self.stretch();
        let bytes = &self.bytes[..stretch.table_bytes() as usize];
        // A compact line's own places follow from the size of the whole table, so those are left to `table`.
        let small = match stretch.layout {
            Layout::Compact => Table::Compact(Compact::new(&stretch)),
            _ => Table::new(&stretch),
        };
        if bytes.iter().any(|&byte| byte != 0) {
            self.occupied += with_table!(&small, cells => cells.validate(bytes))?;
        }
        if self.occupied > self.most {
            return Err(MISCOUNTED);
        }
        let (before, here) =
            with_table!(&small, cells => (self.first * cells.cells() / stretch.buckets, cells.cells()));
        let slot = |cell: Cell| with_table!(&small, cells => cells.get(bytes, cell - before, 0));
        if let Table::CompactOdd(cells) = &self.table {
            for cell in before..before + here {
                let Some(fingerprint) = Fingerprint::from_slot(slot(cell)) else { continue };
                if cells.candidates_from(cell, fingerprint).as_slice()[1] == cell {
                    return Err("a fingerprint lies in the slot that it leaves out");
                }
            }
        }
        while let Some(&(cell, fingerprint)) = self.stashed.last().filter(|(cell, _)| *cell < before + here) {
            if slot(cell) != fingerprint.get() {
                return Err("a stashed item has room in the table");
            }
            self.stashed.pop();
        }
        self.first += stretch.buckets;
        self.filled = 0;
        Ok(())
    }
}
