//! Figures 3 to 6: lookups by share of present keys and by load, inserts and removals by load.

use super::table::Stage;
use super::{Outcome, Run};
use crate::measure::{median, mops, order, timed};
use crate::plots::{Axis, Chart, Drawing, lines_by_filter};
use crate::report::speed;
use crate::workload::{PARTS, SHARES};

/// Measures on the filled filters and empties them.
pub(super) fn section(run: &mut Run<'_>, mut stages: Vec<Stage>) -> Outcome<()> {
    run.say("lookups by share of present keys");
    let effort = run.size.effort;
    for round in 0..effort.repeats {
        for i in order(stages.len(), round) {
            stages[i].subject.measure_lookups(&effort, round, &SHARES);
        }
    }
    figure3(run, &stages)?;
    figure4(run, &stages)?;
    figure5(run, &stages)?;
    run.say("removals by load");
    figure6(run, stages)
}

fn shares(stage: &Stage, calls: &'static str) -> Vec<(f64, f64)> {
    let speed = |share: u32| stage.subject.tally.median(&format!("hit{share}"), calls);
    SHARES.iter().filter_map(|&s| Some((f64::from(s), speed(s)?))).collect()
}

fn figure3(run: &mut Run<'_>, stages: &[Stage]) -> Outcome<()> {
    run.page.heading("Figure 3: lookups by the share of keys that are present");
    run.page.note(
        "The paper: the cuckoo filter is flat (authors' later run 24.8 M/s at every share, semi-sorted 9.4 to 10.0), Bloom \
         falls as more keys are present.",
    );
    for (calls, name, title) in
        [("single", "fig3-single", "Lookups, single calls"), ("many", "fig3-many", "Lookups, many-key calls")]
    {
        let lines = lines_by_filter(stages.iter().map(|s| (s.subject.kind.name.to_owned(), shares(s, calls))));
        let rows: Vec<Vec<String>> = stages
            .iter()
            .filter(|s| !shares(s, calls).is_empty())
            .map(|s| {
                let mut row = vec![s.subject.kind.name.to_owned()];
                row.extend(shares(s, calls).iter().map(|p| speed(Some(p.1))));
                row
            })
            .collect();
        run.page.table(&[title, "0 %", "25 %", "50 %", "75 %", "100 %"], &rows);
        let chart = Chart {
            title: format!("Figure 3. {title}"),
            x: Axis::linear("keys that are present, %").between(-3.0, 103.0).at(&[0.0, 25.0, 50.0, 75.0, 100.0]),
            y: Axis::linear("million lookups a second"),
            lines,
        };
        run.draw(&Drawing::Chart(chart), name, "Lookup speed by the share of present keys, full tables.")?;
    }
    for (filter, calls) in [
        ("cuculus-packed", "single"),
        ("cuculus-packed", "many"),
        ("cuculus-semi-sorted", "single"),
        ("cuculus-semi-sorted", "many"),
        ("cuculus-compact", "many"),
    ] {
        let Some(stage) = stages.iter().find(|s| s.subject.kind.name == filter) else { continue };
        let points: Vec<f64> = shares(stage, calls).iter().map(|p| p.1).collect();
        let (low, high) =
            (points.iter().copied().fold(f64::INFINITY, f64::min), points.iter().copied().fold(0.0, f64::max));
        let found = format!("{low:.1} to {high:.1} M/s, slowest {:.2} of fastest", low / high);
        run.claim(
            &format!("{filter}, {calls} calls: lookups are flat over the share of present keys"),
            found,
            low / high > 0.8,
        );
    }
    let of = |filter: &str, share: u32| {
        let stage = stages.iter().find(|s| s.subject.kind.name == filter)?;
        stage.subject.tally.median(&format!("hit{share}"), "single")
    };
    if let (Some(none), Some(all)) = (of("fastbloom", 0), of("fastbloom", 100)) {
        let found = format!("{none:.1} M/s with none present, {all:.1} with all");
        run.claim("Bloom lookups fall as more keys are present", found, all < none);
    }
    if let (Some(packed), Some(semi)) = (of("cuculus-packed", 50), of("cuculus-semi-sorted", 50)) {
        let found = format!("{packed:.1} against {semi:.1} M/s at 50 % present, {:.2} times", packed / semi);
        run.claim(
            "Semi-sorted lookups are at most 1.6 times slower than packed (authors' code: 2.6)",
            found,
            packed / semi <= 1.6,
        );
    }
    let rivals: Vec<(f64, &str)> = stages
        .iter()
        .filter(|s| !s.subject.kind.ours)
        .filter_map(|s| Some((of(s.subject.kind.name, 50)?, s.subject.kind.name)))
        .collect();
    if let (Some(packed), Some(best)) =
        (of("cuculus-packed", 50), rivals.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a }))
    {
        let found = format!("packed {packed:.1} M/s at 50 % present; fastest other {} {:.1}", best.1, best.0);
        run.claim(
            "The cuckoo filter has the fastest lookups of the paper's filters (single calls)",
            found,
            packed > best.0,
        );
    }
    Ok(())
}

