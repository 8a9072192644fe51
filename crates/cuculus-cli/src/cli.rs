//! The command line: the subcommands, and how a run begins and ends.

use crate::cmd;
use crate::exit::{Exit, Failure, Outcome};
use clap::{Args, Parser, Subcommand, ValueEnum};
use cuculus::{Builder, CuckooFilter, HashKind, Layout};

const EXIT_CODES: &str = "\
Exit codes, like those of grep: 0 found or done, 1 nothing found, 2 error. That nobody reads the output any more (cuculus \
dedup log | head) is no error.";

/// Remembers which keys it has seen, in about one byte a key, and forgets those you remove.
///
/// A cuckoo filter answers "never stored", which is certain, or "probably stored": a key that was never stored is taken
/// for stored at the false-positive rate that you choose.
#[derive(Parser, Debug)]
#[command(name = "cuculus", version, max_term_width = 110, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Tour(cmd::tour::Args),
    Build(cmd::build::Args),
    Add(cmd::add::Args),
    Remove(cmd::remove::Args),
    Check(cmd::check::Args),
    Dedup(cmd::dedup::Args),
    Merge(cmd::merge::Args),
    Info(cmd::info::Args),
    Verify(cmd::verify::Args),
    Plan(cmd::plan::Args),
    ImportRedisbloom(cmd::import_redisbloom::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
}

impl Command {
    fn run(self) -> Outcome {
        match self {
            Command::Tour(args) => cmd::tour::run(&args),
            Command::Build(args) => cmd::build::run(&args),
            Command::Add(args) => cmd::add::run(&args),
            Command::Remove(args) => cmd::remove::run(&args),
            Command::Check(args) => cmd::check::run(&args),
            Command::Dedup(args) => cmd::dedup::run(&args),
            Command::Merge(args) => cmd::merge::run(&args),
            Command::Info(args) => cmd::info::run(&args),
            Command::Verify(args) => cmd::verify::run(&args),
            Command::Plan(args) => cmd::plan::run(&args),
            Command::ImportRedisbloom(args) => cmd::import_redisbloom::run(&args),
            Command::Completions(args) => cmd::completions::run(&args),
            Command::Man(args) => cmd::man::run(&args),
        }
    }
}

/// Runs the command that the arguments name.
pub(crate) fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => {
            // Help and version go to standard output and are no errors; a closed output is none either.
            let _ = message.print();
            return if message.use_stderr() { Exit::Error } else { Exit::Done };
        }
    };
    match cli.command.run() {
        Ok(exit) => exit,
        Err(Failure::BrokenPipe) => Exit::Done,
        Err(failure) => {
            failure.tell();
            Exit::Error
        }
    }
}

/// `--layout`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LayoutArg {
    /// Fingerprints side by side: the fastest
    Packed,
    /// Sorted top bits: one bit a key less than packed, slower to change
    SemiSorted,
    /// Four slots in two cache lines: the smallest
    Compact,
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Packed => Layout::Packed,
            LayoutArg::SemiSorted => Layout::SemiSorted,
            LayoutArg::Compact => Layout::Compact,
        }
    }
}

/// The seed of a new filter.
#[derive(Args, Debug)]
pub(crate) struct SeedArg {
    /// Seed of the hash function, 0 to 18446744073709551615: another seed, other false positives [default: 0]
    ///
    /// Only filters with the same seed can be merged. The seed is in the filter and is no secret: see --key-file.
    #[arg(long, value_name = "S", conflicts_with = "key_file", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
}

impl SeedArg {
    /// The hash function of a new filter.
    pub(crate) fn hash(&self, key: Option<[u8; 16]>) -> HashKind {
        match key {
            Some(key) => HashKind::SipHash13 { key },
            None => HashKind::Xxh3 { seed: self.seed.unwrap_or(0) },
        }
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "allowed is a whole number from 0 to 18446744073709551615".to_owned())
}

/// A builder of new filters.
pub(crate) fn builder(hash: HashKind, layout: Option<LayoutArg>) -> Builder {
    let builder = CuckooFilter::builder().hash(hash);
    match layout {
        Some(layout) => builder.layout(layout.into()),
        None => builder,
    }
}
