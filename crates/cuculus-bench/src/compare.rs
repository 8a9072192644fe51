//! `compare` and `speed`: every filter side by side in one run.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::adapter::{self, Kind, Plan, Shape};
use crate::keys::Keys;
use crate::limit::{self, Limit, Probe};
use crate::measure::{Effort, order};
use crate::meter::Machine;
use crate::row::{self, Row};
use crate::workload::{SHARES, Subject};
use crate::{plots, report};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Options of `compare`.
#[derive(Args, Debug, Clone)]
pub struct CompareArgs {
    /// Items to store.
    #[arg(long, default_value = "1000000")]
    pub items: u64,
    /// False-positive rate asked for.
    #[arg(long, default_value = "0.01")]
    pub fpr: f64,
    /// Filters, or the groups all, ours, deletable.
    #[arg(long, default_value = "all")]
    pub filters: String,
    /// Directory for CSV files, pictures and the report.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Fewer repeats and absent keys.
    #[arg(long)]
    pub quick: bool,
    /// Measurements of which the median is taken.
    #[arg(long)]
    pub repeats: Option<usize>,
}

/// Options of `speed`: this project's filters get a fixed table, the rivals are built for the same items.
#[derive(Args, Debug, Clone)]
pub struct SpeedArgs {
    /// Items to store.
    #[arg(long, conflicts_with = "memory")]
    items: Option<u64>,
    /// Memory of this project's table, such as 192MiB; the items follow from the load.
    #[arg(long, value_parser = bytes)]
    memory: Option<u64>,
    /// Bits of a fingerprint.
    #[arg(long, default_value = "12")]
    bits: u32,
    /// Load to which the table is filled.
    #[arg(long, default_value = "0.95")]
    load: f64,
    /// Rate for which the rivals are built.
    #[arg(long, default_value = "0.01")]
    fpr: f64,
    /// Filters, or the groups all, ours, deletable.
    #[arg(long, default_value = "all")]
    filters: String,
    /// Directory for CSV files, pictures and the report.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Fewer repeats and absent keys.
    #[arg(long)]
    quick: bool,
    /// Measurements of which the median is taken.
    #[arg(long)]
    repeats: Option<usize>,
}

/// A size such as `192MiB` or `1GiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        other => return Err(format!("unknown unit {other:?}; use KiB, MiB or GiB")),
    };
    let number: f64 = digits.parse().map_err(|_| format!("not a size: {text:?}"))?;
    Ok((number * unit as f64) as u64)
}

/// The effort that the options ask for.
pub fn effort(quick: bool, repeats: Option<usize>) -> Effort {
    let base = if quick { Effort::QUICK } else { Effort::FULL };
    Effort { repeats: repeats.unwrap_or(base.repeats).max(1), ..base }
}

