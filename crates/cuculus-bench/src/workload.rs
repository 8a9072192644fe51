//! What is done to a filter: fill, lookups, removals, churn, and the check that it answered rightly.

use std::collections::HashSet;
use std::hint::black_box;
use std::ops::Range;

use crate::adapter::{Filter, Kind, Plan};
use crate::keys::{Keys, queries};
use crate::measure::{Effort, Tally, mops, timed, timed_and_counted};
use crate::meter::PeakWatch;
use crate::row::{MemoryRow, Row, round};

/// Keys numbered from here on are never stored.
pub const ABSENT: u64 = 1 << 42;
/// Keys made and timed at a time.
const CHUNK: u64 = 1 << 14;
/// Keys handed to a many-key call.
const MANY: usize = 1 << 12;
/// Parts of a fill that are timed apart.
pub const PARTS: u64 = 20;
/// Shares of present keys, percent.
pub const SHARES: [u32; 5] = [0, 25, 50, 75, 100];

/// How a fill went.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// Items stored.
    pub stored: u64,
    /// Million inserts a second over the whole.
    pub mops: f64,
    /// The same over each twentieth.
    pub parts: Vec<f64>,
}

/// A filter with what it holds and what was measured on it.
pub struct Subject {
    /// Which.
    pub kind: &'static Kind,
    /// The filter.
    pub filter: Box<dyn Filter>,
    /// Its keys.
    pub keys: Keys,
    /// Numbers of the keys that it holds.
    pub stored: Range<u64>,
    /// The latest fill.
    pub fill: Fill,
    /// All speeds.
    pub tally: Tally,
    /// Counted bytes after the fill.
    pub at_rest: u64,
    /// Counted bytes at the peak of building and filling.
    pub peak: u64,
    /// Inserts refused while filling.
    pub refused: u64,
    /// Keys within `stored` that were refused.
    out: HashSet<u64>,
    /// Inserts refused in churn.
    pub churn_refused: u64,
    /// Stored keys that were denied.
    pub false_negatives: u64,
    /// Stored keys that were asked for.
    pub asked: u64,
    /// Measured rate.
    pub measured: f64,
    /// Absent keys that were asked for.
    pub absent: u64,
}

/// Called after each part of a fill with the filter, the part's number and the items stored so far.
pub type AfterPart<'a> = &'a mut dyn FnMut(&dyn Filter, u64, u64);

/// Inserts the keys with the given numbers, a part at a time.
pub fn fill(filter: &mut dyn Filter, keys: &Keys, numbers: Range<u64>, many: bool, after: AfterPart<'_>) -> Fill {
    let total = numbers.end - numbers.start;
    let mut buffer = Vec::with_capacity(CHUNK as usize);
    let mut report = Fill::default();
    let mut seconds = 0.0;
    'parts: for part in 0..PARTS {
        let (from, to) = (numbers.start + total * part / PARTS, numbers.start + total * (part + 1) / PARTS);
        let (mut at, mut spent, mut put) = (from, 0.0, 0);
        while at < to {
            let next = (at + CHUNK).min(to);
            keys.fill(at..next, &mut buffer);
            let (stored, time) = timed(|| insert(filter, &buffer, many));
            spent += time;
            put += stored as u64;
            if stored < buffer.len() {
                // Full: what follows is not part of the fill.
                report.stored += put;
                seconds += spent;
                break 'parts;
            }
            at = next;
        }
        report.stored += put;
        seconds += spent;
        report.parts.push(mops(put as usize, spent));
        after(filter, part, report.stored);
    }
    let (_, sealing) = timed(|| filter.seal());
    report.mops = mops(report.stored as usize, seconds + sealing);
    report
}

fn insert(filter: &mut dyn Filter, keys: &[u64], many: bool) -> usize {
    if !many {
        return filter.insert_each(keys);
    }
    keys.chunks(MANY).map(|part| filter.insert_many(part).unwrap_or(0)).sum()
}

impl Subject {
    /// Builds and fills a filter.
    pub fn new(kind: &'static Kind, plan: &Plan, keys: Keys) -> Result<Subject, String> {
        Self::staged(kind, plan, keys, &mut |_, _, _| {})
    }

