//! `threads`: what a shared filter costs one thread and gives two, beside what the memory gives two.
//!
//! Fills, removals and lookups of a plain filter, of a shared one under one thread and of a shared one under two take turns,
//! slice by slice, in one process. Each thread is timed by its own clock and the speeds of two are added.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Barrier;

use clap::Args;
use cuculus::{CuckooFilter, Geometry, Layout, SyncFilter};
use serde::Serialize;

use crate::keys::{Keys, queries};
use crate::limit::Probe;
use crate::measure::{median, mops, timed};
use crate::row::{self, round};
use crate::workload::ABSENT;

/// Options of `threads`.
#[derive(Args, Debug, Clone)]
pub struct ThreadsArgs {
    /// Size of each table, in MiB.
    #[arg(long, default_value = "192")]
    mib: u64,
    /// packed (12-bit fingerprints, four slots) or compact (12 and 13 bits).
    #[arg(long, default_value = "packed", value_parser = ["packed", "compact"])]
    layout: String,
    /// Load up to which the tables are filled.
    #[arg(long, default_value = "0.95")]
    load: f64,
    /// Where to write threads.csv.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Fewer lookups and repeats.
    #[arg(long)]
    quick: bool,
}

/// One kind of work; speeds in million operations a second.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct ThreadsRow {
    pub work: &'static str,
    pub calls: &'static str,
    /// A plain filter (bare lines: the same as `shared_1`).
    pub plain_1: f64,
    /// A shared filter under one thread.
    pub shared_1: f64,
    /// A shared filter under two threads.
    pub shared_2: f64,
    /// What sharing leaves to one thread.
    pub shared_to_plain: f64,
    /// What the second thread gives.
    pub two_to_one: f64,
}

/// Speeds of one kind of work, one for each repeat.
#[derive(Default)]
struct Speeds([Vec<f64>; 3]);

impl Speeds {
    fn row(&self, work: &'static str, calls: &'static str) -> ThreadsRow {
        // Ratios within a repeat, whose parts ran next to each other.
        let ratio = |above: usize, below: usize| {
            let each = self.0[above].iter().zip(&self.0[below]).map(|(a, b)| a / b);
            (median(&each.collect::<Vec<_>>()) * 1000.0).round() / 1000.0
        };
        let [plain_1, shared_1, shared_2] = [0, 1, 2].map(|i| round(median(&self.0[i])));
        ThreadsRow { work, calls, plain_1, shared_1, shared_2, shared_to_plain: ratio(1, 0), two_to_one: ratio(2, 1) }
    }
}

/// Runs `work` in so many threads that begin together, each on a core of its own; the sum of their speeds.
fn speed(threads: usize, work: impl Fn(usize) -> usize + Sync) -> f64 {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let barrier = Barrier::new(threads);
    let run = |thread: usize| {
        if let Some(&core) = cores.iter().rev().nth(thread) {
            core_affinity::set_for_current(core);
        }
        barrier.wait();
        let (operations, seconds) = timed(|| work(thread));
        mops(operations, seconds)
    };
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a measuring thread")).sum()
    })
}

/// Keys of one call.
const BLOCK: usize = 1 << 14;

/// The half of the keys that is a thread's.
fn share_of(keys: &[u64], threads: usize, thread: usize) -> &[u64] {
    let half = keys.len().div_ceil(threads).max(1);
    keys.chunks(half).nth(thread).unwrap_or(&[])
}

/// The three filters, filled alike.
struct Subjects {
    plain: CuckooFilter,
    one: SyncFilter,
    two: SyncFilter,
}

impl Subjects {
    fn new(geometry: Geometry) -> Result<Self, Box<dyn std::error::Error>> {
        let build = || CuckooFilter::builder().geometry(geometry).build();
        Ok(Subjects { plain: build()?, one: build()?.try_into()?, two: build()?.try_into()? })
    }

    /// Stores keys in all three, in turn; after `removed` have been taken out.
    fn change(&mut self, removed: &[u64], keys: &[u64], speeds: &mut Speeds) {
        let operations = if removed.is_empty() { keys.len() } else { removed.len().min(keys.len()) };
        let plain = &mut self.plain;
        let (_, seconds) = timed(|| {
            removed.chunks(BLOCK).for_each(|block| _ = black_box(plain.remove_many(block)));
            keys.chunks(BLOCK).for_each(|block| plain.insert_many(block).expect("room"));
        });
        speeds.0[0].push(mops(operations, seconds));
        for (threads, filter) in [(1, &self.one), (2, &self.two)] {
            speeds.0[threads].push(speed(threads, |thread| {
                let (removed, keys) = (share_of(removed, threads, thread), share_of(keys, threads, thread));
                removed.chunks(BLOCK).for_each(|block| _ = black_box(filter.remove_many(block)));
                keys.chunks(BLOCK).for_each(|block| filter.insert_many(block).expect("room"));
                if removed.is_empty() { keys.len() } else { removed.len().min(keys.len()) }
            }));
        }
    }

