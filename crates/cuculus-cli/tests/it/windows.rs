//! `dedup --window`, and files of windows through the commands.

use crate::common::{Sandbox, line_count, lines};
use cuculus::{CuckooFilter, GrowingFilter, WindowFilter};
use std::time::Duration;

/// The first line of any so many, against an exact list.
#[test]
fn the_last_lines() {
    let sandbox = Sandbox::new();
    let numbers: Vec<u64> = (0..30_000u64).map(|i| (i * i) % 1_009 + i / 200).collect();
    let text: String = numbers.iter().map(|number| format!("key-{number}\n")).collect();
    for (window, step) in [(1, 1), (10, 1), (600, 50), (1_200, 100)] {
        let ran =
            sandbox.run_with(&["dedup", "--fpr", "1e-7", "--window", &window.to_string()], text.as_bytes()).exits(0);
        let mut printed = ran.text().lines().peekable();
        let mut last = std::collections::HashMap::new();
        let mut dropped = 0;
        for (line, number) in (0u64..).zip(&numbers) {
            let age = last.insert(number, line).map(|seen| line - seen);
            let name = format!("key-{number}");
            let is_printed = printed.next_if_eq(&name.as_str()).is_some();
            assert!(!(is_printed && age.is_some_and(|age| age <= window)), "line {line} is in the window");
            assert!(is_printed || age.is_some_and(|age| age < window + step), "line {line} is not");
            dropped += u64::from(!is_printed);
        }
        assert!(printed.next().is_none() && (window < 10 || dropped > 0));
    }
}

#[test]
fn the_last_time() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["dedup", "--window", "1h"], lines(0..1_000).repeat(2).as_bytes()).exits(0);
    assert_eq!(ran.text(), lines(0..1_000));
    // By the clock: the second a comes long after the window.
    let ran = sandbox.shell("(echo a; echo a; sleep 0.6; echo a) | cuculus dedup --window 100ms").exits(0);
    assert_eq!(ran.text(), "a\na\n");
    // More than there is room for: what came before is printed, then the error.
    let ran = sandbox.run_with(&["dedup", "--window", "1h", "--items", "600"], lines(0..1_000).as_bytes());
    let ran = ran.fails(&["more than 600 different keys came within 3600s", "--items"]);
    assert_eq!(line_count(&ran.out), 650);
}

/// Endless input in memory that does not grow: three million different lines, in less than keeping them would take.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays() {
    let sandbox = Sandbox::new();
    // One arena: each thread of its own would reserve 64 MiB of addresses, used or not.
    let limited = "ulimit -v 80000; MALLOC_ARENA_MAX=1 cuculus dedup";
    let ran = sandbox.shell(&format!("seq 3000000 | ({limited} --window 1000) | wc -l")).exits(0);
    assert!(ran.text().trim().parse::<u64>().unwrap() >= 2_999_900, "{ran:?}");
}

#[test]
fn what_is_no_window() {
    let sandbox = Sandbox::new();
    for window in ["0", "-5", "0s", "10x", "", "1e30s", "200000d"] {
        sandbox.run(&["dedup", "--window", window]).fails(&["--window", "10m (minutes)"]);
    }
    for steps in ["0", "61", "-1", "x"] {
        sandbox.run(&["dedup", "--window", "100", "--steps", steps]).fails(&["1 to 60"]);
    }
    sandbox.run(&["dedup", "--window", "5", "--steps", "6"]).fails(&["steps is 6", "at most the items of the window"]);
    sandbox.run(&["dedup", "--steps", "6"]).fails(&["--window"]);
    sandbox.run(&["dedup", "--window", "5", "--items", "6"]).fails(&["--items goes with --window of a time"]);
    sandbox.run(&["dedup", "--window", "5m", "--items", "0"]).fails(&["items is 0"]);
    sandbox.run(&["dedup", "--window", "100000", "--fpr", "1e-12"]).fails(&["no window of 100,000 items"]);
    sandbox.run_with(&["dedup", "--window", "100", "--steps", "60", "--seed", "3"], b"a\na\nb").exits(0);
}

/// `info`, `verify` and `check` read a window; what would change one says why it does not.
#[test]
fn files_of_windows() {
    let sandbox = Sandbox::new();
    let key = "00112233445566778899aabbccddeeff";
    sandbox.write("key", key);
    for (time, words) in [(None, "the last 1,200 keys, in 12 steps"), (Some(60), "the last 60s, in 12 steps")] {
        let builder = WindowFilter::builder().items(1_200).false_positive_rate(0.01);
        let mut filter =
            time.map_or(builder.clone(), |time| builder.duration(Duration::from_secs(time))).build().unwrap();
        (0..300).for_each(|i| _ = filter.insert(&format!("key-{i}")).unwrap());
        let path = sandbox.path("w");
        filter.save(&path).unwrap();
        let info = sandbox.run(&["info", "w"]).exits(0);
        for part in ["format version 3", words, "of at most 1,300", "1 %", "4 a stamp", "XXH3-64, seed 0"] {
            assert!(info.text().contains(part), "no {part} in {info:?}");
        }
        let json = sandbox.run(&["info", "--json", "w"]).exits(0).json();
        assert_eq!((json["layout"].as_str(), json["steps"].as_u64()), (Some("window"), Some(12)));
        assert_eq!(json["window_items"].is_null(), time.is_some());
        assert_eq!(json["window_seconds"].is_null(), time.is_none());
        assert!(sandbox.run_with(&["info", "-"], &sandbox.read("w")).exits(0).text().contains(words));
        sandbox.run(&["verify", "w"]).exits(0);
        let verdict = sandbox.run_with(&["verify", "--json", "-"], &sandbox.read("w")).exits(0).json();
        assert_eq!(verdict["whole"], true);
        assert_eq!(sandbox.run_with(&["check", "-c", "w"], lines(0..300).as_bytes()).exits(0).text(), "300\n");
        let before = sandbox.read("w");
        for command in ["add", "remove"] {
            sandbox.run(&[command, "w"]).fails(&["w: this is a window whose items age"]);
        }
        CuckooFilter::new(10, 0.01).unwrap().save(sandbox.path("f")).unwrap();
        GrowingFilter::new(0.01).unwrap().save(sandbox.path("g")).unwrap();
        for others in [["w", "w"], ["f", "w"], ["g", "w"], ["w", "f"]] {
            sandbox.run(&["merge", "-o", "m", others[0], others[1]]).fails(&["window whose items age"]);
        }
        assert!(sandbox.read("w") == before && !sandbox.exists("m"));
        let mut damaged = before;
        damaged[300] ^= 1;
        sandbox.write("w", &damaged);
        for command in ["verify", "check"] {
            sandbox.run(&[command, "w"]).fails(&["the table was changed"]);
        }
    }
    let secret = core::array::from_fn(|i| u8::from_str_radix(&key[2 * i..2 * i + 2], 16).unwrap());
    let mut filter = WindowFilter::builder().items(10).false_positive_rate(0.01).secret_key(secret).build().unwrap();
    filter.insert("a").unwrap();
    filter.save(sandbox.path("w")).unwrap();
    sandbox.run(&["info", "w"]).exits(0);
    sandbox.run(&["verify", "--key-file", "key", "w"]).exits(0);
    sandbox.run_with(&["check", "w"], b"a\n").fails(&["--key-file"]);
    assert_eq!(sandbox.run_with(&["check", "--key-file", "key", "w"], b"a\n").exits(0).text(), "a\n");
}
