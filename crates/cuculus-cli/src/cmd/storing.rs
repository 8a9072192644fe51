//! What `build` and `add` share: storing blocks of keys, once each or copy by copy.

use crate::exit::{Failure, Refusal};
use crate::filter::{Filter, with_filter};
use crate::input::{Block, Keys};
use crate::output::{Output, bits, counted, key_text, rate, size};
use cuculus::{InsertError, InsertManyError};
use serde::Serialize;
use std::path::Path;

/// What became of the keys so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Keys stored now.
    pub(crate) stored: u64,
    /// Keys that were stored already (or looked so) and were left out.
    pub(crate) repeats: u64,
}

/// A key that did not go in.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) reason: InsertError,
    pub(crate) key: String,
    pub(crate) place: String,
}

impl Stop {
    /// As an error about a file.
    pub(crate) fn refusal(self, file: &Path, tally: Tally, fate: &'static str) -> Failure {
        let Stop { reason, key, place } = self;
        Failure::Refused(Box::new(Refusal {
            file: file.to_owned(),
            reason,
            stored: tally.stored,
            key: Some(key),
            place,
            fate,
        }))
    }
}

/// Stores all keys; the first refused one ends it.
pub(crate) fn store_all(
    filter: &mut Filter,
    mut keys: Keys,
    copies: bool,
    tally: &mut Tally,
) -> Result<Option<Stop>, Failure> {
    while let Some(block) = keys.next(|| Ok(()))? {
        let stored = if copies { store_copies(filter, &block, tally) } else { store_once(filter, &block, tally) };
        if let Err(InsertManyError { inserted, reason }) = stored {
            return Ok(Some(Stop { reason, key: key_text(block.key(inserted)), place: block.place(inserted) }));
        }
        keys.recycle(block);
    }
    Ok(None)
}

fn store_copies(filter: &mut Filter, block: &Block, tally: &mut Tally) -> Result<(), InsertManyError> {
    let result = with_filter!(filter, filter => filter.insert_many_hash(block.hashes()));
    tally.stored += result.map_or_else(|error| error.inserted, |()| block.hashes().len()) as u64;
    result
}

/// As `insert_unique` on each. Keys found in one pass ahead, which fetches all their lines, need no second look; but in a
/// growing filter what is found need not stay so.
fn store_once(filter: &mut Filter, block: &Block, tally: &mut Tally) -> Result<(), InsertManyError> {
    const AHEAD: usize = 256;
    let lasting = matches!(filter, Filter::Fixed(_));
    for (chunk, hashes) in block.hashes().chunks(AHEAD).enumerate() {
        let found = with_filter!(filter, filter => filter.contains_many_hash(hashes));
        for (position, (&hash, found)) in hashes.iter().zip(found).enumerate() {
            let refused = |reason| InsertManyError { inserted: chunk * AHEAD + position, reason };
            let mut store = || with_filter!(filter, filter => filter.insert_unique_hash(hash)).map_err(refused);
            match !(found && lasting) && store()? {
                true => tally.stored += 1,
                false => tally.repeats += 1,
            }
        }
    }
    Ok(())
}

/// The summary of a command that changed or made a filter.
#[derive(Serialize)]
pub(crate) struct Summary<'a> {
    pub(crate) command: &'a str,
    pub(crate) file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stored: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repeats: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_found: Option<u64>,
    /// Whether the file was written.
    pub(crate) saved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<RefusedKey>,
    pub(crate) items: u64,
    /// `null` where there is no end.
    pub(crate) capacity: Option<u64>,
    pub(crate) promised_false_positive_rate: f64,
    pub(crate) expected_false_positive_rate: f64,
    pub(crate) table_bytes: u64,
    /// Absent for an empty filter.
    pub(crate) bits_per_item: Option<f64>,
    pub(crate) layout: &'static str,
}

/// The first key that was refused, in a summary.
#[derive(Serialize)]
pub(crate) struct RefusedKey {
    pub(crate) key: String,
    pub(crate) place: String,
    pub(crate) reason: String,
}

impl<'a> Summary<'a> {
    pub(crate) fn new(command: &'a str, file: &Path, filter: &Filter) -> Self {
        let bits = with_filter!(filter, filter => filter.bits_per_item());
        Summary {
            command,
            file: file.display().to_string(),
            stored: None,
            repeats: None,
            removed: None,
            not_found: None,
            saved: true,
            refused: None,
            items: with_filter!(filter, filter => filter.len()),
            capacity: filter.capacity(),
            promised_false_positive_rate: with_filter!(filter, filter => filter.promised_false_positive_rate()),
            expected_false_positive_rate: with_filter!(filter, filter => filter.false_positive_rate()),
            table_bytes: filter.table_bytes(),
            bits_per_item: Some(bits).filter(|bits| bits.is_finite()),
            layout: filter.layout(),
        }
    }

    /// One line that says what the filter is now.
    pub(crate) fn state(&self) -> String {
        let bits = bits(self.bits_per_item).map_or(String::new(), |bits| format!(", {bits}"));
        format!(
            "{}: {}{}, {}{bits}, false positives at most {}",
            self.file,
            counted(self.items, "key"),
            self.capacity.map_or(String::new(), |most| format!(" of at most {}", crate::output::count(most))),
            size(self.table_bytes),
            rate(self.promised_false_positive_rate),
        )
    }

    /// Prints the summary, as JSON or as `text` and the state.
    pub(crate) fn print(&self, json: bool, text: &str) -> Result<(), Failure> {
        let mut out = Output::new();
        match json {
            true => out.json(self)?,
            false => {
                out.line(text)?;
                out.line(self.state())?;
            }
        }
        out.flush()
    }
}
