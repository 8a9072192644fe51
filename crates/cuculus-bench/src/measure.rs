//! Time: a stopwatch, the median and the spread, and the interleaved order.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use cpu_time::ThreadTime;

use crate::meter::{self, Counts};
use crate::row::{Detail, round};

/// How much work a run may do.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Lookups of one measurement.
    pub lookups: usize,
    /// Measurements of which the median is taken.
    pub repeats: usize,
    /// Absent keys asked for the rate.
    pub absent: u64,
    /// Seconds of filling after which a fill is not repeated.
    pub fill_seconds: f64,
}

impl Effort {
    /// For figures that are to be quoted.
    pub const FULL: Effort = Effort { lookups: 1 << 21, repeats: 7, absent: 10_000_000, fill_seconds: 4.0 };
    /// For a first look: fewer absent keys, so rates below 0.01 % are rough.
    pub const QUICK: Effort = Effort { lookups: 1 << 18, repeats: 3, absent: 1_000_000, fill_seconds: 0.3 };
    /// For a test that only wants to see everything run.
    pub const TEST: Effort = Effort { lookups: 1 << 10, repeats: 1, absent: 20_000, fill_seconds: 0.0 };
}

/// Runs `work` and gives its result and the seconds it took: by the clock on the wall or by the thread's own, whichever
/// is less. The thread's clock stands still while other programs have the core; reading it costs a system call, which the
/// wall clock corrects for short pieces of work.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let own = ThreadTime::try_now().ok();
    let start = Instant::now();
    let result = black_box(work());
    let wall = start.elapsed();
    let spent = own.and_then(|own| own.try_elapsed().ok()).map_or(wall, |own| own.min(wall));
    (result, spent.as_secs_f64())
}

/// Million operations a second.
pub fn mops(operations: usize, seconds: f64) -> f64 {
    operations as f64 / seconds.max(1e-9) / 1e6
}

/// The middle value; of an even number the lower middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len().max(1) - 1) / 2).copied().unwrap_or(0.0)
}

/// A name for a series of repeats: the workload and whether the calls take one key or many.
pub type Series = (String, &'static str);

/// All speeds measured for one filter.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    speeds: BTreeMap<Series, Vec<f64>>,
    counts: BTreeMap<Series, (f64, f64)>,
}

impl Tally {
    /// Adds one measurement.
    pub fn add(&mut self, workload: &str, calls: &'static str, speed: f64) {
        self.speeds.entry((workload.to_owned(), calls)).or_default().push(speed);
    }

    /// Adds what the hardware counted over so many operations.
    pub fn add_counts(&mut self, workload: &str, calls: &'static str, counts: Option<Counts>, operations: usize) {
        if let Some(c) = counts {
            let per = |x: u64| x as f64 / operations as f64;
            self.counts.insert((workload.to_owned(), calls), (per(c.instructions), per(c.misses)));
        }
    }

    /// The median speed of a series.
    pub fn median(&self, workload: &str, calls: &'static str) -> Option<f64> {
        self.speeds.get(&(workload.to_owned(), calls)).map(|s| round(median(s)))
    }

    /// Every series with its spread.
    pub fn details(&self, filter: &str, items: u64) -> Vec<Detail> {
        let row = |((workload, calls), speeds): (&Series, &Vec<f64>)| {
            let counts = self.counts.get(&(workload.clone(), *calls));
            Detail {
                filter: filter.to_owned(),
                items,
                workload: workload.clone(),
                calls,
                median_mops: round(median(speeds)),
                min_mops: round(speeds.iter().copied().fold(f64::INFINITY, f64::min)),
                max_mops: round(speeds.iter().copied().fold(0.0, f64::max)),
                repeats: speeds.len(),
                instructions_per_op: counts.map(|c| round(c.0)),
                misses_per_op: counts.map(|c| round(c.1)),
            }
        };
        self.speeds.iter().map(row).collect()
    }
}

/// The order of the subjects in one round: each round starts one further on and every other round runs backwards, so
/// that no filter always follows the same neighbour.
pub fn order(subjects: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..subjects).map(|i| (i + round) % subjects.max(1)).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// Times a piece of work under the hardware counters.
pub fn timed_and_counted<T>(work: impl FnOnce() -> T) -> (T, f64, Option<Counts>) {
    let ((result, seconds), counts) = meter::count(|| timed(work));
    (result, seconds, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_orders() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[]), 0.0);
        for round in 0..5 {
            let mut seen = order(4, round);
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2, 3]);
        }
        let mut tally = Tally::default();
        for speed in [1.0, 5.0, 2.0] {
            tally.add("hit0", "single", speed);
        }
        assert_eq!(tally.median("hit0", "single"), Some(2.0));
        assert_eq!(tally.details("x", 1)[0].max_mops, 5.0);
    }
}
