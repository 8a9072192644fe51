//! `window`: a window whose items age, beside a fixed filter of as many items, whose keys somebody else remembers and takes
//! out, and beside a chain of fixed filters, one a step, that takes turns. All three see the same endless stream.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use cuculus::{CuckooFilter, Headroom, Layout, WindowFilter};
use serde::Serialize;

use crate::keys::{Keys, queries};
use crate::measure::{median, mops, timed};
use crate::row::{self, round};
use crate::workload::ABSENT;

/// Options of `window`.
#[derive(Args, Debug, Clone)]
pub struct WindowArgs {
    /// Items of the window.
    #[arg(long, default_value = "10000000")]
    pub items: u64,
    /// False-positive rate asked for.
    #[arg(long, default_value = "0.01")]
    pub fpr: f64,
    /// Steps of the window.
    #[arg(long, default_value = "12")]
    pub steps: u32,
    /// Where to write window.csv.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Fewer lookups and repeats.
    #[arg(long)]
    pub quick: bool,
}

/// One kind of work; speeds in million operations a second, but for space and rates.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct WindowRow {
    pub work: &'static str,
    pub calls: &'static str,
    pub fixed: f64,
    pub window: f64,
    pub chain: f64,
    /// The window's of the fixed filter's.
    pub window_to_fixed: f64,
    pub window_to_chain: f64,
}

/// A set of what was seen lately: what all three can do.
trait Recent {
    /// Sees a block of keys that are new.
    fn see(&mut self, keys: &[u64]);
    fn look(&self, keys: &[u64], found: &mut [bool]);
    fn look_one(&self, key: u64) -> bool;
    fn bytes(&self) -> u64;
}

impl Recent for WindowFilter {
    fn see(&mut self, keys: &[u64]) {
        black_box(self.insert_many(keys).expect("a window of items refuses none"));
    }

    fn look(&self, keys: &[u64], found: &mut [bool]) {
        self.contains_many_into(keys, found);
    }

    fn look_one(&self, key: u64) -> bool {
        self.contains(&key)
    }

    fn bytes(&self) -> u64 {
        self.memory_bytes()
    }
}

/// A fixed filter, and the keys of the window in order: they are not counted in its memory.
struct Fixed {
    filter: CuckooFilter,
    /// The keys are numbered: the oldest one there, and the next.
    keys: Keys,
    oldest: u64,
    next: u64,
    items: u64,
}

impl Recent for Fixed {
    fn see(&mut self, keys: &[u64]) {
        let old = (self.next + keys.len() as u64).saturating_sub(self.items).max(self.oldest);
        let mut out = Vec::new();
        self.keys.fill(self.oldest..old, &mut out);
        black_box(self.filter.remove_many(&out));
        self.filter.insert_many(keys).expect("room");
        (self.oldest, self.next) = (old, self.next + keys.len() as u64);
    }

    fn look(&self, keys: &[u64], found: &mut [bool]) {
        self.filter.contains_many_into(keys, found);
    }

    fn look_one(&self, key: u64) -> bool {
        self.filter.contains(&key)
    }

    fn bytes(&self) -> u64 {
        self.filter.table_bytes()
    }
}

/// A filter for each step and one for the present one; the oldest is emptied and becomes the newest. Each has its share of
/// the rate.
struct Chain {
    steps: Vec<CuckooFilter>,
    newest: usize,
    left: u64,
    ticks: u64,
}

impl Chain {
    fn new(items: u64, rate: f64, steps: u32) -> Result<Self, Box<dyn std::error::Error>> {
        let (ticks, count) = (items.div_ceil(steps.into()), steps + 1);
        let builder = CuckooFilter::builder().items(ticks).false_positive_rate(rate / f64::from(count));
        let steps = (0..count).map(|_| builder.clone().layout(Layout::Compact).build()).collect::<Result<_, _>>()?;
        Ok(Chain { steps, newest: 0, left: ticks, ticks })
    }
}

impl Recent for Chain {
    fn see(&mut self, keys: &[u64]) {
        let mut found = vec![false; keys.len()];
        self.look(keys, &mut found);
        for (key, found) in keys.iter().zip(found) {
            if self.left == 0 {
                self.newest = (self.newest + 1) % self.steps.len();
                self.steps[self.newest].clear();
                self.left = self.ticks;
            }
            // What is found in an older step has to be renewed: it goes into the newest one as well.
            black_box(found);
            self.steps[self.newest].insert_unique(key).expect("room");
            self.left -= 1;
        }
    }

    fn look(&self, keys: &[u64], found: &mut [bool]) {
        found.fill(false);
        let mut some = vec![false; keys.len()];
        for step in &self.steps {
            step.contains_many_into(keys, &mut some);
            found.iter_mut().zip(&some).for_each(|(found, some)| *found |= some);
        }
    }

    fn look_one(&self, key: u64) -> bool {
        self.steps.iter().any(|step| step.contains(&key))
    }

    fn bytes(&self) -> u64 {
        self.steps.iter().map(CuckooFilter::table_bytes).sum()
    }
}

/// Keys of one call.
const BLOCK: usize = 1 << 12;

/// Values of one kind of work for the three, one for each repeat.
#[derive(Default)]
struct Values([Vec<f64>; 3]);

impl Values {
    fn row(&self, work: &'static str, calls: &'static str) -> WindowRow {
        let [fixed, window, chain] = [0, 1, 2].map(|i| median(&self.0[i]));
        // Ratios within a repeat, whose parts ran next to each other.
        let to = |i: usize| median(&self.0[1].iter().zip(&self.0[i]).map(|(a, b)| a / b).collect::<Vec<_>>());
        let [window_to_fixed, window_to_chain] = [round(to(0)), round(to(2))];
        // Rates are small: they keep their digits.
        let short = |x: f64| if x < 0.5 { x } else { round(x) };
        WindowRow {
            work,
            calls,
            fixed: short(fixed),
            window: short(window),
            chain: short(chain),
            window_to_fixed,
            window_to_chain,
        }
    }
}

