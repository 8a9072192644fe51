//! `growing`: filters that grow, with an open end and with a declared maximum, beside a fixed filter of the final size; and how
//! long single calls take while they grow and shrink.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use cuculus::{CuckooFilter, GrowingFilter, Layout};
use serde::Serialize;

use crate::keys::{Keys, queries};
use crate::measure::{median, mops, timed};
use crate::row::{self, round};
use crate::workload::ABSENT;

/// Options of `growing`.
#[derive(Args, Debug, Clone)]
pub struct GrowingArgs {
    /// Items in the end.
    #[arg(long, default_value = "10000000")]
    pub items: u64,
    /// Items that growing filters start with.
    #[arg(long, default_value = "1000")]
    pub from: u64,
    /// False-positive rate asked for.
    #[arg(long, default_value = "0.01")]
    pub fpr: f64,
    /// Where to write growing.csv.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Fewer lookups and repeats.
    #[arg(long)]
    pub quick: bool,
}

/// One kind of work; speeds in million operations a second, but for space and rates.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct GrowingRow {
    pub work: &'static str,
    pub calls: &'static str,
    pub fixed: f64,
    pub declared: f64,
    pub open: f64,
    /// The growing filters' of the fixed one's.
    pub declared_to_fixed: f64,
    pub open_to_fixed: f64,
}

enum Either {
    Fixed(Box<CuckooFilter>),
    Growing(Box<GrowingFilter>),
}

/// The same call of either filter.
macro_rules! on {
    ($either:expr, $filter:ident => $call:expr) => {
        match $either {
            Either::Fixed($filter) => $call,
            Either::Growing($filter) => $call,
        }
    };
}

impl Either {
    fn bytes(&self) -> u64 {
        match self {
            Either::Fixed(filter) => filter.table_bytes(),
            Either::Growing(filter) => filter.memory_bytes(),
        }
    }
}

/// A fixed filter for all items, a growing one that is told their number, and one that is not.
fn filters(args: &GrowingArgs) -> Result<[Either; 3], Box<dyn std::error::Error>> {
    let fixed = CuckooFilter::builder().items(args.items).false_positive_rate(args.fpr).layout(Layout::Compact);
    let growing = || GrowingFilter::builder().start_items(args.from).false_positive_rate(args.fpr);
    Ok([
        Either::Fixed(fixed.build()?.into()),
        Either::Growing(growing().maximum_items(args.items).build()?.into()),
        Either::Growing(growing().build()?.into()),
    ])
}

/// Keys of one call.
const BLOCK: usize = 1 << 12;

/// One value for each filter and repeat.
type Values = [Vec<f64>; 3];

fn row(work: &'static str, calls: &'static str, values: &Values) -> GrowingRow {
    let [fixed, declared, open] = [0, 1, 2].map(|i| median(&values[i]));
    let to_fixed = |i: usize| median(&values[i].iter().zip(&values[0]).map(|(a, b)| a / b).collect::<Vec<_>>());
    let [declared_to_fixed, open_to_fixed] = [round(to_fixed(1)), round(to_fixed(2))];
    GrowingRow { work, calls, fixed, declared, open, declared_to_fixed, open_to_fixed }
}

