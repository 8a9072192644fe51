//! Sets that keep changing, sets that grow, and kinds of keys.

use super::{Outcome, Run};
use crate::adapter::{self, Plan};
use crate::churn::{ChurnRow, turnovers};
use crate::growth;
use crate::measure::Effort;
use crate::plots::{Axis, Chart, Drawing, lines_by_filter};
use crate::report::{percent, speed};

pub(super) fn section(run: &mut Run<'_>) -> Outcome<()> {
    churned(run)?;
    grown(run)
}

fn churned(run: &mut Run<'_>) -> Outcome<()> {
    let effort = Effort { repeats: run.size.effort.repeats.min(3), ..run.size.effort };
    let items = run.size.compare_items;
    run.page.heading(&format!("A set that keeps changing: {items} items, 1 % asked"));
    let mut rows: Vec<ChurnRow> = Vec::new();
    for kind in adapter::all().iter().filter(|k| k.deletes) {
        run.say(&format!("churn: {}", kind.name));
        match turnovers(kind, &Plan::rate(items, 0.01), run.size.turnovers, &effort) {
            Ok(found) => rows.extend(found),
            Err(why) => run.page.note(&format!("{} was not measured: {why}", kind.name)),
        }
    }
    let table: Vec<Vec<String>> = rows
        .iter()
        .map(|r| {
            vec![
                r.filter.clone(),
                r.turnovers.to_string(),
                speed(r.steps_mops),
                r.refused.to_string(),
                r.false_negatives.to_string(),
                percent(r.measured_fpr),
                speed(r.hit0_mops),
                speed(r.hit100_mops),
                speed(r.many_hit0_mops),
                speed(r.many_hit100_mops),
            ]
        })
        .collect();
    let head = [
        "filter",
        "turnovers",
        "M steps/s",
        "refused",
        "denied",
        "rate %",
        "absent",
        "present",
        "many absent",
        "many present",
    ];
    run.page.table(&head, &table);
    let ours: Vec<&ChurnRow> = rows.iter().filter(|r| r.filter.starts_with("cuculus")).collect();
    let (refused, denied): (u64, u64) =
        ours.iter().fold((0, 0), |sum, r| (sum.0 + r.refused, sum.1 + r.false_negatives));
    let worst = ours.iter().map(|r| r.measured_fpr).fold(0.0, f64::max);
    run.claim(
        "After turnovers of the whole set this project refuses nothing, denies nothing and keeps its rate",
        format!("{refused} refused, {denied} denied, worst rate {} % of 1 % asked", percent(worst)),
        refused == 0 && denied == 0 && worst <= 0.01 + 3.29 * (0.01 / effort.absent as f64).sqrt(),
    );
    run.csv("churn.csv", &rows)
}

fn grown(run: &mut Run<'_>) -> Outcome<()> {
    let effort = Effort { repeats: run.size.effort.repeats.min(3), ..run.size.effort };
    let all: Vec<_> = adapter::all().iter().collect();
    run.say("cost as the set grows");
    let rows = growth::growth(&all, &growth::sizes(run.size.growth_to), 0.01, &effort);
    run.page.heading("Cost as the set grows");
    for (name, title, value) in [
        (
            "growth-absent",
            "Single-call lookups of absent keys",
            (|r| r.hit0_mops) as fn(&growth::GrowthRow) -> Option<f64>,
        ),
        ("growth-insert", "Single-call inserts, whole fill", |r| r.insert_mops),
    ] {
        let series = all.iter().map(|k| {
            let of = rows.iter().filter(|r| r.filter == k.name);
            (k.name.to_owned(), of.filter_map(|r| Some((r.items as f64, value(r)?))).collect())
        });
        let ticks: Vec<f64> = growth::sizes(run.size.growth_to).iter().map(|&n| n as f64).collect();
        let chart = Chart {
            title: title.into(),
            x: Axis::log("items").at(&ticks),
            y: Axis::log("million a second"),
            lines: lines_by_filter(series),
        };
        run.draw(&Drawing::Chart(chart), name, &format!("{title} by the number of items, 1 % asked."))?;
    }
    run.say("kinds of keys");
    let items = run.size.growth_to.min(1_000_000);
    let keys = growth::key_kinds(&all, items, 0.01, &effort);
    run.page.heading(&format!("Kinds of keys: {items} items, 1 % asked"));
    let table: Vec<Vec<String>> = keys
        .iter()
        .map(|r| {
            vec![
                r.filter.clone(),
                r.keys.to_owned(),
                speed(Some(r.insert_mops)),
                speed(Some(r.hit0_mops)),
                speed(Some(r.hit100_mops)),
                r.false_negatives.to_string(),
                percent(r.measured_fpr),
            ]
        })
        .collect();
    run.page.table(&["filter", "keys", "insert", "absent", "present", "denied", "rate %"], &table);
    growth::write(run.out, &rows, &keys)
}
