//! Where this project loses, and to whom: found in the table, not chosen.

use super::Run;
use crate::adapter;
use crate::compare::Comparison;
use crate::row::Row;

/// A column in which more is better.
type Column = (&'static str, fn(&Row) -> Option<f64>);

const SPEEDS: [Column; 8] = [
    ("inserts over the whole fill", |r| r.insert_mops),
    ("inserts in the last 5 %", |r| r.insert_last5_mops),
    ("single-call lookups, absent keys", |r| r.hit0_mops),
    ("single-call lookups, half present", |r| r.hit50_mops),
    ("single-call lookups, present keys", |r| r.hit100_mops),
    ("fastest lookups of any call, half present", |r| {
        r.many_hit50_mops.into_iter().chain(r.hit50_mops).reduce(f64::max)
    }),
    ("removals", |r| r.remove_mops),
    ("churn steps", |r| r.churn_mops),
];

/// Bits above the information limit of the rate that was measured.
fn overhead(row: &Row) -> Option<f64> {
    (row.measured_fpr > 0.0).then(|| row.bits_per_item + row.measured_fpr.log2())
}

pub(super) fn section(run: &mut Run<'_>, found: &Comparison) {
    run.page.heading("Where this project loses, and to whom");
    run.page.note(
        "From the table above: every rival that beats the best of this project's layouts in a column. Inserts are single \
         calls; this project's many-key inserts are in details.csv. Filters marked with a dagger cannot remove items.",
    );
    let rows = found.rows();
    let ours = |r: &&Row| adapter::find(&r.filter).is_some_and(|k| k.ours);
    let name = |r: &Row| {
        let deletes = adapter::find(&r.filter).is_some_and(|k| k.deletes);
        if deletes { r.filter.clone() } else { format!("{}†", r.filter) }
    };
    let mut table = Vec::new();
    let mut beaten_by_deletable = Vec::new();
    let mut judge = |what: &str, value: &dyn Fn(&Row) -> Option<f64>, more: bool, unit: &str| {
        let better = |a: f64, b: f64| if more { a > b } else { a < b };
        let pick = |rows: &[&Row]| {
            let scored = rows.iter().filter_map(|r| Some((value(r)?, r.filter.clone())));
            scored.reduce(|a, b| if better(b.0, a.0) { b } else { a })
        };
        let Some((best, layout)) = pick(&rows.iter().filter(ours).collect::<Vec<_>>()) else { return };
        let mut winners: Vec<(f64, &Row)> = rows
            .iter()
            .filter(|r| !ours(r))
            .filter_map(|r| Some((value(r)?, r)))
            .filter(|w| better(w.0, best))
            .collect();
        winners.sort_by(|a, b| if more { b.0.total_cmp(&a.0) } else { a.0.total_cmp(&b.0) });
        if winners.iter().any(|w| adapter::find(&w.1.filter).is_some_and(|k| k.deletes)) {
            beaten_by_deletable.push(what.to_owned());
        }
        let text: Vec<String> = winners.iter().map(|w| format!("{} {:.2}", name(w.1), w.0)).collect();
        let text = if text.is_empty() { "nobody".to_owned() } else { text.join(", ") };
        table.push(vec![what.to_owned(), format!("{layout} {best:.2} {unit}"), text]);
    };
    for (what, value) in SPEEDS {
        judge(what, &value, true, "M/s");
    }
    judge("bits above log2(1 / measured rate)", &overhead, false, "bits");
    run.page.table(&["what", "best here", "beaten by"], &table);
    let text = if beaten_by_deletable.is_empty() {
        "in none".to_owned()
    } else {
        format!("loses: {}", beaten_by_deletable.join("; "))
    };
    let holds = beaten_by_deletable.is_empty();
    run.claim("No rival that can remove items beats this project's best layout in any column", text, holds);
}
