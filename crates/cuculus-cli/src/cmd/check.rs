//! `cuculus check`: which keys are stored.

use crate::exit::{Exit, Failure, Outcome};
use crate::imported;
use crate::input::{Block, Crew, Hasher, InputArgs, Keys, Look, ThreadsArgs};
use crate::output::Output;
use crate::secret::KeyFile;
use crate::server::{self, ServerArgs};
use crate::store::{self, with_lookup};
use cuculus::HashKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Print the keys that are probably stored
///
/// A key that was stored is always printed; one that was not is printed at the filter's false-positive rate. With
/// --invert-match the keys that are certainly not stored are printed instead. An input that cannot be opened is told and
/// passed over; the others are checked, and the exit code is 2.
///
/// The file is mapped and read only: it needs no right to write, and many processes share its memory. Replace it, as add
/// and build do, and never rewrite it in place: if it is cut short while it is read, the system ends the process.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus check words.cuculus draft.txt              the words that are in the list
  cuculus check -v words.cuculus draft.txt           the words that are not
  cuculus check -c -v seen.cuculus today.log.zst     how many lines are new
  cuculus check ids.cuculus --field 2 orders.csv     the whole records whose second field is stored
  cuculus check --server valkey://127.0.0.1:6379/seen today.log   keys of a filter on a server

Exit codes: 0 something was printed or counted, 1 nothing, 2 error.")]
pub(crate) struct Args {
    /// The filter file; not with --server
    #[arg(value_name = "FILE", required_unless_present = "server")]
    file: Option<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,

    /// Keys that are certainly not stored instead
    #[arg(short = 'v', long)]
    invert_match: bool,

    /// Print only how many
    #[arg(short, long)]
    count: bool,

    /// With --field: print the key alone, not its whole record
    #[arg(long, requires = "field")]
    only_key: bool,

    #[command(flatten)]
    threads: ThreadsArgs,

    #[command(flatten)]
    key_file: KeyFile,

    #[command(flatten)]
    input: InputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(url) = &args.server.server {
        server::only_keys(false, args.key_file.key_file.is_some())?;
        let inputs = server::inputs_after(args.file.as_ref(), &args.input);
        let mut find = args.server.finder(url)?;
        return check(args, &inputs, HashKind::default(), None, |block| find(block));
    }
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    if let Some(imported) = imported::open(file)? {
        let find = |block: &Block| (0..block.hashes().len()).map(|i| imported.filter.contains(block.key(i))).collect();
        return check(args, &args.input, HashKind::default(), None, |block| Ok(find(block)));
    }
    let lookup = store::open(file, args.key_file.read()?.as_ref())?;
    let hash = with_lookup!(&lookup, filter => filter.hash_kind());
    let look: Look = Arc::new(move |hashes| with_lookup!(&lookup, filter => filter.contains_many_hash(hashes)));
    check(args, &args.input, hash, Some(look), |block| Ok(block.take_found()))
}

/// Prints or counts the keys that `find` finds in their blocks, or those that it does not. With `look` the workers have
/// looked already.
fn check(
    args: &Args,
    inputs: &InputArgs,
    hash: HashKind,
    look: Option<Look>,
    mut find: impl FnMut(&mut Block) -> Result<Vec<bool>, Failure>,
) -> Outcome {
    let (input, missing) = inputs.readable();
    if input.inputs.is_empty() && missing {
        return Ok(Exit::Error);
    }
    let crew = Crew { threads: args.threads.number(), hasher: Hasher::new(hash)?.into(), look };
    let mut keys = Keys::open_with(&input, &crew, !args.count)?;
    let mut out = Output::new();
    let mut number = 0u64;
    while let Some(mut block) = keys.next(|| out.flush())? {
        let found = find(&mut block)?;
        if args.count {
            number += found.iter().filter(|&&found| found != args.invert_match).count() as u64;
        } else {
            for (index, found) in found.into_iter().enumerate() {
                if found != args.invert_match {
                    number += 1;
                    print(&mut out, &block, index, args.only_key.then_some(args.input.null))?;
                }
            }
        }
        keys.recycle(block);
    }
    if args.count {
        out.line(number)?;
    }
    out.flush()?;
    Ok(if missing { Exit::Error } else { Exit::found(number > 0) })
}

/// Prints a record as it came, or the key alone, ended by a NUL or a newline.
pub(crate) fn print(out: &mut Output, block: &Block, index: usize, key_null: Option<bool>) -> Result<(), Failure> {
    match key_null {
        None => out.bytes(block.record(index)),
        Some(null) => {
            out.bytes(block.key(index))?;
            out.bytes(if null { b"\0" } else { b"\n" })
        }
    }
}
