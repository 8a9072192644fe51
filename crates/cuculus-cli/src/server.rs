//! `--server`: the filter is on a Valkey or Redis server or cluster that has the module.

use crate::exit::{Exit, Failure, Outcome};
use crate::input::{Block, Hasher, InputArgs, Keys};
use crate::output::{Output, counted};
use cuculus::HashKind;
use cuculus_client::{Options, ShardedFilter};
use std::path::PathBuf;
use std::time::Duration;

/// Keys of one call.
const BATCH: usize = 10_000;

/// Where the filter is, and how sure its keys have to be.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Filters on a server")]
pub(crate) struct ServerArgs {
    #[arg(
        long,
        value_name = "URL",
        help = "Use the filter KEY of a server or cluster with the module: valkey://[USER:PASSWORD@]HOST[:PORT]/KEY"
    )]
    pub(crate) server: Option<String>,

    /// Over how many keys the filter is spread, with hash tags for a cluster; always the same number for one filter
    #[arg(long, value_name = "N", default_value_t = 1, requires = "server")]
    shards: u32,

    /// How many replicas must have the keys before they count as stored
    #[arg(long, value_name = "N", default_value_t = 0, requires = "server")]
    wait: u32,

    /// Seconds to go on trying when a server does not answer, as while a cluster replaces a primary
    #[arg(long, value_name = "SECONDS", default_value_t = 30, requires = "server")]
    timeout: u64,
}

impl ServerArgs {
    fn open(&self, url: &str) -> Result<ShardedFilter, Failure> {
        let options = Options { wait: self.wait, timeout: Duration::from_secs(self.timeout) };
        ShardedFilter::open(url, self.shards, options).map_err(|error| self.failure(error))
    }

    fn failure(&self, error: cuculus_client::Error) -> Failure {
        Failure::Input { name: self.server.clone().unwrap_or_default(), reason: error.to_string() }
    }

    /// Makes the filter, then [`add`](Self::add).
    pub(crate) fn build(&self, url: &str, items: u64, rate: f64, inputs: &InputArgs) -> Outcome {
        self.open(url)?.reserve(items, rate).map_err(|error| self.failure(error))?;
        self.add(url, inputs)
    }

    /// Stores the keys that are not there.
    pub(crate) fn add(&self, url: &str, inputs: &InputArgs) -> Outcome {
        let mut filter = self.open(url)?;
        filter.check().map_err(|error| self.failure(error))?;
        let (mut stored, mut repeats) = (0, 0);
        self.for_each(inputs, |keys| {
            let answers = filter.insert_many(keys)?;
            let now = answers.iter().filter(|&&stored| stored).count() as u64;
            stored += now;
            repeats += answers.len() as u64 - now;
            Ok(())
        })?;
        print(format!("stored {}, {}", counted(stored, "key"), counted(repeats, "repeat")))?;
        self.print_state(url, &mut filter)?;
        Ok(Exit::Done)
    }

    /// Removes the keys.
    pub(crate) fn remove(&self, url: &str, inputs: &InputArgs) -> Outcome {
        let mut filter = self.open(url)?;
        filter.check().map_err(|error| self.failure(error))?;
        let (mut removed, mut absent) = (0, 0);
        self.for_each(inputs, |keys| {
            let answers = filter.remove_many(keys)?;
            let now = answers.iter().filter(|&&removed| removed).count() as u64;
            removed += now;
            absent += answers.len() as u64 - now;
            Ok(())
        })?;
        print(format!("removed {}, {} not found", counted(removed, "key"), counted(absent, "key")))?;
        self.print_state(url, &mut filter)?;
        Ok(Exit::found(removed > 0))
    }

    /// A function that says of each key of a block whether it is probably stored.
    pub(crate) fn finder(&self, url: &str) -> Result<impl FnMut(&Block) -> Result<Vec<bool>, Failure>, Failure> {
        let mut filter = self.open(url)?;
        filter.check().map_err(|error| self.failure(error))?;
        Ok(move |block: &Block| {
            let keys: Vec<&[u8]> = (0..block.hashes().len()).map(|index| block.key(index)).collect();
            let mut found = Vec::with_capacity(keys.len());
            for keys in keys.chunks(BATCH) {
                found.extend(filter.contains_many(keys).map_err(|error| self.failure(error))?);
            }
            Ok(found)
        })
    }

    fn for_each(
        &self,
        inputs: &InputArgs,
        mut work: impl FnMut(&[&[u8]]) -> Result<(), cuculus_client::Error>,
    ) -> Result<(), Failure> {
        let mut keys = Keys::open(inputs, Hasher::new(HashKind::default())?, false)?;
        keys.for_each(|block| {
            let all: Vec<&[u8]> = (0..block.hashes().len()).map(|index| block.key(index)).collect();
            all.chunks(BATCH).try_for_each(&mut work).map_err(|error| self.failure(error))
        })
    }

    fn print_state(&self, url: &str, filter: &mut ShardedFilter) -> Result<(), Failure> {
        let items = filter.len().map_err(|error| self.failure(error))?;
        print(format!("{url}: {} in {}", counted(items, "key"), counted(filter.keys().len() as u64, "shard")))
    }
}

fn print(line: String) -> Result<(), Failure> {
    let mut out = Output::new();
    out.line(line)?;
    out.flush()
}

/// The inputs, when the first of them stands where the filter file would.
pub(crate) fn inputs_after(file: Option<&PathBuf>, inputs: &InputArgs) -> InputArgs {
    let all = file.into_iter().chain(&inputs.inputs).cloned().collect();
    InputArgs { inputs: all, ..inputs.clone() }
}

/// Refuses options that a filter on a server has no use for.
pub(crate) fn only_keys(others: bool, key_file: bool) -> Result<(), Failure> {
    match others || key_file {
        true => Err(Failure::Usage(
            "with --server there are --shards, --wait, --timeout, the input's options, and for build --items and --fpr: \
             everything else is the server's to say"
                .to_owned(),
        )),
        false => Ok(()),
    }
}
