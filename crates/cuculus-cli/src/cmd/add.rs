//! `cuculus add`: more keys into a filter file.

use super::storing::{RefusedKey, Summary, Tally, store_all};
use crate::exit::{Exit, Outcome};
use crate::filter::with_filter;
use crate::input::{Hasher, InputArgs, Keys};
use crate::output::counted;
use crate::secret::KeyFile;
use crate::server::{self, ServerArgs};
use crate::store::Exclusive;
use std::path::{Path, PathBuf};

/// Add keys to a filter file
///
/// A key that is stored already is not stored again, and is counted as a repeat; so is, at the false-positive rate, a
/// key that only looks stored: it then owns no copy and must not be removed later. With --copies every key is stored.
///
/// When the filter is full, add says how many keys went in and which one was the first refused, saves nothing (with
/// --partial: what went in) and exits with 2.
///
/// The file is replaced as a whole or not at all: the new one is yours, and other hard links go on leading to the old one.
/// A killed run can leave a file .NAME....tmp beside it, which may be deleted. Another add or remove of the same file
/// waits until this one is done, also while this one waits for its input: gather slow input in a file first.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus add words.cuculus more-words.txt
  tail -n 1000 today.log | cuculus add seen.cuculus --partial -
  cuculus add --server valkey://127.0.0.1:6379/seen --shards 6 --wait 1 today.log")]
pub(crate) struct Args {
    /// The filter file; not with --server
    #[arg(value_name = "FILE", required_unless_present = "server")]
    file: Option<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,

    /// Store every key, also one that is stored already: it has to be removed as often
    #[arg(long)]
    copies: bool,

    /// When the filter is full, save what went in before
    #[arg(long)]
    partial: bool,

    #[command(flatten)]
    key_file: KeyFile,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input: InputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(url) = &args.server.server {
        server::only_keys(args.json || args.copies || args.partial, args.key_file.key_file.is_some())?;
        return args.server.add(url, &server::inputs_after(args.file.as_ref(), &args.input));
    }
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let mut store = Exclusive::load(file, args.key_file.read()?.as_ref())?;
    let keys = Keys::open(&args.input, Hasher::new(with_filter!(&store.filter, filter => filter.hash_kind()))?, false)?;
    let mut tally = Tally::default();
    let stop = store_all(&mut store.filter, keys, args.copies, &mut tally)?;
    let saves = tally.stored > 0 && (stop.is_none() || args.partial);
    let mut summary = Summary {
        stored: Some(tally.stored),
        repeats: Some(tally.repeats),
        saved: saves,
        ..Summary::new("add", file, &store.filter)
    };
    if saves {
        store.save()?;
    }
    let Some(stop) = stop else {
        let text = format!("stored {}, {}", counted(tally.stored, "key"), counted(tally.repeats, "repeat"));
        summary.print(args.json, &text)?;
        return Ok(Exit::Done);
    };
    if args.json {
        if !saves {
            summary.items -= tally.stored;
            summary.bits_per_item = None;
        }
        let (key, place) = (stop.key.clone(), stop.place.clone());
        summary.refused = Some(RefusedKey { key, place, reason: stop.reason.to_string() });
        summary.print(true, "")?;
    }
    let fate = match (saves, args.partial) {
        (true, _) => "those that went in are saved (--partial)",
        (false, true) => "there was nothing to save",
        (false, false) => "nothing was saved (--partial saves what went in)",
    };
    Err(stop.refusal(file, tally, fate))
}
