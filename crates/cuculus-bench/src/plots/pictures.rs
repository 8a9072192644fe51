//! The pictures of a comparison.

use std::path::Path;

use super::{Axis, Chart, Dots, Drawing, Line, Picture, pen, plain_pen};
use crate::adapter;
use crate::compare::Comparison;
use crate::workload::{PARTS, SHARES};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Name of a filter in pictures.
fn title(filter: &str) -> String {
    adapter::find(filter).map_or_else(|| filter.to_owned(), |k| k.title.to_owned())
}

/// Lines named after filters, in their pens; empty ones are left out.
pub fn lines_by_filter(series: impl IntoIterator<Item = (String, Vec<(f64, f64)>)>) -> Vec<Line> {
    let lines = series.into_iter().filter(|s| !s.1.is_empty());
    lines.map(|(filter, points)| Line { name: title(&filter), pen: pen(&filter), points }).collect()
}

/// Draws everything a comparison has to show.
pub fn comparison(found: &Comparison, out: &Path) -> Outcome<Vec<Picture>> {
    Ok(vec![
        space(found).save(
            "space",
            "Memory an item against the measured rate; lower and further left is better.",
            out,
        )?,
        lookups(found, "single").save(
            "lookups-single",
            "Single-call lookups by the share of keys that are present.",
            out,
        )?,
        lookups(found, "many").save("lookups-many", "Many-key lookups by the share of keys that are present.", out)?,
        updates(found).save("updates", "Inserts over the whole fill and its last twentieth, removals, churn.", out)?,
        inserts(found).save("inserts", "Insert speed as the filter fills up to the items it was built for.", out)?,
    ])
}

fn space(found: &Comparison) -> Drawing {
    let rows = found.rows();
    let measured = rows.iter().filter(|r| r.measured_fpr > 0.0);
    let lines = lines_by_filter(measured.map(|r| (r.filter.clone(), vec![(r.measured_fpr * 100.0, r.bits_per_item)])));
    let rates: Vec<f64> = rows.iter().map(|r| r.measured_fpr).filter(|&r| r > 0.0).collect();
    let low = rates.iter().copied().fold(0.01, f64::min) / 2.0;
    let high = rates.iter().copied().fold(0.01, f64::max) * 2.0;
    let curve = |extra: f64| {
        let steps = (0..=40).map(|i| low * (high / low).powf(f64::from(i) / 40.0));
        steps.map(|rate| (rate * 100.0, -rate.log2() + extra)).collect::<Vec<_>>()
    };
    let mut limit = plain_pen(6);
    limit.mark = super::Mark::None;
    limit.dash = 0;
    let mut lines = lines;
    lines.push(Line { name: "limit with deletes".into(), pen: limit, points: curve(std::f64::consts::LOG2_E) });
    lines.push(Line { name: "limit, fixed set".into(), pen: super::Pen { dash: 3, ..limit }, points: curve(0.0) });
    Drawing::Chart(Chart {
        title: "Memory and rate".into(),
        x: Axis::log("measured false-positive rate, %").between(low * 100.0, high * 100.0),
        y: Axis::linear("bits an item"),
        lines,
    })
}

fn lookups(found: &Comparison, calls: &'static str) -> Drawing {
    let series = found.subjects.iter().map(|s| {
        let speed = |share: u32| s.tally.median(&format!("hit{share}"), calls);
        let points = SHARES.iter().filter_map(|&share| Some((f64::from(share), speed(share)?))).collect();
        (s.kind.name.to_owned(), points)
    });
    let name = if calls == "many" { "Many-key lookups" } else { "Single-call lookups" };
    Drawing::Chart(Chart {
        title: name.into(),
        x: Axis::linear("keys that are present, %").between(-3.0, 103.0).at(&[0.0, 25.0, 50.0, 75.0, 100.0]),
        y: Axis::log("million lookups a second"),
        lines: lines_by_filter(series),
    })
}

fn updates(found: &Comparison) -> Drawing {
    let rows = found
        .rows()
        .into_iter()
        .map(|r| (title(&r.filter), vec![r.insert_mops, r.insert_last5_mops, r.remove_mops, r.churn_mops]));
    let names = ["inserts, whole fill", "inserts, last 5 %", "removals", "churn steps"];
    Drawing::Dots(Dots {
        title: "Updates".into(),
        x: Axis::log("million a second"),
        series: names.iter().enumerate().map(|(i, n)| ((*n).to_owned(), plain_pen(i))).collect(),
        rows: rows.collect(),
    })
}

fn inserts(found: &Comparison) -> Drawing {
    let series = found.subjects.iter().map(|s| {
        let part = 100.0 / PARTS as f64;
        let points = s.fill.parts.iter().enumerate().map(|(i, &m)| ((i as f64 + 0.5) * part, m)).collect();
        (s.kind.name.to_owned(), points)
    });
    Drawing::Chart(Chart {
        title: "Inserts as the filter fills".into(),
        x: Axis::linear("share of the items stored, %").between(0.0, 100.0),
        y: Axis::log("million inserts a second"),
        lines: lines_by_filter(series),
    })
}
