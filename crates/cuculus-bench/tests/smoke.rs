//! Every benchmark once, small: it must run, deny no stored item, and write what it says.

use std::path::PathBuf;
use std::process::Command;

use cuculus_bench::adapter::{self, Plan, Shape};
use cuculus_bench::compare::Comparison;
use cuculus_bench::measure::Effort;
use cuculus_bench::paper::{Size, reproduce};

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("cuculus-bench-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn bench(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cuculus-bench")).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn every_filter_answers_rightly_and_near_its_rate() {
    let all: Vec<_> = adapter::all().iter().collect();
    let effort = Effort { absent: 200_000, ..Effort::TEST };
    for plan in [Plan::rate(20_000, 0.01), Plan::rate(20_000, 0.01).with_shape(Shape::for_load(20_000, 12, 0.9))] {
        let found = Comparison::run(&all, &plan, &effort);
        assert!(found.failed.is_empty(), "{:?}", found.failed.iter().map(|f| (f.0.name, &f.1)).collect::<Vec<_>>());
        for (row, subject) in found.rows().iter().zip(&found.subjects) {
            assert_eq!((row.false_negatives, row.items), (0, 20_000), "{}", row.filter);
            assert!(row.measured_fpr < 0.035, "{}: {}", row.filter, row.measured_fpr);
            assert!(row.bits_per_item > 6.0 && subject.peak >= subject.at_rest, "{}", row.filter);
            assert!(row.hit100_mops.is_some() && row.insert_mops.is_some());
            assert_eq!(row.remove_mops.is_some(), subject.kind.deletes, "{}", row.filter);
        }
    }
}

#[test]
fn compare_and_speed_write_their_files() {
    let dir = scratch("compare");
    let out = dir.to_str().unwrap();
    bench(&["compare", "--items", "5000", "--quick", "--filters", "ours,sbbf", "--out", out]);
    let header = std::fs::read_to_string(dir.join("compare.csv")).unwrap();
    assert!(header.starts_with(
        "filter,items,memory_bytes,bits_per_item,promised_fpr,measured_fpr,false_negatives,insert_mops,hit0_mops,\
         hit50_mops,hit100_mops,many_hit0_mops,many_hit50_mops,many_hit100_mops,remove_mops,insert_last5_mops,churn_mops\n"
    ));
    for file in
        ["report.html", "space.svg", "space.png", "space-dark.png", "lookups-many.svg", "limit.csv", "memory.csv"]
    {
        assert!(std::fs::metadata(dir.join(file)).unwrap().len() > 100, "{file}");
    }
    bench(&["speed", "--memory", "64KiB", "--quick", "--filters", "cuculus-packed,qfilter"]);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_small_commands_run() {
    let dir = scratch("small");
    let out = dir.to_str().unwrap();
    assert!(bench(&["limit", "--mib", "2", "--quick", "--out", out]).contains("huge"));
    // Not scalable_cuckoo_filter: a key whose fingerprint is zero trips an assertion in its debug build.
    let churn = ["churn", "--items", "4000", "--turnovers", "2", "--quick", "--filters", "ours,qfilter", "--out", out];
    assert!(bench(&churn).contains("cuculus-packed"));
    bench(&["growth", "--max", "10000", "--quick", "--filters", "cuculus-packed,fastbloom", "--out", out]);
    for layout in ["packed", "compact"] {
        assert!(bench(&["threads", "--mib", "1", "--layout", layout, "--quick", "--out", out]).contains("2 to 1"));
    }
    let growing = ["growing", "--items", "20000", "--quick", "--out", out];
    assert!(bench(&growing).contains("open: remove"));
    let window = ["window", "--items", "20000", "--quick", "--out", out];
    assert!(bench(&window).contains("bits an item of the window"));
    for file in ["growing.csv", "window.csv", "threads.csv", "limit.csv", "churn.csv", "growth.csv", "keys.csv"] {
        assert!(dir.join(file).exists(), "{file}");
    }
    let wrong =
        Command::new(env!("CARGO_BIN_EXE_cuculus-bench")).args(["compare", "--filters", "none"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_paper_runs_small() {
    let dir = scratch("paper");
    let claims = reproduce(Size::TEST, false, &dir).unwrap();
    assert!(claims.len() > 15, "{} claims", claims.len());
    let denied = claims.iter().find(|c| c.claim.contains("denies")).unwrap();
    assert!(denied.holds, "{}", denied.found);
    let page = std::fs::read_to_string(dir.join("paper.html")).unwrap();
    assert!(page.matches("<svg").count() >= 10 && page.ends_with("</html>\n"));
    for file in
        ["claims.csv", "table.csv", "loads.csv", "rates.csv", "sizes.csv", "fig1-loads.png", "fig6-removals.svg"]
    {
        assert!(dir.join(file).exists(), "{file}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}