/// Measures everything, the three filters in turns.
pub fn growing(
    args: &GrowingArgs,
    repeats: usize,
    lookups: usize,
) -> Result<Vec<GrowingRow>, Box<dyn std::error::Error>> {
    let keys = Keys::random(0x6B);
    let mut filters = filters(args)?;
    let [mut space, mut rates, mut inserted, mut removed]: [Values; 4] = Default::default();
    let mut looked: [Values; 4] = Default::default();
    let mut block = Vec::new();
    let fill = |filter: &mut Either, block: &mut Vec<u64>| {
        let mut seconds = 0.0;
        for from in (0..args.items).step_by(1 << 16) {
            keys.fill(from..(from + (1 << 16)).min(args.items), block);
            seconds += timed(|| on!(filter, f => f.insert_many(block)).expect("room")).1;
        }
        mops(args.items as usize, seconds)
    };
    for (i, filter) in filters.iter_mut().enumerate() {
        inserted[i].push(fill(filter, &mut block));
        space[i].push(filter.bytes() as f64 * 8.0 / args.items as f64);
    }
    for round in 0..repeats {
        for (which, values) in looked.iter_mut().enumerate() {
            let (present, single) = (which % 2 == 1, which >= 2);
            let share = if present { 100 } else { 0 };
            let list = queries(&keys, 0..args.items, ABSENT, share, lookups, round as u64);
            for (i, filter) in filters.iter().enumerate() {
                let (mut found, mut hits) = (vec![false; BLOCK], 0);
                let (_, seconds) = timed(|| {
                    for keys in list.chunks(BLOCK) {
                        if single {
                            hits += keys.iter().filter(|&key| on!(filter, f => f.contains(key))).count();
                            continue;
                        }
                        on!(filter, f => f.contains_many_into(keys, &mut found[..keys.len()]));
                        hits += found[..keys.len()].iter().filter(|&&found| found).count();
                    }
                });
                assert!(!present || hits == list.len(), "a stored key is denied");
                if which == 0 {
                    rates[i].push(hits as f64 / list.len() as f64);
                }
                values[i].push(mops(list.len(), seconds));
            }
        }
    }
    for (i, filter) in filters.iter_mut().enumerate() {
        let half = args.items / 2;
        let mut seconds = 0.0;
        for from in (0..half).step_by(1 << 16) {
            keys.fill(from..(from + (1 << 16)).min(half), &mut block);
            let (all, took) = timed(|| on!(filter, f => f.remove_many(&block)).into_iter().all(|removed| removed));
            assert!(all, "a stored key is denied");
            seconds += took;
        }
        removed[i].push(mops(half as usize, seconds));
    }
    let [absent, present, absent_single, present_single] = &looked;
    Ok(vec![
        row("bits an item", "-", &space),
        row("measured rate", "-", &rates),
        row("insert, whole fill", "many", &inserted),
        row("lookup, absent", "many", absent),
        row("lookup, present", "many", present),
        row("lookup, absent", "single", absent_single),
        row("lookup, present", "single", present_single),
        row("remove half", "many", &removed),
    ])
}

/// How long single calls took: a count for each power of two of nanoseconds, and the longest.
#[derive(Clone, Debug)]
pub struct Durations {
    counts: [u64; 40],
    longest: u64,
}

impl Default for Durations {
    fn default() -> Self {
        Durations { counts: [0; 40], longest: 0 }
    }
}

impl Durations {
    fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = black_box(call());
        let nanoseconds = start.elapsed().as_nanos() as u64;
        self.counts[(nanoseconds | 1).ilog2() as usize] += 1;
        self.longest = self.longest.max(nanoseconds);
        result
    }

    fn print(&self, what: &str) {
        let all: u64 = self.counts.iter().sum();
        let mut more = all;
        print!("{what:<20} longest {:>9.1} us; share of calls longer than", self.longest as f64 / 1e3);
        for (log, count) in self.counts.iter().enumerate() {
            more -= count;
            if (10..24).contains(&log) && log % 2 == 0 && more > 0 {
                print!("  {:.0} us {:.1e}", (2u64 << log) as f64 / 1e3, more as f64 / all as f64);
            }
        }
        println!();
    }
}

/// Every insert of a fill and every removal of nine in ten, one by one.
fn single_calls(filter: &mut GrowingFilter, items: u64) -> [Durations; 2] {
    let keys = Keys::random(0x6C);
    let [mut inserts, mut removals]: [Durations; 2] = Default::default();
    for i in 0..items {
        let key = keys.get(i);
        inserts.time(|| filter.insert(&key)).expect("room");
    }
    for i in 0..items / 10 * 9 {
        let key = keys.get(i);
        assert!(removals.time(|| filter.remove(&key)), "a stored key is denied");
    }
    [inserts, removals]
}

/// The command.
pub fn run(args: &GrowingArgs) -> Result<(), Box<dyn std::error::Error>> {
    let (repeats, lookups) = if args.quick { (3, 1 << 16) } else { (7, 1 << 20) };
    let rows = growing(args, repeats, lookups)?;
    println!("{} items from {}, rate {}; million operations a second", args.items, args.from, args.fpr);
    println!(
        "{:<20} {:>7} {:>9} {:>9} {:>9} {:>11} {:>11}",
        "", "calls", "fixed", "declared", "open", "of fixed", "of fixed"
    );
    for r in &rows {
        let GrowingRow { work, calls, fixed, declared, open, declared_to_fixed, open_to_fixed } = r;
        println!(
            "{work:<20} {calls:>7} {fixed:>9.4} {declared:>9.4} {open:>9.4} {declared_to_fixed:>11.3} {open_to_fixed:>11.3}"
        );
    }
    let [_, declared, open] = filters(args)?;
    for (name, filter) in [("declared", declared), ("open", open)] {
        let Either::Growing(mut filter) = filter else { continue };
        let [inserts, removals] = single_calls(&mut filter, args.items);
        inserts.print(&format!("{name}: insert"));
        removals.print(&format!("{name}: remove"));
    }
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
        row::write(&out.join("growing.csv"), &rows)?;
    }
    Ok(())
}