/// Measures everything.
pub fn windows(
    args: &WindowArgs,
    repeats: usize,
    lookups: usize,
) -> Result<Vec<WindowRow>, Box<dyn std::error::Error>> {
    let WindowArgs { items, fpr: rate, steps, .. } = *args;
    let keys = Keys::random(0x3D);
    let fixed = CuckooFilter::builder().items(items).false_positive_rate(rate).headroom(Headroom::Lively);
    let filter = fixed.layout(Layout::Compact).build()?;
    let mut fixed = Fixed { filter, keys, oldest: 0, next: 0, items };
    let mut window = WindowFilter::builder().items(items).steps(steps).false_positive_rate(rate).build()?;
    let mut chain = Chain::new(items, rate, steps)?;
    let mut next = 0;
    let (mut space, mut seen) = (Values::default(), Values::default());
    let mut looked: [Values; 4] = Default::default();
    let mut rates = Values::default();
    let mut block = Vec::new();
    let slice = (items / 8).clamp(1, lookups as u64 * 2);
    let warm = items.div_ceil(slice) as usize + 2;
    for round in 0..warm + repeats {
        let mut subjects: [&mut dyn Recent; 3] = [&mut fixed, &mut window, &mut chain];
        for (i, subject) in subjects.iter_mut().enumerate() {
            let (_, seconds) = timed(|| {
                for from in (next..next + slice).step_by(BLOCK) {
                    keys.fill(from..(from + BLOCK as u64).min(next + slice), &mut block);
                    subject.see(&block);
                }
            });
            if round >= warm {
                seen.0[i].push(mops(slice as usize, seconds));
            }
        }
        next += slice;
        if round < warm {
            continue;
        }
        for (which, values) in looked.iter_mut().enumerate() {
            let (present, single) = (which % 2 == 1, which >= 2);
            let list = queries(&keys, next - items..next, ABSENT, if present { 100 } else { 0 }, lookups, round as u64);
            for (i, subject) in subjects.iter().enumerate() {
                let mut found = vec![false; BLOCK];
                let mut hits = 0;
                let (_, seconds) = timed(|| {
                    for keys in list.chunks(BLOCK) {
                        match single {
                            true => hits += keys.iter().filter(|&&key| subject.look_one(key)).count(),
                            false => {
                                subject.look(keys, &mut found[..keys.len()]);
                                hits += found[..keys.len()].iter().filter(|&&found| found).count();
                            }
                        }
                    }
                });
                assert!(!present || hits == list.len(), "a key of the window is denied");
                if !present && !single {
                    rates.0[i].push(hits as f64 / list.len() as f64);
                }
                values.0[i].push(mops(list.len(), seconds));
            }
        }
        for (i, subject) in subjects.iter().enumerate() {
            space.0[i].push(subject.bytes() as f64 * 8.0 / items as f64);
        }
    }
    let [absent, present, absent_single, present_single] = &looked;
    Ok(vec![
        space.row("bits an item of the window", "-"),
        rates.row("measured rate", "-"),
        absent.row("lookup, absent", "many"),
        present.row("lookup, present", "many"),
        absent_single.row("lookup, absent", "single"),
        present_single.row("lookup, present", "single"),
        seen.row("insert, steady state", "many"),
    ])
}

/// The longest single insert into a window of time of which nothing but one item a step is seen after it was full; and the
/// median, and the longest while it fills.
fn longest(args: &WindowArgs) -> Result<[f64; 3], Box<dyn std::error::Error>> {
    let (step, keys) = (Duration::from_secs(1), Keys::random(0x3E));
    let builder = WindowFilter::builder().items(args.items).steps(args.steps).false_positive_rate(args.fpr);
    let mut filter = builder.duration(step * args.steps).build()?;
    let mut call = |now: u64, key: u64| {
        filter.advance(step * now as u32);
        let start = Instant::now();
        black_box(filter.insert(&keys.get(key)).expect("room"));
        start.elapsed().as_secs_f64() * 1e6
    };
    let steps = u64::from(args.steps);
    let mut busy: Vec<f64> = (0..args.items).map(|key| call(key * steps / args.items, key)).collect();
    let idle = (0..4 * steps).map(|n| call(steps + n, args.items + n)).fold(0.0, f64::max);
    busy.sort_by(f64::total_cmp);
    Ok([busy[busy.len() / 2], busy[busy.len() - 1], idle])
}

/// The command.
pub fn run(args: &WindowArgs) -> Result<(), Box<dyn std::error::Error>> {
    let (repeats, lookups) = if args.quick { (3, 1 << 16) } else { (7, 1 << 20) };
    let rows = windows(args, repeats, lookups)?;
    println!("{} items, {} steps, rate {}; million operations a second", args.items, args.steps, args.fpr);
    println!(
        "{:<28} {:>7} {:>9} {:>9} {:>9} {:>13} {:>13}",
        "", "calls", "fixed", "window", "chain", "window/fixed", "window/chain"
    );
    for r in &rows {
        println!(
            "{:<28} {:>7} {:>9.4} {:>9.4} {:>9.4} {:>13.3} {:>13.3}",
            r.work, r.calls, r.fixed, r.window, r.chain, r.window_to_fixed, r.window_to_chain
        );
    }
    let [median, busy, idle] = longest(args)?;
    println!("single insert into a window of time: median {median:.2} us, longest while filling {busy:.0} us,");
    println!("longest with one item a step after it was full {idle:.0} us");
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
        row::write(&out.join("window.csv"), &rows)?;
    }
    Ok(())
}