    /// Looks up each thread's keys.
    fn look_up(&self, keys: &[Vec<u64>; 2], single: bool, speeds: &mut Speeds) {
        let mut found = vec![false; BLOCK];
        let plain = &self.plain;
        let (_, seconds) = timed(|| {
            for block in keys[0].chunks(BLOCK) {
                match single {
                    true => _ = black_box(block.iter().filter(|&key| plain.contains(key)).count()),
                    false => plain.contains_many_into(block, black_box(&mut found[..block.len()])),
                }
            }
        });
        speeds.0[0].push(mops(keys[0].len(), seconds));
        for (threads, filter) in [(1, &self.one), (2, &self.two)] {
            speeds.0[threads].push(speed(threads, |thread| {
                let mut found = vec![false; BLOCK];
                for block in keys[thread].chunks(BLOCK) {
                    match single {
                        true => _ = black_box(block.iter().filter(|&key| filter.contains(key)).count()),
                        false => filter.contains_many_into(block, black_box(&mut found[..block.len()])),
                    }
                }
                keys[thread].len()
            }));
        }
    }
}

/// Measures everything.
pub fn threads(
    geometry: Geometry,
    load: f64,
    repeats: usize,
    lookups: usize,
) -> Result<Vec<ThreadsRow>, Box<dyn std::error::Error>> {
    let mut subjects = Subjects::new(geometry)?;
    let keys = Keys::random(0x7D);
    let items = (geometry.slots() as f64 * load) as u64;
    let slices = 32;
    let mut slice = Vec::new();
    let (mut fill, mut last) = (Speeds::default(), Speeds::default());
    for i in 0..slices {
        keys.fill(items * i / slices..items * (i + 1) / slices, &mut slice);
        subjects.change(&[], &slice, &mut fill);
    }
    // The mean speed of the whole fill, and of its last slices.
    for speeds in &mut fill.0 {
        let mean = |speeds: &[f64]| speeds.len() as f64 / speeds.iter().map(|speed| 1.0 / speed).sum::<f64>();
        last.0[last.0.iter().position(Vec::is_empty).unwrap_or(0)].push(mean(&speeds[slices as usize - 2..]));
        *speeds = vec![mean(speeds)];
    }
    let mut lines = Speeds::default();
    let probe = Probe::new((geometry.table_bytes() >> 20).max(1) as usize, true, lookups)?;
    let mut looked: [Speeds; 4] = Default::default();
    for repeat in 0..repeats as u64 {
        for threads in [1, 1, 2] {
            let place = lines.0.iter().position(|speeds| speeds.len() as u64 == repeat).unwrap_or(2);
            lines.0[place].push(speed(threads, |thread| {
                black_box(probe.two_lines(lookups, repeat * 2 + thread as u64 + 1));
                lookups
            }));
        }
        for (present, single, speeds) in
            [0, 1, 2, 3].map(|i| (i % 2, i / 2 == 1, i)).map(|(p, s, i)| (p as u32 * 100, s, i))
        {
            let count = if single { lookups / 2 } else { lookups };
            let list = [0, 1].map(|thread| queries(&keys, 0..items, ABSENT, present, count, repeat * 2 + thread));
            subjects.look_up(&list, single, &mut looked[speeds]);
        }
    }
    let mut churn = Speeds::default();
    let step = (items / 64).min(lookups as u64);
    let mut old = Vec::new();
    for repeat in 0..repeats as u64 {
        keys.fill(repeat * step..(repeat + 1) * step, &mut old);
        keys.fill(items + repeat * step..items + (repeat + 1) * step, &mut slice);
        subjects.change(&old, &slice, &mut churn);
    }
    let [absent, present, absent_single, present_single] = &looked;
    Ok(vec![
        lines.row("two bare lines", "many"),
        absent.row("lookup, absent", "many"),
        present.row("lookup, present", "many"),
        absent_single.row("lookup, absent", "single"),
        present_single.row("lookup, present", "single"),
        fill.row("insert, whole fill", "many"),
        last.row("insert, last 6 %", "many"),
        churn.row("remove and insert, full", "many"),
    ])
}

/// The command.
pub fn run(args: &ThreadsArgs) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = args.mib << 20;
    let builder = CuckooFilter::builder().memory(bytes);
    let geometry = match args.layout.as_str() {
        "packed" => Geometry::packed(12, 4, (bytes * 8 / 48) & !1),
        _ => builder.false_positive_rate(0.001).layout(Layout::Compact).plan()?.geometry,
    };
    let (repeats, lookups) = if args.quick { (3, 1 << 18) } else { (9, 1 << 21) };
    let rows = threads(geometry, args.load, repeats, lookups)?;
    println!("{geometry:?}, filled to {}; million operations a second", args.load);
    println!(
        "{:<24} {:>7} {:>8} {:>9} {:>9} {:>13} {:>8}",
        "", "calls", "plain, 1", "shared, 1", "shared, 2", "shared/plain", "2 to 1"
    );
    for r in &rows {
        println!(
            "{:<24} {:>7} {:>8.2} {:>9.2} {:>9.2} {:>13.3} {:>8.3}",
            r.work, r.calls, r.plain_1, r.shared_1, r.shared_2, r.shared_to_plain, r.two_to_one
        );
    }
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
        row::write(&out.join("threads.csv"), &rows)?;
    }
    Ok(())
}
