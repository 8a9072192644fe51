//! `growth`: what an operation costs as the set grows, and what kinds of keys do to it.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::adapter::{self, Kind, Plan};
use crate::compare::effort;
use crate::keys::{Dice, KeyKind, Keys};
use crate::measure::{Effort, mops, order, timed};
use crate::row::{self, round};
use crate::workload::{ABSENT, Subject};

/// Options of `growth`.
#[derive(Args, Debug, Clone)]
pub struct GrowthArgs {
    /// Largest number of items; smaller ones go down by tens to 10,000.
    #[arg(long, default_value = "10000000")]
    pub max: u64,
    /// False-positive rate asked for.
    #[arg(long, default_value = "0.01")]
    pub fpr: f64,
    /// Filters, or the groups all, ours, deletable.
    #[arg(long, default_value = "all")]
    pub filters: String,
    /// Directory for growth.csv and keys.csv.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Fewer repeats.
    #[arg(long)]
    pub quick: bool,
}

/// Speeds at one size.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct GrowthRow {
    pub filter: String,
    pub items: u64,
    pub bits_per_item: f64,
    pub insert_mops: Option<f64>,
    pub hit0_mops: Option<f64>,
    pub hit100_mops: Option<f64>,
    pub many_hit0_mops: Option<f64>,
    pub many_hit100_mops: Option<f64>,
}

/// Measures at each size, interleaved.
pub fn growth(kinds: &[&'static Kind], sizes: &[u64], rate: f64, effort: &Effort) -> Vec<GrowthRow> {
    let mut rows = Vec::new();
    for &items in sizes {
        let plan = Plan::rate(items, rate);
        let mut subjects: Vec<Subject> =
            kinds.iter().filter_map(|k| Subject::new(k, &plan, Keys::random(0x60)).ok()).collect();
        for round in 0..effort.repeats {
            for i in order(subjects.len(), round) {
                subjects[i].measure_lookups(effort, round, &[0, 100]);
            }
        }
        rows.extend(subjects.iter().map(|s| {
            let row = s.row();
            GrowthRow {
                filter: row.filter,
                items,
                bits_per_item: row.bits_per_item,
                insert_mops: row.insert_mops,
                hit0_mops: row.hit0_mops,
                hit100_mops: row.hit100_mops,
                many_hit0_mops: row.many_hit0_mops,
                many_hit100_mops: row.many_hit100_mops,
            }
        }));
    }
    rows
}

/// What one kind of key does to a filter.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct KeyRow {
    pub filter: String,
    pub keys: &'static str,
    pub items: u64,
    pub insert_mops: f64,
    pub hit0_mops: f64,
    pub hit100_mops: f64,
    pub false_negatives: u64,
    pub measured_fpr: f64,
}

