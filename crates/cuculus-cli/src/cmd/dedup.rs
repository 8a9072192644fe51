//! `cuculus dedup`: each key the first time it is seen.

use super::check::print;
use crate::cli::{LayoutArg, SeedArg, builder};
use crate::exit::{Exit, Failure, Outcome};
use crate::input::{Hasher, InputArgs, Keys};
use crate::output::{Output, count};
use crate::recent::Recent;
use crate::secret::KeyFile;
use crate::sizes::{self, Span};
use cuculus::{BuildError, Builder, CuckooFilter, HashKind};
use std::time::Instant;

/// The share of new lines that may be dropped when nothing is said.
const DEFAULT_RATE: f64 = 1e-6;

/// What is reckoned with when nothing is said; more than that is only a little slower.
const DEFAULT_ITEMS: u64 = 1 << 21;

/// Print each key the first time it is seen
///
/// Works on endless input and in the order of the input; each line is printed at once. Memory is about 3 to 6 bytes a
/// different line, whatever the length of the lines.
///
/// AT RATE P A SHARE P OF NEW LINES IS DROPPED: a line that was never seen looks seen with probability of at most P, and is
/// then not printed. Lines that were seen are never printed again. With the default, one new line in a million is
/// dropped; where none may be, use sort -u.
///
/// WITH --window KEYS ARE FORGOTTEN: a line is printed unless its key came within the last N lines, or the last so much time.
/// Each time that it comes counts, so a key that keeps coming is printed once. Memory stays the same however long it
/// runs: about 4 bytes a key of the window.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus dedup access.log.gz > once.log
  tail -f access.log | cuculus dedup --fpr 1e-4
  tail -f access.log | cuculus dedup --window 10m    each line once in ten minutes
  cuculus dedup --window 1M access.log               each line once in any million lines
  cuculus dedup --field 3 orders.csv                 the first record of each customer")]
pub(crate) struct Args {
    /// The highest share of new lines that is dropped: 0.001, 0.1%, 1e-3 [default: 1e-6]
    #[arg(long, value_name = "P", value_parser = sizes::rate, allow_negative_numbers = true)]
    fpr: Option<f64>,

    /// How many different keys are expected, 0 to 281474976710656 (also 1e6, 10M); more are fine [default: 2097152]
    ///
    /// With --window of a time: how many different keys come in that time, at least 1; more than that, and the share of one
    /// step, are an error. Not with --window N, which says it.
    #[arg(long, value_name = "N", value_parser = sizes::items, allow_negative_numbers = true)]
    items: Option<u64>,

    /// Forget keys that did not come again: in the last N lines (1 to 281474976710656, also 1e6, 10M), or for so long
    /// (500ms, 30s, 10m, 2h, 7d; m is minutes)
    ///
    /// Time is that of the clock when a line is read. A key is remembered for the window at least, and for one step
    /// (see --steps) more at most.
    #[arg(long, value_name = "N|TIME", value_parser = sizes::span, allow_negative_numbers = true)]
    window: Option<Span>,

    /// How many steps the window moves on in, 1 to 60 and at most its lines [default: 12]
    #[arg(long, value_name = "G", requires = "window", value_parser = steps, allow_negative_numbers = true)]
    steps: Option<u32>,

    /// With --field: print the key alone, not its whole record
    #[arg(long, requires = "field")]
    only_key: bool,

    #[command(flatten)]
    seed: SeedArg,

    #[command(flatten)]
    key_file: KeyFile,

    #[command(flatten)]
    input: InputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    let hash = args.seed.hash(args.key_file.read()?);
    let (items, rate) = (args.items.unwrap_or(DEFAULT_ITEMS), args.fpr.unwrap_or(DEFAULT_RATE));
    if let Some(span) = args.window {
        if args.items.is_some() && matches!(span, Span::Keys(_)) {
            return Err(Failure::Usage("--items goes with --window of a time: --window N says how many".to_owned()));
        }
        let start = Instant::now();
        let mut recent = Recent::new(span, args.steps, items, rate, hash, || start.elapsed())?;
        return dedup(args, hash, |hashes, new| recent.insert(hashes, new));
    }
    // The fastest to fill, and at such rates hardly larger.
    let mut seen = Seen::new(builder(hash, Some(LayoutArg::Packed)), items, rate)?;
    dedup(args, hash, |hashes, new| seen.insert(hashes, new))
}

/// Prints the records whose positions `insert` adds; those that it added before it failed, too.
fn dedup(
    args: &Args,
    hash: HashKind,
    mut insert: impl FnMut(&[u64], &mut Vec<usize>) -> Result<(), Failure>,
) -> Outcome {
    let mut keys = Keys::open(&args.input, Hasher::new(hash)?, true)?;
    let mut out = Output::new();
    let key_null = args.only_key.then_some(args.input.null);
    let mut new = Vec::new();
    while let Some(block) = keys.next(|| out.flush())? {
        for (chunk, hashes) in block.hashes().chunks(Seen::AHEAD).enumerate() {
            new.clear();
            let outcome = insert(hashes, &mut new);
            for &position in &new {
                print(&mut out, &block, chunk * Seen::AHEAD + position, key_null)?;
            }
            if outcome.is_err() {
                out.flush()?;
            }
            outcome?;
        }
        keys.recycle(block);
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn steps(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=60).contains(number));
    number.ok_or_else(|| "allowed is a whole number from 1 to 60".to_owned())
}

