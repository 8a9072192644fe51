//! `cuculus remove`: keys out of a filter file.

use super::storing::Summary;
use crate::exit::{Exit, Outcome};
use crate::filter::with_filter;
use crate::input::{Hasher, InputArgs, Keys};
use crate::output::counted;
use crate::secret::KeyFile;
use crate::server::{self, ServerArgs};
use crate::store::Exclusive;
use std::path::{Path, PathBuf};

/// Remove keys from a filter file
///
/// One copy of each key is removed, and the keys that were not found are counted.
///
/// REMOVE ONLY WHAT WAS STORED. A filter keeps fingerprints, not keys: removing a key that was never stored can take the
/// fingerprint of another key, which is then lost without a sign. No filter of this size can notice. The same holds for
/// a key that add or build counted as a repeat because it only looked stored.
///
/// The file is replaced as a whole or not at all: the new one is yours, and other hard links go on leading to the old one.
/// Another add or remove of the same file waits until this one is done, also while this one waits for its input.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus remove words.cuculus forget.txt
  cuculus remove sessions.cuculus --json expired.txt
  cuculus remove --server valkey://127.0.0.1:6379/seen forget.txt

Exit codes: 0 something was removed, 1 nothing was found, 2 error.")]
pub(crate) struct Args {
    /// The filter file; not with --server
    #[arg(value_name = "FILE", required_unless_present = "server")]
    file: Option<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,

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
        server::only_keys(args.json, args.key_file.key_file.is_some())?;
        return args.server.remove(url, &server::inputs_after(args.file.as_ref(), &args.input));
    }
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let mut store = Exclusive::load(file, args.key_file.read()?.as_ref())?;
    let mut keys =
        Keys::open(&args.input, Hasher::new(with_filter!(&store.filter, filter => filter.hash_kind()))?, false)?;
    let (mut removed, mut missing) = (0u64, 0u64);
    keys.for_each(|block| {
        let taken = with_filter!(&mut store.filter, filter => filter.remove_many_hash(block.hashes()));
        let taken = taken.into_iter().filter(|&taken| taken).count();
        removed += taken as u64;
        missing += (block.hashes().len() - taken) as u64;
        Ok(())
    })?;
    let summary = Summary {
        removed: Some(removed),
        not_found: Some(missing),
        saved: removed > 0,
        ..Summary::new("remove", file, &store.filter)
    };
    if removed > 0 {
        store.save()?;
    }
    let text = format!("removed {}, {} not found", counted(removed, "key"), counted(missing, "key"));
    summary.print(args.json, &text)?;
    Ok(Exit::found(removed > 0))
}
