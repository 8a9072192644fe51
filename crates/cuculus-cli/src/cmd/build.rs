//! `cuculus build`: a new filter from keys.

use super::storing::{Summary, Tally, store_all};
use crate::cli::{LayoutArg, SeedArg, builder};
use crate::distinct::Distinct;
use crate::exit::{Exit, Failure, Outcome, Refusal};
use crate::filter::Filter;
use crate::input::{Crew, Hasher, InputArgs, Keys, ThreadsArgs};
use crate::output::counted;
use crate::secret::KeyFile;
use crate::server::{self, ServerArgs};
use crate::sizes;
use crate::target::{self, Target, TargetArgs};
use cuculus::{Builder, GrowingFilter, HashKind, InsertError};
use std::path::{Path, PathBuf};

/// The rate of a filter for which none was asked.
const DEFAULT_RATE: f64 = 0.01;

/// Make a filter file from keys
///
/// Without --items, or --memory with --fpr, the keys are read once and counted exactly, and the filter is made just
/// large enough: it takes no more keys then than it holds, so name --items if keys are to be added later. Counting needs
/// 20 to 40 bytes a different key while it runs; with --items nothing is kept beside the filter.
///
/// A key that comes again is stored once, and the repeats are counted: exactly where the filter sizes itself; with
/// --items a key that only looks stored (a false positive) counts as a repeat too.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus build -o words.cuculus words.txt
  cuculus build -o seen.cuculus --items 10M --fpr 0.1% today.log.gz
  cuculus build -o ids.cuculus --field 2 --delimiter ';' orders.csv
  find . -print0 | cuculus build -o paths.cuculus -0 --memory 64KiB
  cuculus build --server valkey://127.0.0.1:6379/seen --shards 6 --items 10M today.log.gz")]
pub(crate) struct Args {
    /// The filter file to write; "-" is standard output, and then no summary is printed
    #[arg(short, long, value_name = "FILE", required_unless_present = "server", conflicts_with = "server")]
    output: Option<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,

    /// How many different keys have to fit, 0 to 281474976710656 (also 1e6, 10M) [default: counted]
    #[arg(long, value_name = "N", value_parser = sizes::items, allow_negative_numbers = true)]
    items: Option<u64>,

    /// The highest false-positive rate: 0.001, 0.1%, 1e-3 [default: 1%, or what --memory brings]
    #[arg(long, value_name = "P", value_parser = sizes::rate, allow_negative_numbers = true)]
    fpr: Option<f64>,

    /// The most memory for the table: 4096, 64MiB, 1.5GB; with a number of items, the rate gets as low as it allows
    #[arg(long, value_name = "SIZE", value_parser = sizes::bytes, allow_negative_numbers = true)]
    memory: Option<u64>,

    /// How the table is laid out [default: the smallest of packed and compact; with --copies packed]
    #[arg(long, value_name = "L")]
    layout: Option<LayoutArg>,

    /// Grow with the keys: nothing is counted or kept beside the filter, and keys can be added later without end
    ///
    /// Costs about half as much memory again, or a twentieth with --maximum. --items is the size to begin with.
    #[arg(long, conflicts_with_all = ["memory", "layout", "compress"])]
    growing: bool,

    /// With --growing: the most keys that there will ever be
    #[arg(long, value_name = "N", requires = "growing", value_parser = sizes::items, allow_negative_numbers = true)]
    maximum: Option<u64>,

    #[command(flatten)]
    seed: SeedArg,

    #[command(flatten)]
    key_file: KeyFile,

    /// Store every copy of a key that comes again, up to 8: it has to be removed as often
    ///
    /// Copies lie in the same few slots and fill the table worse: name a third more --items than there are keys.
    #[arg(long)]
    copies: bool,

    /// Store the table compressed: smaller files where few of the slots are used, but slower to open
    #[arg(long)]
    compress: bool,

    #[command(flatten)]
    target: TargetArgs,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    threads: ThreadsArgs,