    /// Builds and fills a filter, with a look at it after each part.
    pub fn staged(kind: &'static Kind, plan: &Plan, keys: Keys, after: AfterPart<'_>) -> Result<Subject, String> {
        let watch = PeakWatch::start();
        let (filter, construction) = timed(|| (kind.build)(plan));
        let mut filter = filter?;
        let mut report = fill(&mut *filter, &keys, 0..plan.items, false, after);
        if kind.fixed {
            report.parts.clear();
        }
        // Zeroing the table belongs to a fill whether the filter does it at once or page by page.
        let seconds = report.stored as f64 / report.mops.max(1e-9) / 1e6 + construction;
        report.mops = mops(report.stored as usize, seconds);
        let (now, peak) = (watch.now(), watch.peak());
        // A table in a mapping of its own is not on the heap; its own account stands for it.
        let mapped = if filter.memory_bytes() > 2 * now { filter.memory_bytes() } else { 0 };
        let mut subject = Subject {
            kind,
            filter,
            keys,
            stored: 0..report.stored,
            tally: Tally::default(),
            at_rest: now + mapped,
            peak: peak + mapped,
            refused: plan.items - report.stored,
            out: HashSet::new(),
            churn_refused: 0,
            false_negatives: 0,
            asked: 0,
            measured: 0.0,
            absent: 0,
            fill: Fill::default(),
        };
        subject.record_fill(report, "single");
        Ok(subject)
    }

    /// Notes the speeds of a fill.
    pub fn record_fill(&mut self, report: Fill, calls: &'static str) {
        self.tally.add("insert", calls, report.mops);
        if let (Some(&last), false) = (report.parts.last(), self.kind.fixed) {
            self.tally.add("insert_last5", calls, last);
        }
        if calls == "single" {
            self.fill = report;
        }
    }

    /// Fills a second filter by many-key calls, if there are any.
    pub fn measure_many_fill(&mut self, plan: &Plan) -> Result<(), String> {
        if self.filter.insert_many(&[]).is_none() {
            return Ok(());
        }
        let mut filter = (self.kind.build)(plan)?;
        let report = fill(&mut *filter, &self.keys, 0..plan.items, true, &mut |_, _, _| {});
        self.record_fill(report, "many");
        Ok(())
    }

    /// Asks for every stored key (a sample of `most` where there are more) and for absent keys.
    pub fn check(&mut self, most: u64, absent: u64) {
        let mut buffer = Vec::with_capacity(CHUNK as usize);
        let held = self.stored.end - self.stored.start;
        let step = held.div_ceil(most.max(1)).max(1);
        let mut at = self.stored.start;
        while at < self.stored.end {
            buffer.clear();
            buffer.extend((at..self.stored.end).step_by(step as usize).take(CHUNK as usize).map(|i| self.keys.get(i)));
            if !self.out.is_empty() {
                buffer.retain(|key| !self.out.contains(key));
            }
            self.false_negatives += (buffer.len() - self.filter.contains_each(&buffer)) as u64;
            self.asked += buffer.len() as u64;
            at += CHUNK * step;
        }
        let mut wrong = 0;
        let mut at = 0;
        while at < absent {
            let next = (at + CHUNK).min(absent);
            self.keys.fill(ABSENT + at..ABSENT + next, &mut buffer);
            wrong += self.filter.contains_each(&buffer);
            at = next;
        }
        if absent > 0 {
            self.measured = wrong as f64 / absent as f64;
            self.absent = absent;
        }
    }

    /// One round of lookups at every share of present keys, single and many-key.
    pub fn measure_lookups(&mut self, effort: &Effort, round: usize, shares: &[u32]) {
        // The others have had the caches since this filter was last asked.
        let (count, _) = batch(effort, self.stored.end - self.stored.start);
        let warm = queries(&self.keys, self.stored.clone(), ABSENT + (1 << 40), 50, count, round as u64);
        black_box(self.filter.contains_each(&warm));
        for turn in 0..shares.len() {
            let share = shares[(turn + round) % shares.len()];
            let (count, passes) = batch(effort, self.stored.end - self.stored.start);
            let ask = |seed: u64| queries(&self.keys, self.stored.clone(), ABSENT + (1 << 40), share, count, seed);
            let seed = round as u64 * 1_000 + u64::from(share);
            let name = format!("hit{share}");
            let operations = count * passes;
            let asked = ask(seed);
            let (_, seconds, counts) =
                timed_and_counted(|| (0..passes).map(|_| black_box(self.filter.contains_each(&asked))).sum::<usize>());
            self.tally.add(&name, "single", mops(operations, seconds));
            self.tally.add_counts(&name, "single", counts, operations);
            if self.filter.contains_many(&asked[..1]).is_none() {
                continue;
            }
            // Other keys: those just asked have their lines in the cache.
            let asked = ask(seed + 500_000);
            let (_, seconds, counts) = timed_and_counted(|| {
                for part in (0..passes).flat_map(|_| asked.chunks(MANY)) {
                    black_box(self.filter.contains_many(part));
                }
            });
            self.tally.add(&name, "many", mops(operations, seconds));
            self.tally.add_counts(&name, "many", counts, operations);
        }
    }