fn figure4(run: &mut Run<'_>, stages: &[Stage]) -> Outcome<()> {
    run.page.heading("Figure 4: lookups by load");
    run.page.note("The paper: the quotient filter falls past 75 %, the others hold. Load of a Bloom filter: 95 % when it holds the items it was sized for.");
    for (present, name) in [(false, "fig4-absent"), (true, "fig4-present")] {
        let pick = |p: &(f64, f64, f64)| (p.0 * 100.0, if present { p.2 } else { p.1 });
        let lines = stages.iter().map(|s| (s.subject.kind.name.to_owned(), s.on_the_way.iter().map(pick).collect()));
        let what = if present { "present" } else { "absent" };
        let chart = Chart {
            title: format!("Figure 4. Lookups of {what} keys by load"),
            x: Axis::linear("load, %").between(0.0, 100.0),
            y: Axis::linear("million lookups a second"),
            lines: lines_by_filter(lines),
        };
        run.draw(&Drawing::Chart(chart), name, &format!("Single-call lookups of {what} keys as the table fills."))?;
    }
    let at = |filter: &str, load: f64| {
        let stage = stages.iter().find(|s| s.subject.kind.name == filter)?;
        let near = stage.on_the_way.iter().min_by(|a, b| (a.0 - load).abs().total_cmp(&(b.0 - load).abs()))?;
        Some((near.1 + near.2) / 2.0)
    };
    for (filter, claim, falls) in [
        ("qfilter", "Quotient filter lookups fall past 75 % load", true),
        ("cuculus-packed", "Cuckoo lookups (packed) hold up to full load", false),
    ] {
        if let (Some(middle), Some(full)) = (at(filter, 0.75), at(filter, 0.95)) {
            let found = format!("{middle:.1} M/s at 75 %, {full:.1} at 95 %");
            run.claim(claim, found, (full < 0.8 * middle) == falls);
        }
    }
    Ok(())
}

fn figure5(run: &mut Run<'_>, stages: &[Stage]) -> Outcome<()> {
    run.page.heading("Figure 5: inserts by load");
    run.page.note("The paper: the cuckoo filter falls as chains grow, Bloom is flat.");
    let points = |s: &Stage| {
        let full = s.subject.fill.stored as f64 / s.slots * 100.0;
        let at = |i: usize| (i as f64 + 0.5) / PARTS as f64 * full;
        s.subject.fill.parts.iter().enumerate().map(|(i, &m)| (at(i), m)).collect::<Vec<_>>()
    };
    let chart = Chart {
        title: "Figure 5. Inserts by load".into(),
        x: Axis::linear("load, %").between(0.0, 100.0),
        y: Axis::log("million inserts a second"),
        lines: lines_by_filter(stages.iter().map(|s| (s.subject.kind.name.to_owned(), points(s)))),
    };
    run.draw(&Drawing::Chart(chart), "fig5-inserts", "Single-call inserts in each twentieth of the fill.")?;
    for (filter, claim, falls) in [
        ("cuculus-packed", "Cuckoo inserts fall as the table fills", true),
        ("fastbloom", "Bloom inserts are flat", false),
    ] {
        let Some(stage) = stages.iter().find(|s| s.subject.kind.name == filter) else { continue };
        let parts = &stage.subject.fill.parts;
        if parts.len() < PARTS as usize {
            continue;
        }
        let (first, last) = (median(&parts[2..7]), median(&parts[15..]));
        let found =
            format!("{first:.1} M/s early, {last:.1} in the last quarter, {:.1} in the last twentieth", parts[19]);
        run.claim(claim, found, if falls { last < 0.7 * first } else { last > 0.6 * first });
    }
    Ok(())
}

fn figure6(run: &mut Run<'_>, stages: Vec<Stage>) -> Outcome<()> {
    let mut lines = Vec::new();
    let mut refused = Vec::new();
    for mut stage in stages {
        if !stage.subject.kind.deletes {
            continue;
        }
        let subject = &mut stage.subject;
        let total = subject.stored.end;
        let mut points = Vec::new();
        let mut buffer = Vec::new();
        let mut missing = 0;
        for part in (0..PARTS).rev() {
            let (from, to) = (total * part / PARTS, total * (part + 1) / PARTS);
            let (mut at, mut spent) = (from, 0.0);
            while at < to {
                let next = (at + 16_384).min(to);
                subject.keys.fill(at..next, &mut buffer);
                let (taken, seconds) = timed(|| subject.filter.remove_each(&buffer));
                missing += buffer.len() - taken.unwrap_or(0);
                spent += seconds;
                at = next;
            }
            let load = (from + to) as f64 / 2.0 / stage.slots * 100.0;
            points.push((load, mops((to - from) as usize, spent)));
        }
        if missing > 0 {
            refused.push(format!("{}: {missing} stored items could not be removed", subject.kind.name));
        }
        lines.push((subject.kind.name.to_owned(), points));
    }
    run.page.heading("Figure 6: removals by load");
    run.page.note(
        "The paper: cuckoo fastest, then the d-left counting Bloom filter, the quotient filter slowest and falling.",
    );
    refused.iter().for_each(|r| run.page.note(r));
    let high = |filter: &str| {
        let points = &lines.iter().find(|l| l.0 == filter)?.1;
        Some(median(&points.iter().filter(|p| p.0 >= 50.0).map(|p| p.1).collect::<Vec<_>>()))
    };
    if let (Some(cuckoo), Some(left), Some(quotient)) =
        (high("cuculus-packed"), high("dleft-counting-bloom"), high("qfilter"))
    {
        let found =
            format!("cuckoo {cuckoo:.1}, d-left {left:.1}, quotient {quotient:.1} M/s (medians over loads from 50 %)");
        run.claim(
            "Removals: cuckoo fastest, then d-left counting Bloom, quotient slowest",
            found,
            cuckoo > left && left > quotient,
        );
    }
    let chart = Chart {
        title: "Figure 6. Removals by load".into(),
        x: Axis::linear("load, %").between(0.0, 100.0),
        y: Axis::linear("million removals a second"),
        lines: lines_by_filter(lines),
    };
    run.draw(&Drawing::Chart(chart), "fig6-removals", "Single-call removals as the table empties.")
}
