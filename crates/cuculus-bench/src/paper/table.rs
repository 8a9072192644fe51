//! The paper's table: filters of 192 MB filled to what they hold.

use serde::Serialize;

use super::numbers::{RERUN, TABLE};
use super::{Outcome, Run};
use crate::adapter::{self, Kind, Plan, Shape};
use crate::keys::Keys;
use crate::report::{percent, speed};
use crate::row::round;
use crate::workload::{ABSENT, PARTS, Subject};

/// A filled filter with the lookups that were measured on the way.
pub(super) struct Stage {
    pub subject: Subject,
    /// Load, absent-key and present-key lookups.
    pub on_the_way: Vec<(f64, f64, f64)>,
    /// Items at load one.
    pub slots: f64,
}

#[derive(Serialize)]
struct TableRow {
    filter: String,
    memory_mib: f64,
    items_million: f64,
    bits_per_item: f64,
    measured_percent: f64,
    build_mops: f64,
    paper_items_million: Option<f64>,
    paper_bits_per_item: Option<f64>,
    paper_percent: Option<f64>,
    paper_build_mops: Option<f64>,
}

/// What each filter is asked for: the kind, the plan, and how many items would be a load of one.
fn plans(log: u32) -> Vec<(&'static Kind, Plan, f64)> {
    let buckets = 1u64 << log;
    let bytes = buckets * 48 / 8;
    let slots = (buckets * 4) as f64;
    // 127.9 and 128.05 million in the paper's 2^27 slots.
    let scale = slots / f64::from(1 << 27);
    let shape = Shape { fingerprint_bits: 12, slots: 4, buckets, as_in_paper: false };
    let fixed = |millions: f64| Plan::rate((millions * 1e6 * scale) as u64, 0.0019).with_shape(shape);
    let bloom = Plan::rate((123.89e6 * scale) as u64, 0.0019).with_memory(bytes);
    let quotient = Plan::rate((0.949 * slots) as u64, 0.002);
    // As many as four buckets of six of eight cells hold, 12 bits of remainder.
    let left = Plan::rate((bytes as f64 * 8.0 / 14.0 * 0.75) as u64, 0.0076).with_memory(bytes);
    let find = |name: &str| adapter::find(name).expect("a name of the list");
    vec![
        (find("cuculus-packed"), fixed(127.9), slots),
        (find("cuculus-semi-sorted"), fixed(128.05), slots),
        (find("cuculus-compact"), fixed(127.9), slots),
        (find("fastbloom"), bloom, bloom.items as f64 / 0.95),
        (find("sbbf"), bloom, bloom.items as f64 / 0.95),
        (find("qfilter"), quotient, slots),
        (find("dleft-counting-bloom"), left, left.items as f64 / 0.75),
    ]
}

/// Fills every filter of the table, with lookups on the way.
pub(super) fn section(run: &mut Run<'_>) -> Outcome<Vec<Stage>> {
    let effort = run.size.effort;
    let mib = (1u64 << run.size.table_log) * 6 / 1_048_576;
    let keys = Keys::random(0x192);
    let mut stages: Vec<Stage> = Vec::new();
    for (kind, plan, slots) in plans(run.size.table_log) {
        run.say(&format!("table of {mib} MiB: {} with {} items", kind.name, plan.items));
        let mut on_the_way = Vec::new();
        let queries = (effort.lookups / 2).max(1);
        let looked = Subject::staged(kind, &plan, keys, &mut |filter, part, stored| {
            let due = part % 2 == 1 || part + 3 >= PARTS;
            if due {
                let ask = |share| {
                    let asked = crate::keys::queries(&keys, 0..stored, ABSENT + (1 << 41), share, queries, part);
                    let (_, seconds) = crate::measure::timed(|| filter.contains_each(&asked));
                    crate::measure::mops(queries, seconds)
                };
                on_the_way.push((stored as f64 / slots, ask(0), ask(100)));
            }
        });
        match looked {
            Err(why) => run.page.note(&format!("{} was not measured: {why}", kind.name)),
            Ok(mut subject) => {
                subject.check(u64::MAX, effort.absent);
                stages.push(Stage { subject, on_the_way, slots });
            }
        }
    }
    report(run, &stages, mib)?;
    best_of_ours(run)?;
    Ok(stages)
}