/// Random, sequential and text keys.
pub fn key_kinds(kinds: &[&'static Kind], items: u64, rate: f64, effort: &Effort) -> Vec<KeyRow> {
    let mut rows = Vec::new();
    for &kind in kinds {
        for (keys, name) in [(KeyKind::Random, "random"), (KeyKind::Sequential, "sequential"), (KeyKind::Text, "text")]
        {
            let plan = Plan::rate(items, rate);
            let stream = Keys::of_kind(keys, 0x4B);
            let row = if keys == KeyKind::Text {
                text_row(kind, &plan, &stream, effort)
            } else {
                integer_row(kind, &plan, stream, name, effort)
            };
            rows.extend(row.ok());
        }
    }
    rows
}

fn integer_row(
    kind: &'static Kind,
    plan: &Plan,
    keys: Keys,
    name: &'static str,
    effort: &Effort,
) -> Result<KeyRow, String> {
    let mut subject = Subject::new(kind, plan, keys)?;
    subject.check(u64::MAX, effort.absent);
    for round in 0..effort.repeats {
        subject.measure_lookups(effort, round, &[0, 100]);
    }
    let row = subject.row();
    Ok(KeyRow {
        filter: row.filter,
        keys: name,
        items: row.items,
        insert_mops: row.insert_mops.unwrap_or(0.0),
        hit0_mops: row.hit0_mops.unwrap_or(0.0),
        hit100_mops: row.hit100_mops.unwrap_or(0.0),
        false_negatives: row.false_negatives,
        measured_fpr: row.measured_fpr,
    })
}

fn text_row(kind: &'static Kind, plan: &Plan, keys: &Keys, effort: &Effort) -> Result<KeyRow, String> {
    let mut filter = (kind.build)(plan)?;
    let (mut put, mut seconds) = (0, 0.0);
    let mut at = 0;
    while at < plan.items {
        let next = (at + (1 << 14)).min(plan.items);
        let texts: Vec<String> = (at..next).map(|i| keys.text(i)).collect();
        let (stored, time) = timed(|| filter.insert_text(&texts));
        put += stored as u64;
        seconds += time;
        at = next;
    }
    let ((), sealing) = timed(|| {
        filter.seal();
    });
    let mut dice = Dice::new(9);
    let count = effort.lookups.min(1 << 16);
    let present: Vec<String> = (0..count).map(|_| keys.text(dice.below(plan.items))).collect();
    let (hits, hit_time) = timed(|| filter.contains_text(&present));
    let (mut wrong, mut absent_time, mut asked) = (0, 0.0, 0u64);
    while asked < effort.absent / 10 {
        let absent: Vec<String> = (0..count as u64).map(|i| keys.text(ABSENT + asked + i)).collect();
        let (hits, time) = timed(|| filter.contains_text(&absent));
        wrong += hits;
        absent_time += time;
        asked += count as u64;
    }
    Ok(KeyRow {
        filter: kind.name.to_owned(),
        keys: "text",
        items: put,
        insert_mops: round(mops(put as usize, seconds + sealing)),
        hit0_mops: round(mops(asked as usize, absent_time)),
        hit100_mops: round(mops(count, hit_time)),
        false_negatives: (count - hits) as u64,
        measured_fpr: wrong as f64 / asked.max(1) as f64,
    })
}

/// Sizes from 10,000 up to `max` by tens.
pub fn sizes(max: u64) -> Vec<u64> {
    std::iter::successors(Some(10_000u64), |n| n.checked_mul(10)).take_while(|&n| n <= max.max(10_000)).collect()
}

/// Writes both CSV files.
pub fn write(out: &Path, growth: &[GrowthRow], keys: &[KeyRow]) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(out)?;
    row::write(&out.join("growth.csv"), growth)?;
    row::write(&out.join("keys.csv"), keys)
}

/// The command.
pub fn run(args: &GrowthArgs) -> Result<(), Box<dyn std::error::Error>> {
    let kinds = adapter::select(&args.filters)?;
    let effort = Effort { repeats: 3, ..effort(args.quick, None) };
    let rows = growth(&kinds, &sizes(args.max), args.fpr, &effort);
    let cell = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"));
    println!(
        "{:<21} {:>11} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "filter", "items", "bits", "insert", "hit0", "hit100", "many0", "many100"
    );
    for r in &rows {
        println!(
            "{:<21} {:>11} {:>6.2} {:>7} {:>7} {:>7} {:>7} {:>7}",
            r.filter,
            r.items,
            r.bits_per_item,
            cell(r.insert_mops),
            cell(r.hit0_mops),
            cell(r.hit100_mops),
            cell(r.many_hit0_mops),
            cell(r.many_hit100_mops)
        );
    }
    let items = 1_000_000.min(args.max);
    let keys = key_kinds(&kinds, items, args.fpr, &effort);
    println!(
        "\n{:<21} {:>11} {:>7} {:>7} {:>7} {:>4} {:>9}",
        "filter", "keys", "insert", "hit0", "hit100", "fn", "rate %"
    );
    for r in &keys {
        println!(
            "{:<21} {:>11} {:>7.2} {:>7.2} {:>7.2} {:>4} {:>9.4}",
            r.filter,
            r.keys,
            r.insert_mops,
            r.hit0_mops,
            r.hit100_mops,
            r.false_negatives,
            r.measured_fpr * 100.0
        );
    }
    if let Some(out) = &args.out {
        write(out, &rows, &keys)?;
    }
    Ok(())
}
