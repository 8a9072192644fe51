//! Figure 2: bits an item against the rate, both measured.

use serde::Serialize;

use super::{Outcome, Run};
use crate::adapter::{self, Plan};
use crate::keys::Keys;
use crate::plots::{Axis, Chart, Drawing, Line, Mark, Pen, lines_by_filter, plain_pen};
use crate::report::percent;
use crate::workload::Subject;

#[derive(Serialize)]
struct RateRow {
    filter: String,
    items: u64,
    asked_percent: f64,
    measured_percent: f64,
    bits_per_item: f64,
    information_limit: f64,
}

const FILTERS: [&str; 6] =
    ["cuculus-packed", "cuculus-semi-sorted", "cuculus-compact", "fastbloom", "counting-bloom", "dleft-counting-bloom"];
const FULL: [f64; 16] =
    [0.1, 0.07, 0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4, 3e-5, 1e-5];
const QUICK: [f64; 8] = [0.1, 0.05, 0.03, 0.02, 0.01, 0.003, 0.001, 1e-4];

pub(super) fn section(run: &mut Run<'_>) -> Outcome<()> {
    run.say("figure 2: bits an item against the rate");
    let asked: &[f64] = if run.size.effort.repeats > 3 { &FULL } else { &QUICK };
    let items = run.size.rate_items;
    let mut rows: Vec<RateRow> = Vec::new();
    for name in FILTERS {
        let kind = adapter::find(name).expect("a name of the list");
        for &rate in asked {
            let mut subject = match Subject::new(kind, &Plan::rate(items, rate), Keys::random(0xF2)) {
                Ok(subject) => subject,
                Err(why) => {
                    run.page.note(&format!("{name} at {} %: {why}", percent(rate)));
                    continue;
                }
            };
            subject.check(1_000_000, run.size.effort.absent);
            let row = subject.row();
            rows.push(RateRow {
                filter: row.filter,
                items: row.items,
                asked_percent: rate * 100.0,
                measured_percent: row.measured_fpr * 100.0,
                bits_per_item: row.bits_per_item,
                information_limit: -rate.log2(),
            });
        }
    }
    draw(run, &rows, asked)?;
    claims(run, &rows);
    run.csv("rates.csv", &rows)
}

fn draw(run: &mut Run<'_>, rows: &[RateRow], asked: &[f64]) -> Outcome<()> {
    run.page.heading("Figure 2: bits an item against the rate");
    run.page.note(&format!(
        "Each filter built for {} items at a rate and filled; memory by the counting allocator, rate counted on {} absent \
         keys. In brackets the measured rate in percent.",
        run.size.rate_items, run.size.effort.absent
    ));
    let table: Vec<Vec<String>> = asked
        .iter()
        .map(|&rate| {
            let mut line = vec![format!("{} %", rate * 100.0)];
            for name in FILTERS {
                let found = rows.iter().find(|r| r.filter == name && (r.asked_percent - rate * 100.0).abs() < 1e-9);
                line.push(found.map_or("–".into(), |r| {
                    format!("{:.2} ({})", r.bits_per_item, percent(r.measured_percent / 100.0))
                }));
            }
            line.push(format!("{:.2}", -rate.log2()));
            line
        })
        .collect();
    let mut head = vec!["asked"];
    head.extend(FILTERS);
    head.push("limit");
    run.page.table(&head, &table);
    let series = FILTERS.iter().filter(|f| !f.contains("counting")).map(|f| {
        let of = rows.iter().filter(|r| r.filter == *f && r.measured_percent > 0.0);
        ((*f).to_owned(), of.map(|r| (r.measured_percent, r.bits_per_item)).collect::<Vec<_>>())
    });
    let mut lines = lines_by_filter(series);
    let curve = |extra: f64| asked.iter().map(|r| (r * 100.0, -r.log2() + extra)).collect::<Vec<_>>();
    let plain = Pen { mark: Mark::None, dash: 0, ..plain_pen(6) };
    lines.push(Line { name: "limit with deletes".into(), pen: plain, points: curve(std::f64::consts::LOG2_E) });
    lines.push(Line { name: "information limit".into(), pen: Pen { dash: 3, ..plain }, points: curve(0.0) });
    let chart = Chart {
        title: "Figure 2. Memory by rate".into(),
        x: Axis::log("measured false-positive rate, %").between(0.0007, 14.0),
        y: Axis::linear("bits an item"),
        lines,
    };
    run.draw(&Drawing::Chart(chart), "fig2-rates", "Bits an item against the measured rate; lower is better.")
}

