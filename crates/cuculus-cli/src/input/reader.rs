//! The thread that reads and cuts ahead while others hash and look up, and the command works on the blocks before.
//!
//! It is not joined: a command that has had enough ends the process, even while the thread waits for a slow input.

use super::block::{BLOCK, Block};
use super::crew::{self, Crew, Stretch, Turns};
use super::cut::Cut;
use super::{InputArgs, source};
use crate::exit::Failure;
use crate::progress::{Meter, Progress};
use cuculus::{CuckooFilter, Geometry, HashKind};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel};
use std::thread;

/// Hashes keys as a filter would, before there is one.
pub(crate) struct Hasher(pub(super) CuckooFilter);

impl Hasher {
    /// The hasher of filters with this hash.
    pub(crate) fn new(hash: HashKind) -> Result<Self, Failure> {
        // The smallest filter: only its hash function is used.
        Ok(Hasher(CuckooFilter::builder().geometry(Geometry::packed(4, 1, 2)).hash(hash).build()?))
    }
}

/// The keys of all inputs, block by block.
pub(crate) struct Keys {
    blocks: Turns<Receiver<Stretch>>,
    used: Sender<Block>,
    progress: Progress,
}

impl Keys {
    /// Starts reading. `prints` says that the command prints keys while it works.
    pub(crate) fn open(args: &InputArgs, hasher: Hasher, prints: bool) -> Result<Self, Failure> {
        Self::open_with(args, &Crew::hashing(hasher), prints)
    }

    /// [`open`](Self::open), with workers that may also look keys up.
    pub(crate) fn open_with(args: &InputArgs, crew: &Crew, prints: bool) -> Result<Self, Failure> {
        let mut args = args.clone();
        if args.inputs.is_empty() {
            args.inputs.push("-".into());
        }
        // A name that is wrong is told before hours of work, not after.
        let mut total = Some(0);
        for path in args.inputs.iter() {
            total = look_at(path)?.and_then(|bytes| Some(total? + bytes));
        }
        let progress = Progress::new(total, prints);
        let meter = progress.meter();
        let (workers, blocks) = crew::start(crew);
        let (used, recycled) = channel();
        thread::spawn(move || {
            let mut feed = Feed { workers, recycled };
            for path in &args.inputs {
                match feed.input(path, &args, meter.clone()) {
                    Ok(()) => {}
                    // The command ended first.
                    Err(None) => return,
                    Err(Some(reason)) => {
                        let _ = feed.send(Err(Failure::Input { name: source::name(path), reason }));
                        return;
                    }
                }
            }
        });
        Ok(Keys { blocks, used, progress })
    }

    /// The next block of at least one record. `before_waiting` runs when none is ready: the time to hand output on.
    pub(crate) fn next(
        &mut self,
        before_waiting: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Option<Block>, Failure> {
        self.progress.tick();
        let next = match self.blocks.this().try_recv() {
            Ok(block) => block.map(Some),
            Err(TryRecvError::Disconnected) => Ok(None),
            Err(TryRecvError::Empty) => {
                before_waiting()?;
                self.blocks.this().recv().ok().transpose()
            }
        };
        self.blocks.next();
        if !matches!(next, Ok(Some(_))) {
            self.progress.clear();
        }
        next
    }

    /// Gives a block back to be filled again.
    pub(crate) fn recycle(&mut self, block: Block) {
        // Nobody takes it after the last block was read.
        let _ = self.used.send(block);
    }

    /// Runs `work` on every block.
    pub(crate) fn for_each(&mut self, mut work: impl FnMut(&Block) -> Result<(), Failure>) -> Result<(), Failure> {
        while let Some(block) = self.next(|| Ok(()))? {
            work(&block)?;
            self.recycle(block);
        }
        Ok(())
    }
}

/// The length of a regular file; fails on what cannot be read as an input.
pub(super) fn look_at(path: &Path) -> Result<Option<u64>, Failure> {
    if path == Path::new("-") {
        return Ok(None);
    }
    let failure = |reason: String| Failure::Input { name: source::name(path), reason };
    let metadata = std::fs::metadata(path).map_err(|error| failure(error.to_string()))?;
    if metadata.is_dir() {
        return Err(failure("is a directory".to_owned()));
    }
    if metadata.is_file() {
        std::fs::File::open(path).map_err(|error| failure(error.to_string()))?;
    }
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// The thread's side.
struct Feed {
    workers: Turns<SyncSender<Stretch>>,
    recycled: Receiver<Block>,
}

/// `None` where nobody listens any more, else what is wrong with the input.
type Stop = Option<String>;

impl Feed {
    fn input(&mut self, path: &Path, args: &InputArgs, meter: Meter) -> Result<(), Stop> {
        let told = |error: io::Error| Some(error.to_string());
        let mut reader = source::open(path, meter).map_err(told)?;
        if args.field.is_some() {
            reader = source::without_mark(reader).map_err(told)?;
        }
        let mut cut = Cut::new(args);
        let mut first = 1;
        let mut block = self.empty_block(path, first)?;
        let mut filled = 0;
        loop {
            if filled == block.text.len() {
                grow(&mut block.text)?;
            }
            let read = match reader.read(&mut block.text[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(told)?,
            };
            let ended = read == 0;
            if ended && filled == 0 {
                return Ok(());
            }
            if ended {
                // The last record, without its terminator. There is room: the block grew before it was read into.
                block.text[filled] = args.terminator();
                filled += 1;
            }
            filled += read;
            let rest = cut.cut(&mut block, filled).map_err(Some)?;
            if ended && rest < filled && !only_empty_lines(&block.text[rest..filled], args.terminator()) {
                return Err(Some(cut.unfinished()));
            }
            if !block.records.is_empty() {
                first += block.records.len() as u64;
                let mut next = self.empty_block(path, first)?;
                while next.text.len() < filled - rest {
                    grow(&mut next.text)?;
                }
                next.text[..filled - rest].copy_from_slice(&block.text[rest..filled]);
                self.send(Ok(std::mem::replace(&mut block, next)))?;
                filled -= rest;
            } else if rest > 0 {
                // Empty lines only.
                block.text.copy_within(rest..filled, 0);
                filled -= rest;
            }
            if ended {
                return Ok(());
            }
        }
    }

    fn empty_block(&self, path: &Path, first: u64) -> Result<Block, Stop> {
        let mut block = self.recycled.try_recv().unwrap_or_default();
        block.clear();
        block.name = source::name(path);
        block.first = first;
        if block.text.is_empty() {
            grow(&mut block.text)?;
        }
        Ok(block)
    }

    fn send(&mut self, stretch: Stretch) -> Result<(), Stop> {
        let sent = self.workers.this().send(stretch).map_err(|_| None);
        self.workers.next();
        sent
    }
}

/// Doubles the room of a block, so that a record of any length is read in linear time.
fn grow(text: &mut Vec<u8>) -> Result<(), Stop> {
    let (old, more) = (text.len(), text.len().max(BLOCK));
    let failure = |_| Some(format!("a record of more than {old} bytes does not fit into memory"));
    text.try_reserve_exact(more).map_err(failure)?;
    text.resize(old + more, 0);
    Ok(())
}

fn only_empty_lines(text: &[u8], terminator: u8) -> bool {
    text.iter().all(|&byte| byte == terminator)
}