    #[command(flatten)]
    input: InputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(url) = &args.server.server {
        let others = args.memory.is_some() || args.layout.is_some() || args.seed.seed.is_some();
        server::only_keys(args.json || args.copies || args.compress || others, args.key_file.key_file.is_some())?;
        return args.server.build(url, args.items.unwrap_or(0), args.fpr.unwrap_or(DEFAULT_RATE), &args.input);
    }
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let target = match output == Path::new("-") {
        true => None,
        false => Some(Target::new(output, &args.target)?),
    };
    match &target {
        None => target::check_stdout(&args.target)?,
        Some(target) => target.refuse_inputs(&args.input.inputs)?,
    }
    let hash = args.seed.hash(args.key_file.read()?);
    // Copies share their slots, and packed buckets have twice as many for them as compact lines.
    let layout = args.layout.or(args.copies.then_some(LayoutArg::Packed));
    let builder = builder(hash, layout);
    let (filter, tally) = match (args.items, args.fpr, args.memory) {
        _ if args.growing => growing(args, hash)?,
        (Some(_), Some(_), Some(_)) => {
            return Err(Failure::Usage("give only two of --items, --fpr and --memory: the third follows".to_owned()));
        }
        (Some(items), None, Some(memory)) => planned(args, builder.items(items).memory(memory), hash)?,
        (Some(items), rate, None) => {
            planned(args, builder.items(items).false_positive_rate(rate.unwrap_or(DEFAULT_RATE)), hash)?
        }
        (None, Some(rate), Some(memory)) => planned(args, builder.memory(memory).false_positive_rate(rate), hash)?,
        (None, rate, memory) => counted_first(args, builder, rate, memory, hash)?,
    };
    let Some(target) = target else {
        target::to_stdout(&filter, args.compress)?;
        return Ok(Exit::Done);
    };
    target.publish(&filter, args.compress, None)?;
    let summary =
        Summary { stored: Some(tally.stored), repeats: Some(tally.repeats), ..Summary::new("build", output, &filter) };
    let text = format!("stored {}, {}", counted(tally.stored, "key"), counted(tally.repeats, "repeat"));
    summary.print(args.json, &text)?;
    Ok(Exit::Done)
}

/// A filter whose size is known before the keys are.
fn planned(args: &Args, builder: Builder, hash: HashKind) -> Result<(Filter, Tally), Failure> {
    fill(args, builder.build()?.into(), hash)
}

/// A filter that grows with the keys: they are read once and not counted.
fn growing(args: &Args, hash: HashKind) -> Result<(Filter, Tally), Failure> {
    let mut builder = GrowingFilter::builder().hash(hash).false_positive_rate(args.fpr.unwrap_or(DEFAULT_RATE));
    if let Some(items) = args.items {
        builder = builder.start_items(items);
    }
    if let Some(items) = args.maximum {
        builder = builder.maximum_items(items);
    }
    fill(args, builder.build()?.into(), hash)
}

/// Starts reading and hashing.
fn keys(args: &Args, hash: HashKind) -> Result<Keys, Failure> {
    let crew = Crew { threads: args.threads.number(), hasher: Hasher::new(hash)?.into(), look: None };
    Keys::open_with(&args.input, &crew, false)
}

fn fill(args: &Args, mut filter: Filter, hash: HashKind) -> Result<(Filter, Tally), Failure> {
    let keys = keys(args, hash)?;
    let mut tally = Tally::default();
    match store_all(&mut filter, keys, args.copies, &mut tally)? {
        None => Ok((filter, tally)),
        Some(stop) => Err(stop.refusal(
            args.output.as_deref().unwrap_or(Path::new("-")),
            tally,
            "nothing was written: give larger --items",
        )),
    }
}

/// Reads and counts first; then the filter has the size of what there is.
fn counted_first(
    args: &Args,
    builder: Builder,
    rate: Option<f64>,
    memory: Option<u64>,
    hash: HashKind,
) -> Result<(Filter, Tally), Failure> {
    let with_items = |items: u64| match memory {
        Some(memory) => builder.clone().items(items).memory(memory),
        None => builder.clone().items(items).false_positive_rate(rate.unwrap_or(DEFAULT_RATE)),
    };
    // What can never work is refused before the keys are read.
    with_items(0).plan()?;
    let mut keys = keys(args, hash)?;
    let (hashes, repeats) = if args.copies {
        let mut all = Vec::new();
        keys.for_each(|block| {
            all.extend_from_slice(block.hashes());
            Ok(())
        })?;
        (all, 0)
    } else {
        let (mut distinct, mut repeats) = (Distinct::default(), 0);
        keys.for_each(|block| {
            repeats += block.hashes().iter().filter(|&&hash| !distinct.insert(hash)).count() as u64;
            Ok(())
        })?;
        (distinct.into_order(), repeats)
    };
    let stored = hashes.len() as u64;
    let mut items = stored;
    for attempt in 0.. {
        let mut filter = with_items(items).build()?;
        let refused = match filter.insert_many_hash(&hashes) {
            Ok(()) => return Ok((filter.into(), Tally { stored, repeats })),
            Err(refused) => refused,
        };
        // One build in 10,000 may find no room: a little more of it mends that, but never too many copies of one key.
        if attempt == 6 || matches!(refused.reason, InsertError::TooManyCopies { .. }) {
            return Err(Failure::Refused(Box::new(Refusal {
                file: args.output.clone().unwrap_or_default(),
                reason: refused.reason,
                stored: refused.inserted as u64,
                key: None,
                place: format!("number {} of all keys", refused.inserted + 1),
                fate: "nothing was written",
            })));
        }
        items += items / 20 + 8;
    }
    unreachable!("the last attempt returns")
}