fn report(run: &mut Run<'_>, stages: &[Stage], mib: u64) -> Outcome<()> {
    run.page.heading(&format!("Table: filters of {mib} MiB (paper: 192 MB)"));
    run.page.note(
        "Packed: 12-bit fingerprints, four slots; semi-sorted: 13-bit fingerprints in the same bytes; compact: the same slots \
         in lines. Bloom filters get the paper's bits an item. The quotient filter (qfilter) fills to 95 % of a power of \
         two; classical ones stop at 75 %, a row of its own. In brackets the paper's own numbers.",
    );
    let mut rows = Vec::new();
    let mut files = Vec::new();
    let scale = 2f64.powi(25 - run.size.table_log as i32);
    for stage in stages {
        let row = stage.subject.row();
        let paper = TABLE.iter().find(|c| c.filter == row.filter);
        let millions = row.items as f64 / 1e6 * scale;
        let beside = |here: String, theirs: Option<String>| theirs.map_or(here.clone(), |t| format!("{here} ({t})"));
        rows.push(vec![
            row.filter.clone(),
            format!("{:.1}", row.memory_bytes as f64 / 1_048_576.0),
            beside(format!("{millions:.2}"), paper.map(|p| format!("{:.2}", p.items_million))),
            beside(format!("{:.2}", row.bits_per_item), paper.map(|p| format!("{:.2}", p.bits))),
            beside(percent(row.measured_fpr), paper.map(|p| format!("{:.2}", p.rate_percent))),
            beside(speed(row.insert_mops), paper.map(|p| format!("{:.2}", p.build_mops))),
            row.false_negatives.to_string(),
        ]);
        files.push(TableRow {
            filter: row.filter.clone(),
            memory_mib: row.memory_bytes as f64 / 1_048_576.0,
            items_million: millions,
            bits_per_item: row.bits_per_item,
            measured_percent: row.measured_fpr * 100.0,
            build_mops: row.insert_mops.unwrap_or(0.0),
            paper_items_million: paper.map(|p| p.items_million),
            paper_bits_per_item: paper.map(|p| p.bits),
            paper_percent: paper.map(|p| p.rate_percent),
            paper_build_mops: paper.map(|p| p.build_mops),
        });
        if row.filter == "qfilter" {
            let (bits, items) = (row.memory_bytes as f64 * 8.0 / (0.75 * stage.slots), 0.75 * stage.slots);
            rows.push(vec![
                "quotient at 75 % load".into(),
                format!("{:.1}", row.memory_bytes as f64 / 1_048_576.0),
                format!("{:.2} (80.53)", items / 1e6 * scale),
                format!("{bits:.2} (20.00)"),
                "–".into(),
                "–".into(),
                "–".into(),
            ]);
        }
    }
    let head =
        ["filter", "MiB", "items, million of 192 MiB", "bits/item", "rate measured, %", "build, M keys/s", "denied"];
    run.page.table(&head, &rows);
    let note = RERUN.map(|r| format!("{} million, {} bits, {} %, {} M keys/s", r[0], r[1], r[2], r[3]));
    run.page.note(&format!("The authors' later run: cuckoo {}; semi-sorted {}.", note[0], note[1]));
    run.csv("table.csv", &files)?;
    for (filter, bits, rate) in [("cuculus-packed", 12.60, 0.19), ("cuculus-semi-sorted", 12.58, 0.09)] {
        let Some(stage) = stages.iter().find(|s| s.subject.kind.name == filter) else { continue };
        let row = stage.subject.row();
        let two = |x: f64| (x * 100.0).round() / 100.0;
        // The table itself, so that a small quick one is not judged by fixed working memory.
        let here = stage.subject.filter.memory_bytes() as f64 * 8.0 / row.items.max(1) as f64;
        let holds = two(here) <= bits && two(row.measured_fpr * 100.0) <= rate && stage.subject.refused == 0;
        let found = format!("{here:.3} bits, {} %, {} items refused", percent(row.measured_fpr), stage.subject.refused);
        run.claim(&format!("{filter}, filled as in the paper: at most {bits:.2} bits and {rate} %"), found, holds);
    }
    let denied: u64 = stages.iter().map(|s| s.subject.false_negatives).sum();
    let asked: u64 = stages.iter().map(|s| s.subject.asked).sum();
    run.claim("No filter denies a stored item", format!("{denied} denied of {asked} asked"), denied == 0);
    Ok(())
}

/// The same memory, left to the builder of each layout.
fn best_of_ours(run: &mut Run<'_>) -> Outcome<()> {
    use cuculus::{CuckooFilter, Layout};
    let bytes = (1u64 << run.size.table_log) * 6;
    run.say("the same memory, left to the builder");
    let mut rows = Vec::new();
    for (layout, name) in [
        (Layout::Packed, "cuculus-packed"),
        (Layout::SemiSorted, "cuculus-semi-sorted"),
        (Layout::Compact, "cuculus-compact"),
    ] {
        for rate in [0.0019, 0.0009] {
            let built = CuckooFilter::builder().memory(bytes).false_positive_rate(rate).layout(layout).build();
            let mut filter = match built {
                Ok(filter) => filter,
                Err(why) => {
                    run.page.note(&format!("{name}: {why}"));
                    continue;
                }
            };
            let keys = Keys::random(0xBE57);
            let mut buffer = Vec::new();
            let (mut at, goal) = (0, filter.capacity());
            while at < goal {
                let next = (at + 16_384).min(goal);
                keys.fill(at..next, &mut buffer);
                if filter.insert_many(&buffer).is_err() {
                    break;
                }
                at = next;
            }
            let (mut wrong, mut asked) = (0usize, 0u64);
            while asked < run.size.effort.absent {
                keys.fill(ABSENT + asked..ABSENT + asked + 16_384, &mut buffer);
                wrong += filter.contains_many(&buffer).into_iter().filter(|&hit| hit).count();
                asked += 16_384;
            }
            rows.push(vec![
                name.to_owned(),
                percent(rate),
                filter.len().to_string(),
                round(filter.table_bytes() as f64 * 8.0 / filter.len().max(1) as f64).to_string(),
                percent(wrong as f64 / asked as f64),
                format!("{:.4}", filter.load_factor()),
            ]);
        }
    }
    run.page.note("The same memory left to the builder, for the paper's two rates:");
    run.page.table(&["layout", "asked %", "items stored", "bits/item", "measured %", "load"], &rows);
    Ok(())
}
