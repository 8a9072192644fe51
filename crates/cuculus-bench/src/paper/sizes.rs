//! Bits an item at four rates and four set sizes, for every filter: here the powers of two show.

use serde::Serialize;

use super::{Outcome, Run};
use crate::adapter::{self, Kind, Plan};
use crate::keys::Keys;
use crate::meter::PeakWatch;
use crate::report::percent;
use crate::row::round;
use crate::workload::Subject;

const RATES: [f64; 4] = [0.03, 0.01, 0.001, 0.0001];
const ITEMS: [u64; 4] = [1_000_000, 1_100_000, 10_000_000, 100_000_000];

#[derive(Serialize)]
struct SizeRow {
    filter: String,
    items: u64,
    asked_percent: f64,
    bits_per_item: Option<f64>,
    measured_percent: Option<f64>,
    filled: bool,
    note: String,
}

/// Bytes that building takes, without filling.
fn allocated(kind: &Kind, plan: &Plan) -> Result<f64, String> {
    let watch = PeakWatch::start();
    let filter = (kind.build)(plan)?;
    let now = watch.now();
    let bytes = if filter.memory_bytes() > 2 * now { now + filter.memory_bytes() } else { now };
    Ok(bytes as f64 * 8.0 / plan.items as f64)
}

fn size(run: &Run<'_>, kind: &'static Kind, items: u64, rate: f64) -> SizeRow {
    let plan = Plan::rate(items, rate);
    let mut row = SizeRow {
        filter: kind.name.to_owned(),
        items,
        asked_percent: rate * 100.0,
        bits_per_item: None,
        measured_percent: None,
        filled: items <= run.size.filled_up_to,
        note: String::new(),
    };
    if !row.filled {
        if kind.fixed {
            row.note = "needs its items to be built".into();
            return row;
        }
        match allocated(kind, &plan) {
            Ok(bits) => row.bits_per_item = Some(round(bits)),
            Err(why) => row.note = why,
        }
        return row;
    }
    match Subject::new(kind, &plan, Keys::random(0x517E)) {
        Err(why) => row.note = why,
        Ok(mut subject) => {
            if items == ITEMS[0] {
                subject.check(1, run.size.effort.absent);
                row.measured_percent = Some(subject.measured * 100.0);
            }
            row.bits_per_item = Some(subject.row().bits_per_item);
            row.note = subject.trouble().trim().to_owned();
        }
    }
    row
}

pub(super) fn section(run: &mut Run<'_>) -> Outcome<()> {
    run.page.heading("Bits an item at 3, 1, 0.1 and 0.01 %");
    run.page.note(&format!(
        "Memory counted by the allocator. Sizes up to {} items are filled; larger ones, marked *, are allocated and not \
         filled. In brackets the rate measured on {} absent keys (at 1,000,000 items): some filters take another rate than \
         asked.",
        run.size.filled_up_to, run.size.effort.absent
    ));
    let mut all = Vec::new();
    for rate in RATES {
        run.say(&format!("bits an item at {} %", rate * 100.0));
        let mut table = Vec::new();
        for kind in adapter::all() {
            let mut line = vec![kind.name.to_owned()];
            for items in ITEMS {
                let row = size(run, kind, items, rate);
                let mark = if row.filled { "" } else { "*" };
                let measured = row.measured_percent.map_or(String::new(), |m| format!(" ({})", percent(m / 100.0)));
                let trouble = if row.note.is_empty() || row.bits_per_item.is_none() { "" } else { " !" };
                line.push(row.bits_per_item.map_or("–".into(), |b| format!("{b:.2}{mark}{measured}{trouble}")));
                all.push(row);
            }
            table.push(line);
        }
        let names = ITEMS
            .map(|n| if n >= 10_000_000 { format!("{} M", n / 1_000_000) } else { format!("{:.1} M", n as f64 / 1e6) });
        let head: Vec<String> = std::iter::once(format!(
            "{} % (limit with deletes {:.2})",
            rate * 100.0,
            -rate.log2() + std::f64::consts::LOG2_E
        ))
        .chain(names)
        .collect();
        run.page.table(&head.iter().map(String::as_str).collect::<Vec<_>>(), &table);
    }
    if all.iter().any(|r| r.bits_per_item.is_some() && !r.note.is_empty()) {
        run.page.note("!: the filter refused items before it held the number asked for; see sizes.csv.");
    }
    claims(run, &all);
    run.csv("sizes.csv", &all)
}

fn claims(run: &mut Run<'_>, rows: &[SizeRow]) {
    let bits = |filter: &str, items: u64, rate: f64| {
        let found = rows
            .iter()
            .find(|r| r.filter == filter && r.items == items && (r.asked_percent - rate * 100.0).abs() < 1e-9);
        found.and_then(|r| r.bits_per_item)
    };
    let best = |items: u64, rate: f64| {
        let ours = adapter::all().iter().filter(|k| k.ours).filter_map(|k| Some((bits(k.name, items, rate)?, k.name)));
        ours.reduce(|a, b| if b.0 < a.0 { b } else { a })
    };
    for (rate, target) in RATES.iter().zip([7.6, 9.3, 12.7, 16.2]) {
        let found: Vec<(u64, f64, &str)> =
            ITEMS.iter().filter_map(|&n| best(n, *rate).map(|b| (n, b.0, b.1))).collect();
        let text: Vec<String> = found.iter().map(|f| format!("{:.2} ({}) at {}", f.1, f.2, f.0)).collect();
        let holds = !found.is_empty() && found.iter().all(|f| f.1 <= target);
        run.claim(
            &format!("This project holds an item in at most {target} bits at {} %", rate * 100.0),
            text.join(", "),
            holds,
        );
    }
    let ratio = |filter: &str| Some(bits(filter, ITEMS[1], 0.01)? / bits(filter, ITEMS[0], 0.01)?);
    if let Some(ours) = ratio("cuculus-packed") {
        let theirs: Vec<String> = ["cuckoofilter", "scalable-cuckoo", "autoscale-cuckoo", "atomic-cuckoo"]
            .iter()
            .filter_map(|f| Some(format!("{f} {:.2}", ratio(f)?)))
            .collect();
        run.claim(
            "Memory follows the items: 1.1 million take no more bits an item than 1.0 million",
            format!("packed {ours:.2} times; rivals, by powers of two: {}", theirs.join(", ")),
            ours < 1.05,
        );
    }
}