    /// The keys with the given numbers that the filter took.
    fn held_keys(&self, numbers: Range<u64>) -> Vec<u64> {
        numbers.map(|i| self.keys.get(i)).filter(|key| !self.out.contains(key)).collect()
    }

    /// One round of removals; what was taken out is put back.
    pub fn measure_removes(&mut self, effort: &Effort) {
        let held = self.stored.end - self.stored.start;
        let count = (held / 20).min(effort.lookups as u64).max(1).min(held);
        let numbers = self.stored.start..self.stored.start + count;
        let taken = self.held_keys(numbers.clone());
        let (removed, seconds) = timed(|| self.filter.remove_each(&taken));
        if removed.is_none() {
            return;
        }
        self.tally.add("remove", "single", mops(taken.len(), seconds));
        self.put_back(&taken);
        let taken = self.held_keys(numbers);
        let (removed, seconds) =
            timed(|| taken.chunks(MANY).map(|part| self.filter.remove_many(part)).sum::<Option<usize>>());
        if removed.is_some() {
            self.tally.add("remove", "many", mops(taken.len(), seconds));
            self.put_back(&taken);
        }
    }

    /// Inserts keys again; what is refused counts as not stored from then on.
    fn put_back(&mut self, taken: &[u64]) {
        let mut rest = taken;
        loop {
            let stored = self.filter.insert_each(rest);
            let Some(&refused) = rest.get(stored) else { return };
            self.out.insert(refused);
            self.churn_refused += 1;
            rest = &rest[stored + 1..];
        }
    }

    /// Replaces the oldest keys by new ones, one removal and one insert a step. Gives the steps and the seconds.
    pub fn turn(&mut self, steps: u64) -> Option<(usize, f64)> {
        let (start, end) = (self.stored.start, self.stored.end);
        // A key that was refused must not be removed: that could take another's copy.
        let old = self.held_keys(start..start + steps);
        let mut new = Vec::new();
        self.keys.fill(end..end + steps, &mut new);
        let (refused, seconds) = timed(|| self.filter.churn(&old, &new));
        let refused = refused?;
        self.churn_refused += refused.len() as u64;
        self.out.extend(refused);
        self.put_back(&new[old.len()..]);
        self.stored = start + steps..end + steps;
        Some((old.len(), seconds))
    }

    /// One round of steady churn.
    pub fn measure_churn(&mut self, effort: &Effort) {
        let held = self.stored.end - self.stored.start;
        let steps = (held / 20).min(effort.lookups as u64 / 2).max(1).min(held);
        if let Some((done, seconds)) = self.turn(steps) {
            self.tally.add("churn", "single", mops(done, seconds));
        }
    }

    /// The row of the comparison.
    pub fn row(&self) -> Row {
        let items = self.fill.stored;
        let speed = |workload: &str| self.tally.median(workload, "single");
        let many = |workload: &str| self.tally.median(workload, "many");
        Row {
            filter: self.kind.name.to_owned(),
            items,
            memory_bytes: self.at_rest,
            bits_per_item: round(self.at_rest as f64 * 8.0 / items.max(1) as f64),
            promised_fpr: self.filter.promised_rate(),
            measured_fpr: self.measured,
            false_negatives: self.false_negatives,
            insert_mops: speed("insert"),
            hit0_mops: speed("hit0"),
            hit50_mops: speed("hit50"),
            hit100_mops: speed("hit100"),
            many_hit0_mops: many("hit0"),
            many_hit50_mops: many("hit50"),
            many_hit100_mops: many("hit100"),
            remove_mops: speed("remove"),
            insert_last5_mops: speed("insert_last5"),
            churn_mops: speed("churn"),
        }
    }

    /// Memory, refusals, and how much was asked.
    pub fn memory_row(&self) -> MemoryRow {
        MemoryRow {
            filter: self.kind.name.to_owned(),
            items: self.fill.stored,
            table_bytes: self.filter.memory_bytes(),
            at_rest_bytes: self.at_rest,
            peak_bytes: self.peak,
            refused_in_fill: self.refused,
            refused_in_churn: self.churn_refused,
            absent_keys_asked: self.absent,
            stored_keys_asked: self.asked,
        }
    }
}

/// Queries of a measurement and how often they are run through. A table that fits into a cache is asked from a short
/// list, which leaves the cache to it; a large one from a list so long that its lines do not stay.
fn batch(effort: &Effort, held: u64) -> (usize, usize) {
    let short = effort.lookups.min(1 << 16);
    if held <= 2_000_000 { (short, (effort.lookups / short).max(1)) } else { (effort.lookups, 1) }
}