/// Bits of a filter at a measured rate, between its neighbours.
fn bits_at(rows: &[RateRow], filter: &str, percent: f64) -> Option<f64> {
    let mut of: Vec<(f64, f64)> = rows
        .iter()
        .filter(|r| r.filter == filter && r.measured_percent > 0.0)
        .map(|r| (r.measured_percent.ln(), r.bits_per_item))
        .collect();
    of.sort_by(|a, b| a.0.total_cmp(&b.0));
    let x = percent.ln();
    let pair = of.windows(2).find(|w| w[0].0 <= x && x <= w[1].0)?;
    let share = (x - pair[0].0) / (pair[1].0 - pair[0].0).max(1e-12);
    Some(pair[0].1 + share * (pair[1].1 - pair[0].1))
}

fn claims(run: &mut Run<'_>, rows: &[RateRow]) {
    for filter in &FILTERS[..3] {
        // From the strict end upwards, in steps of a twentieth: the last rate up to which it is smaller without a break.
        let rates = (0..).map(|step| 0.01 * 1.05f64.powi(step)).take_while(|&percent| percent < 10.0);
        let both = rates.filter_map(|percent| {
            Some((percent, bits_at(rows, filter, percent)? < bits_at(rows, "fastbloom", percent)?))
        });
        let crossing = both.take_while(|&(_, smaller)| smaller).last().map_or(0.0, |(percent, _)| percent);
        let claim = match *filter {
            "cuculus-semi-sorted" => {
                "Semi-sorted cuckoo filters are smaller than Bloom filters below about 3 %".to_owned()
            }
            "cuculus-packed" => "Packed cuckoo filters are smaller than Bloom filters below about 0.5 %".to_owned(),
            other => format!("{other} is smaller than a Bloom filter below about 3 %"),
        };
        let bound = if *filter == "cuculus-packed" { 0.4 } else { 2.3 };
        run.claim(&claim, format!("smaller at every rate up to {crossing:.2} %"), crossing >= bound);
    }
    let mean = |filter: &str| {
        let ratios: Vec<f64> = rows
            .iter()
            .filter(|r| r.filter == filter && r.measured_percent <= 2.0)
            .filter_map(|r| Some(r.bits_per_item / bits_at(rows, "fastbloom", r.measured_percent)?))
            .collect();
        let (low, high) =
            (ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max));
        (!ratios.is_empty()).then_some((low, high))
    };
    for (filter, claim, from, to) in [
        ("counting-bloom", "Counting Bloom filters of 4-bit counters take 3-4 times a Bloom filter's space", 2.9, 4.15),
        ("dleft-counting-bloom", "d-left counting Bloom filters take 1.5-2 times a Bloom filter's space", 1.4, 2.1),
    ] {
        if let Some((low, high)) = mean(filter) {
            run.claim(claim, format!("{low:.2} to {high:.2} times at rates up to 2 %"), low >= from && high <= to);
        }
    }
    let kept = rows.iter().filter(|r| r.filter.starts_with("cuculus"));
    let absent = run.size.effort.absent as f64;
    let worst = kept
        .map(|r| {
            let expected = r.asked_percent / 100.0 * absent;
            ((r.measured_percent / 100.0 * absent - expected) / expected.sqrt(), r)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((sigma, row)) = worst {
        let found = format!(
            "worst: {} asked {} %, measured {:.5} % ({sigma:+.1} standard deviations)",
            row.filter, row.asked_percent, row.measured_percent
        );
        run.claim("This project's filters keep the rate asked for, at every rate of figure 2", found, sigma <= 3.1);
    }
    run.claim_small_fingerprints();
}

impl Run<'_> {
    /// The 8-bit filter that is often quoted at 1 %.
    fn claim_small_fingerprints(&mut self) {
        use adapter::Shape;
        let items = self.size.rate_items;
        let kind = adapter::find("cuculus-packed").expect("a name of the list");
        let mut measured = Vec::new();
        for bits in [8, 10] {
            let plan = Plan::rate(items, 0.01).with_shape(Shape::for_load(items, bits, 0.95));
            if let Ok(mut subject) = Subject::new(kind, &plan, Keys::random(0x84)) {
                subject.check(1, self.size.effort.absent);
                let bits = subject.filter.memory_bytes() as f64 * 8.0 / subject.fill.stored.max(1) as f64;
                measured.push((bits, subject.measured * 100.0));
            }
        }
        let [(eight, eight_rate), (ten, ten_rate)] = measured[..] else { return };
        self.claim(
            "A (2,4) filter of 8-bit fingerprints holds an item in 8.4 bits, at 3 %",
            format!("{eight:.2} bits, {eight_rate:.2} %"),
            eight < 8.5 && (2.5..3.2).contains(&eight_rate),
        );
        self.claim(
            "A (2,4) filter of 8-bit fingerprints keeps 1 %, as is sometimes quoted",
            format!("{eight_rate:.2} %; 10 bits keep {ten_rate:.2} % in {ten:.2} bits"),
            eight_rate <= 1.0,
        );
    }
}