/// A set of hashes without end: filters of doubling size, of which only the last one grows fuller. Their rates are shares
/// of the whole rate that sum up to it: 6/pi^2 times 1, 1/4, 1/9, ...
///
/// Keeping the hashes and rebuilding one filter at double size took two to four times this memory (8 bytes a hash).
struct Seen {
    builder: Builder,
    rate: f64,
    items: u64,
    levels: Vec<CuckooFilter>,
    /// Items at which the last level is left for the next.
    limit: u64,
    /// Working memory: hashes not found so far, and their positions.
    hashes: Vec<u64>,
    positions: Vec<usize>,
}

impl Seen {
    /// Hashes taken at once: their lines in the last level stay in the first cache until they are stored.
    const AHEAD: usize = 128;

    /// A level is left when it is so full: filling it up to the end costs much time for little memory.
    const FULL: f64 = 0.93;

    fn new(builder: Builder, items: u64, rate: f64) -> Result<Self, Failure> {
        let (levels, hashes, positions) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = Seen { builder, rate, items, levels, limit: 0, hashes, positions };
        seen.add_level()?;
        Ok(seen)
    }

    fn add_level(&mut self) -> Result<(), Failure> {
        let number = self.levels.len() + 1;
        let share = 0.607 / (number * number) as f64;
        let items = self.items.max(1024).saturating_mul(1 << (number - 1).min(48)).min(1 << 48);
        let level = self.builder.clone().items(items).false_positive_rate(self.rate * share).build();
        let level = level.map_err(|error| self.too_much(error))?;
        self.limit = (level.capacity() as f64 * Self::FULL) as u64;
        self.levels.push(level);
        Ok(())
    }

    /// Levels have shares of the rate and doubled sizes: an error says it in the numbers that were given.
    fn too_much(&self, error: BuildError) -> Failure {
        if !matches!(error, BuildError::NoGeometry { .. }) {
            return error.into();
        }
        let rate = format!("{:?}", self.rate);
        Failure::Usage(match self.levels.iter().map(CuckooFilter::len).sum::<u64>() {
            0 => format!(
                "--fpr {rate}: no filter reaches so low a rate; dedup shares it out, and allowed is about 2e-9 or more"
            ),
            seen => format!("--fpr {rate} cannot be kept beyond {} different keys: give larger --items", count(seen)),
        })
    }

    /// Stores hashes; adds the positions of those that are new to `new`. The outcome is that of one after the other,
    /// wherever the borders of the calls are.
    fn insert(&mut self, hashes: &[u64], new: &mut Vec<usize>) -> Result<(), Failure> {
        self.hashes.clear();
        self.hashes.extend_from_slice(hashes);
        self.positions.clear();
        self.positions.extend(0..hashes.len());
        for level in &self.levels {
            let mut left = 0;
            for (index, found) in level.contains_many_hash(&self.hashes).into_iter().enumerate() {
                self.hashes[left] = self.hashes[index];
                self.positions[left] = self.positions[index];
                left += usize::from(!found);
            }
            self.hashes.truncate(left);
            self.positions.truncate(left);
        }
        // What is stored from here on may look like some of the hashes after it: levels that change are asked again.
        let first_changed = self.levels.len() - 1;
        for index in 0..self.hashes.len() {
            if self.store(self.hashes[index], first_changed)? {
                new.push(self.positions[index]);
            }
        }
        Ok(())
    }

    /// Stores a hash unless a level from `first` on has it; says whether it is new.
    #[inline]
    fn store(&mut self, hash: u64, first: usize) -> Result<bool, Failure> {
        let mut last = self.levels.len() - 1;
        if self.levels[first..last].iter().any(|level| level.contains_hash(hash)) {
            return Ok(false);
        }
        if self.levels[last].len() >= self.limit {
            if self.levels[last].contains_hash(hash) {
                return Ok(false);
            }
            self.add_level()?;
            last += 1;
        }
        if let Ok(stored) = self.levels[last].insert_unique_hash(hash) {
            return Ok(stored);
        }
        // By bad luck there was no room: there is in a new level.
        self.add_level()?;
        Ok(self.levels[last + 1].insert_unique_hash(hash).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every hash is new once and then never again, over many levels and inside one call; false positives stay under
    /// the rate.
    #[test]
    fn doubling_levels() {
        let mut seen = Seen::new(CuckooFilter::builder(), 0, 0.01).unwrap();
        let hash =
            |i: u64| (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let all: Vec<u64> = (0..200_000).map(hash).collect();
        let mut news = 0;
        for chunk in all.chunks(Seen::AHEAD / 2) {
            let twice: Vec<u64> = chunk.iter().chain(chunk).copied().collect();
            let mut new = Vec::new();
            seen.insert(&twice, &mut new).unwrap();
            assert!(new.iter().all(|&position| position < chunk.len()), "the second half is known");
            news += new.len();
        }
        assert!(seen.levels.len() > 5);
        assert!((198_000..=200_000).contains(&news), "{news}");
        // The borders of the calls change nothing.
        for size in [1, 7, 100_000] {
            let mut other = Seen::new(CuckooFilter::builder(), 0, 0.01).unwrap();
            let mut new = Vec::new();
            all.chunks(size).for_each(|chunk| other.insert(chunk, &mut new).unwrap());
            assert!(other.levels == seen.levels && new.len() == news, "{size}");
        }
        for chunk in all.chunks(Seen::AHEAD) {
            let mut new = Vec::new();
            seen.insert(chunk, &mut new).unwrap();
            assert!(new.is_empty());
        }
    }
}