/// All that a comparison found.
pub struct Comparison {
    /// What was measured.
    pub subjects: Vec<Subject>,
    /// Filters that could not be built, and why.
    pub failed: Vec<(&'static Kind, String)>,
    /// Random lines in the same run, small and huge pages, in a table as large as this project's.
    pub limits: Vec<Limit>,
}

impl Comparison {
    /// Measures all filters in interleaved order.
    pub fn run(kinds: &[&'static Kind], plan: &Plan, effort: &Effort) -> Comparison {
        let keys = Keys::random(0x5EED);
        let mut found = Comparison { subjects: Vec::new(), failed: Vec::new(), limits: Vec::new() };
        for &kind in kinds {
            eprintln!("  filling {} with {} items", kind.name, plan.items);
            match Subject::new(kind, plan, keys) {
                Ok(subject) => found.subjects.push(subject),
                Err(why) => found.failed.push((kind, why)),
            }
        }
        found.fill_again(plan, effort);
        eprintln!("  checking answers");
        for subject in &mut found.subjects {
            subject.check(u64::MAX, effort.absent);
        }
        let table = found.subjects.iter().find(|s| s.kind.ours).or(found.subjects.first());
        let mib = table.map_or(1, |s| (s.at_rest >> 20).clamp(1, 2048) as usize);
        let mut probes: Vec<Probe> =
            [false, true].iter().filter_map(|&huge| Probe::new(mib, huge, effort.lookups * 2).ok()).collect();
        eprintln!("  measuring, {} rounds", effort.repeats);
        for round in 0..effort.repeats {
            for i in order(found.subjects.len(), round) {
                found.subjects[i].measure_lookups(effort, round, &SHARES);
            }
            probes.iter_mut().for_each(Probe::measure);
        }
        for round in 0..effort.repeats {
            for i in order(found.subjects.len(), round) {
                found.subjects[i].measure_removes(effort);
                found.subjects[i].measure_churn(effort);
            }
        }
        for subject in &mut found.subjects {
            if subject.kind.deletes {
                subject.check(20_000_000, 0);
            }
        }
        found.limits = probes.iter().map(Probe::result).collect();
        found
    }

    /// Repeats the fills while they are short, and fills once by many-key calls.
    fn fill_again(&mut self, plan: &Plan, effort: &Effort) {
        let longest = plan.items as f64 / 1e6 / self.subjects.iter().map(|s| s.fill.mops).fold(f64::INFINITY, f64::min);
        let rounds = ((effort.fill_seconds / longest) as usize).min(effort.repeats.saturating_sub(1));
        for round in 0..=rounds {
            for i in order(self.subjects.len(), round) {
                let subject = &mut self.subjects[i];
                if round > 0
                    && let Ok(again) = Subject::new(subject.kind, plan, subject.keys)
                {
                    subject.record_fill(again.fill, "single");
                }
                if let Err(why) = subject.measure_many_fill(plan) {
                    eprintln!("  {}: {why}", subject.kind.name);
                }
            }
        }
    }

    /// The rows of compare.csv.
    pub fn rows(&self) -> Vec<Row> {
        self.subjects.iter().map(Subject::row).collect()
    }

    /// Writes the CSV files.
    pub fn write(&self, out: &Path) -> Outcome<()> {
        std::fs::create_dir_all(out)?;
        row::write(&out.join("compare.csv"), &self.rows())?;
        let details: Vec<_> = self.subjects.iter().flat_map(|s| s.tally.details(s.kind.name, s.fill.stored)).collect();
        row::write(&out.join("details.csv"), &details)?;
        let memory: Vec<_> = self.subjects.iter().map(Subject::memory_row).collect();
        row::write(&out.join("memory.csv"), &memory)?;
        row::write(&out.join("limit.csv"), &self.limits)
    }

    /// Prints the table.
    pub fn print(&self) {
        println!(
            "{:<21} {:>11} {:>7} {:>9} {:>3} | {:>6} {:>6} | {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} | {:>6} {:>6} | {:>6} {:>6}",
            "filter",
            "items",
            "bits",
            "rate %",
            "fn",
            "insert",
            "last5%",
            "hit0",
            "hit50",
            "hit100",
            "many0",
            "many50",
            "many1",
            "remove",
            "churn",
            "m-ins",
            "m-last"
        );
        let cell = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"));
        for (row, subject) in self.rows().iter().zip(&self.subjects) {
            println!(
                "{:<21} {:>11} {:>7.2} {:>9.4} {:>3} | {:>6} {:>6} | {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} | {:>6} {:>6} | {:>6} {:>6}{}",
                row.filter,
                row.items,
                row.bits_per_item,
                row.measured_fpr * 100.0,
                row.false_negatives,
                cell(row.insert_mops),
                cell(row.insert_last5_mops),
                cell(row.hit0_mops),
                cell(row.hit50_mops),
                cell(row.hit100_mops),
                cell(row.many_hit0_mops),
                cell(row.many_hit50_mops),
                cell(row.many_hit100_mops),
                cell(row.remove_mops),
                cell(row.churn_mops),
                cell(subject.tally.median("insert", "many")),
                cell(subject.tally.median("insert_last5", "many")),
                subject.trouble(),
            );
        }
        for (kind, why) in &self.failed {
            println!("{:<21} not measured: {why}", kind.name);
        }
        limit::print(&self.limits);
        if self.subjects.iter().any(|s| s.false_negatives > 0) {
            println!("fn: stored items that were denied, of all asked (after the fill, and after removals and churn)");
        }
    }
}

impl Subject {
    /// What went wrong, for the end of a line.
    pub fn trouble(&self) -> String {
        let mut notes = String::new();
        if self.refused > 0 {
            notes += &format!("  refused the item after {}", self.fill.stored);
        }
        if self.churn_refused > 0 {
            notes += &format!("  refused {} in churn", self.churn_refused);
        }
        notes
    }
}

fn finish(found: &Comparison, out: Option<&Path>, title: &str) -> Outcome<()> {
    println!("{title}");
    found.print();
    if let Some(out) = out {
        found.write(out)?;
        let pictures = plots::comparison(found, out)?;
        report::comparison(found, title, &pictures, &Machine::here(), out)?;
        println!("written to {}", out.display());
    }
    Ok(())
}

/// The command `compare`.
pub fn run(args: &CompareArgs) -> Outcome<()> {
    let kinds = adapter::select(&args.filters)?;
    let plan = Plan::rate(args.items, args.fpr);
    let found = Comparison::run(&kinds, &plan, &effort(args.quick, args.repeats));
    let title = format!("{} items, {} % asked", args.items, args.fpr * 100.0);
    finish(&found, args.out.as_deref(), &title)
}

/// The command `speed`.
pub fn speed(args: &SpeedArgs) -> Outcome<()> {
    let kinds = adapter::select(&args.filters)?;
    let (plan, table) = match args.memory {
        Some(bytes) => {
            let buckets = bytes * 8 / u64::from(args.bits) / 4;
            let shape = Shape { fingerprint_bits: args.bits, slots: 4, buckets: buckets / 2 * 2, as_in_paper: false };
            let items = (shape.buckets as f64 * 4.0 * args.load) as u64;
            (Plan::rate(items, args.fpr).with_shape(shape), format!("{} MiB", bytes >> 20))
        }
        None => {
            let items = args.items.unwrap_or(1_000_000);
            let shape = Shape::for_load(items, args.bits, args.load);
            (Plan::rate(items, args.fpr).with_shape(shape), format!("{} buckets", shape.buckets))
        }
    };
    let found = Comparison::run(&kinds, &plan, &effort(args.quick, args.repeats));
    let title = format!(
        "{} items; this project's tables fixed: {table}, {}-bit fingerprints, 4 slots a bucket, load {}; rivals built for {} %",
        plan.items,
        args.bits,
        args.load,
        args.fpr * 100.0
    );
    finish(&found, args.out.as_deref(), &title)
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_are_read() {
        assert_eq!(super::bytes("192MiB"), Ok(192 << 20));
        assert_eq!(super::bytes("1g"), Ok(1 << 30));
        assert_eq!(super::bytes("0.5KiB"), Ok(512));
        assert!(super::bytes("x").is_err() && super::bytes("3parsecs").is_err());
    }
}
