//! Arguments meant to break something: a clear message with the argument, its value and the bound, code 2, at once.

use crate::common::Sandbox;
use std::time::{Duration, Instant};

const NUMBERS: [&str; 12] =
    ["", "-1", "9223372036854775808", "18446744073709551616", "1e400", "abc", "nan", "inf", "1.5", "0x10", "-", "1e15"];

/// BR-040, BR-042: numbers of items.
#[test]
fn items() {
    let sandbox = Sandbox::new();
    for value in NUMBERS {
        let commands: [&[&str]; 3] = [&["build", "-o", "f"], &["dedup"], &["plan"]];
        for command in commands {
            let started = Instant::now();
            let ran = sandbox.run(&[command, &["--items", value]].concat());
            ran.fails(&["--items", &format!("'{value}'"), "0 to 281474976710656"]);
            assert!(started.elapsed() < Duration::from_secs(2));
        }
    }
    // No items are fine.
    sandbox.run(&["build", "-o", "f", "--items", "0"]).exits(0);
    sandbox.run(&["plan", "--items", "0"]).exits(0);
    sandbox.run_with(&["dedup", "--items", "0"], b"a\n").exits(0);
}

/// BR-042: as many items as can be named, but not stored here: an error, and nothing is created.
#[cfg(target_os = "linux")]
#[test]
fn more_items_than_memory() {
    let sandbox = Sandbox::new();
    for (command, items) in [
        ("build -o f", "1e11"),
        ("build -o f", "1e14"),
        ("build -o f", "281474976710656"),
        ("dedup", "1e11"),
        ("dedup", "1e13"),
    ] {
        let line = format!("ulimit -v 1048576; cuculus {command} --items {items} --fpr 1% < /dev/null");
        sandbox.shell(&line).fails(&["bytes"]);
    }
    sandbox.shell("ulimit -v 1048576; cuculus build -o f --memory 8EB --fpr 1% < /dev/null").fails(&["bytes"]);
    assert!(sandbox.names().is_empty());
}

/// BR-040: rates.
#[test]
fn rates() {
    let sandbox = Sandbox::new();
    for value in ["", "0", "1", "-0.1", "nan", "inf", "2", "100%", "0%", "abc", "1e400", "1e-400", "%"] {
        let commands: [&[&str]; 3] = [&["build", "-o", "f"], &["dedup"], &["plan"]];
        for command in commands {
            let ran = sandbox.run(&[command, &["--fpr", value]].concat());
            ran.fails(&["--fpr", &format!("'{value}'"), "more than 0 and less than 1"]);
        }
    }
    // A rate that no fingerprint reaches.
    sandbox.run(&["build", "-o", "f", "--fpr", "1e-300"]).fails(&["at most 32 bits"]);
    sandbox.run(&["plan", "--fpr", "1e-300"]).fails(&["at most 32 bits"]);
    assert!(!sandbox.exists("f"));
}

/// BR-040, BR-042: sizes that are none, or overflow.
#[test]
fn sizes() {
    let sandbox = Sandbox::new();
    for value in ["", "0", "-1", "abc", "MiB", "1e400", "16EiB", "99999999999999999999", "1XB", "nan"] {
        let commands: [&[&str]; 2] = [&["build", "-o", "f"], &["plan"]];
        for command in commands {
            let ran = sandbox.run(&[command, &["--memory", value]].concat());
            ran.fails(&["--memory", &format!("'{value}'"), "1 byte to 9223372036854775807"]);
        }
    }
    sandbox.run(&["plan", "--memory", "1", "--fpr", "1%"]).fails(&["1 byte of memory"]);
}

#[test]
fn other_values() {
    let sandbox = Sandbox::new();
    for value in ["", "-1", "18446744073709551616", "abc", "1e3"] {
        let ran = sandbox.run(&["build", "-o", "f", "--seed", value]);
        ran.fails(&["--seed", &format!("'{value}'"), "0 to 18446744073709551615"]);
    }
    for value in ["", "fast", "PACKED"] {
        sandbox.run(&["build", "-o", "f", "--layout", value]).fails(&["--layout", "packed, semi-sorted, compact"]);
    }
    for value in ["", "0", "-1", "abc", "18446744073709551616"] {
        sandbox.run(&["dedup", "--field", value]).fails(&["--field"]);
    }
    // A field number beyond any record is fine until there is a record.
    sandbox.run(&["dedup", "--field", "18446744073709551615"]).exits(0);
    sandbox.run(&["completions", "nosh"]).fails(&["bash"]);
    sandbox.run(&["man", "nothing"]).fails(&["nothing", "build"]);
}

/// BR-040: missing, unknown and repeated.
#[test]
fn missing_unknown_repeated() {
    let sandbox = Sandbox::new();
    sandbox.run(&[]).exits(2);
    for args in
        [&["fly"][..], &["build"], &["add"], &["check"], &["remove"], &["merge", "-o", "x"], &["info"], &["verify"]]
    {
        sandbox.run(args).fails(&[]);
    }
    for option in ["--items", "--fpr", "--memory", "--seed"] {
        sandbox.run(&["build", "-o", "f", option]).fails(&[option]);
        sandbox.run(&["build", "-o", "f", option, "0.5", option, "0.5"]).exits(2);
    }
    sandbox.run(&["build", "-o", "f", "--items", "5", "--items", "5"]).fails(&["--items", "multiple times"]);
    sandbox.run(&["build", "-o", "f", "-o", "g"]).fails(&["--output", "multiple times"]);
    sandbox.run(&["build", "-o", "f", "--wings"]).fails(&["--wings"]);
    assert!(sandbox.names().is_empty());
}
