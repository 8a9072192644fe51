//! The threads that hash a block's keys, and look them up, between the thread that reads and the command.
//!
//! ```text
//!  reader --> worker 0 --> command      blocks go to the workers in turn and are taken from them in turn:
//!         \-> worker 1 -/               so they come in the order in which they were read
//! ```
//! Each worker has a short queue on either side, so memory is bounded, and a block that is read is handed on at once.

use super::block::Block;
use super::reader::Hasher;
use crate::exit::Failure;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How many threads hash and look up.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ThreadsArgs {
    /// Threads that hash keys and look them up; one more reads [default: as many as the machine runs at once]
    ///
    /// The result does not depend on it: keys are stored, and found ones printed, in the order of the input.
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let allowed = || format!("allowed is a whole number from 1 to {MOST}");
    text.parse().ok().filter(|&number: &NonZeroUsize| number.get() <= MOST).ok_or_else(allowed)
}

/// More threads than any machine has for this.
const MOST: usize = 1024;

impl ThreadsArgs {
    /// The number that was asked for, or the machine's.
    pub(crate) fn number(&self) -> NonZeroUsize {
        self.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }
}

/// Answers for many hashes.
pub(crate) type Look = Arc<dyn Fn(&[u64]) -> Vec<bool> + Send + Sync>;

/// What the workers do with a block.
#[derive(Clone)]
pub(crate) struct Crew {
    pub(crate) threads: NonZeroUsize,
    pub(crate) hasher: Arc<Hasher>,
    /// Answers are left in the block.
    pub(crate) look: Option<Look>,
}

impl Crew {
    /// One thread that hashes.
    pub(crate) fn hashing(hasher: Hasher) -> Self {
        Crew { threads: NonZeroUsize::MIN, hasher: Arc::new(hasher), look: None }
    }
}

/// A block, or what ends the input.
pub(super) type Stretch = Result<Block, Failure>;

/// Blocks that wait for a worker, and behind it.
const WAITING: usize = 1;

/// Starts the workers: their inputs, and their outputs in the same order.
pub(super) fn start(crew: &Crew) -> (Turns<SyncSender<Stretch>>, Turns<Receiver<Stretch>>) {
    let mut ends = (Vec::new(), Vec::new());
    for _ in 0..crew.threads.get() {
        let (to_worker, from_reader) = sync_channel(WAITING);
        let (to_command, from_worker) = sync_channel(WAITING);
        let crew = crew.clone();
        thread::spawn(move || work(&crew, &from_reader, &to_command));
        ends.0.push(to_worker);
        ends.1.push(from_worker);
    }
    (Turns { list: ends.0, turn: 0 }, Turns { list: ends.1, turn: 0 })
}

fn work(crew: &Crew, from_reader: &Receiver<Stretch>, to_command: &SyncSender<Stretch>) {
    for mut stretch in from_reader {
        if let Ok(block) = &mut stretch {
            block.hash(&crew.hasher);
            if let Some(look) = &crew.look {
                block.found = look(block.hashes());
            }
        }
        // The command may have ended first.
        if to_command.send(stretch).is_err() {
            return;
        }
    }
}

/// A list whose members are used in turn.
pub(super) struct Turns<T> {
    list: Vec<T>,
    turn: usize,
}

impl<T> Turns<T> {
    /// The member whose turn it is.
    pub(super) fn this(&self) -> &T {
        &self.list[self.turn]
    }

    pub(super) fn next(&mut self) {
        self.turn = (self.turn + 1) % self.list.len();
    }
}
