//! `churn`: a set that keeps changing, over many turnovers. Lookups, rate and answers along the way.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::adapter::{self, Kind, Plan, Shape};
use crate::compare::effort;
use crate::keys::Keys;
use crate::measure::{Effort, Tally, mops};
use crate::row;
use crate::workload::Subject;

/// Options of `churn`.
#[derive(Args, Debug, Clone)]
pub struct ChurnArgs {
    /// Items held.
    #[arg(long, default_value = "1000000")]
    pub items: u64,
    /// Turnovers: how often the whole set is replaced.
    #[arg(long, default_value = "4")]
    pub turnovers: u32,
    /// False-positive rate asked for.
    #[arg(long, default_value = "0.01")]
    pub fpr: f64,
    /// Fixed load for this project's filters (12-bit fingerprints, four slots); without it they size themselves.
    #[arg(long)]
    pub load: Option<f64>,
    /// Filters, or the groups all, ours, deletable.
    #[arg(long, default_value = "deletable")]
    pub filters: String,
    /// Where to write churn.csv.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Fewer lookups and absent keys.
    #[arg(long)]
    pub quick: bool,
}

/// A filter after some turnovers.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct ChurnRow {
    pub filter: String,
    pub items: u64,
    pub turnovers: u32,
    pub bits_per_item: f64,
    pub steps_mops: Option<f64>,
    pub refused: u64,
    pub false_negatives: u64,
    pub measured_fpr: f64,
    pub hit0_mops: Option<f64>,
    pub hit100_mops: Option<f64>,
    pub many_hit0_mops: Option<f64>,
    pub many_hit100_mops: Option<f64>,
}

/// Runs the turnovers and measures after each doubling of their number.
pub fn turnovers(kind: &'static Kind, plan: &Plan, count: u32, effort: &Effort) -> Result<Vec<ChurnRow>, String> {
    let mut subject = Subject::new(kind, plan, Keys::random(0xC4))?;
    let mut rows = vec![look(&mut subject, 0, None, effort)];
    let mut spent = (0usize, 0.0);
    for turn in 1..=count {
        let held = subject.stored.end - subject.stored.start;
        let mut left = held;
        while left > 0 {
            let steps = left.min(1 << 16);
            let Some((done, seconds)) = subject.turn(steps) else { return Ok(rows) };
            spent = (spent.0 + done, spent.1 + seconds);
            left -= steps;
        }
        if turn.is_power_of_two() || turn == count {
            rows.push(look(&mut subject, turn, Some(mops(spent.0, spent.1)), effort));
            spent = (0, 0.0);
        }
    }
    Ok(rows)
}

fn look(subject: &mut Subject, turnovers: u32, steps: Option<f64>, effort: &Effort) -> ChurnRow {
    subject.tally = Tally::default();
    subject.check(u64::MAX, effort.absent);
    for round in 0..effort.repeats {
        subject.measure_lookups(effort, round, &[0, 100]);
    }
    let row = subject.row();
    ChurnRow {
        filter: row.filter,
        items: row.items,
        turnovers,
        bits_per_item: row.bits_per_item,
        steps_mops: steps.map(row::round),
        refused: subject.churn_refused,
        false_negatives: row.false_negatives,
        measured_fpr: row.measured_fpr,
        hit0_mops: row.hit0_mops,
        hit100_mops: row.hit100_mops,
        many_hit0_mops: row.many_hit0_mops,
        many_hit100_mops: row.many_hit100_mops,
    }
}

/// The command.
pub fn run(args: &ChurnArgs) -> Result<(), Box<dyn std::error::Error>> {
    let effort = Effort { repeats: 3, ..effort(args.quick, None) };
    let mut plan = Plan::rate(args.items, args.fpr);
    if let Some(load) = args.load {
        plan = plan.with_shape(Shape::for_load(args.items, 12, load));
    }
    println!("{} items; steps are one removal and one insert", args.items);
    println!(
        "{:<21} {:>5} {:>6} {:>8} {:>8} {:>5} {:>9} {:>7} {:>7} {:>7} {:>7}",
        "filter", "turns", "bits", "M step/s", "refused", "fn", "rate %", "hit0", "hit100", "many0", "many100"
    );
    let cell = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"));
    let mut all = Vec::new();
    for kind in adapter::select(&args.filters)?.into_iter().filter(|k| k.deletes) {
        match turnovers(kind, &plan, args.turnovers, &effort) {
            Err(why) => println!("{:<21} not measured: {why}", kind.name),
            Ok(rows) => {
                for r in &rows {
                    println!(
                        "{:<21} {:>5} {:>6.2} {:>8} {:>8} {:>5} {:>9.4} {:>7} {:>7} {:>7} {:>7}",
                        r.filter,
                        r.turnovers,
                        r.bits_per_item,
                        cell(r.steps_mops),
                        r.refused,
                        r.false_negatives,
                        r.measured_fpr * 100.0,
                        cell(r.hit0_mops),
                        cell(r.hit100_mops),
                        cell(r.many_hit0_mops),
                        cell(r.many_hit100_mops)
                    );
                }
                all.extend(rows);
            }
        }
    }
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
        row::write(&out.join("churn.csv"), &all)?;
    }
    Ok(())
}
