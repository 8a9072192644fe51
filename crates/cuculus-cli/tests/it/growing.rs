//! Growing filters through every command.

use crate::common::{Sandbox, line_count, lines};

const KINDS: [&[&str]; 2] = [&["--growing"], &["--growing", "--items", "100", "--maximum", "60000"]];

/// BR-008: four thousand times what it began with, from a pipe, without counting first; and back.
#[test]
fn build_add_check_remove() {
    let sandbox = Sandbox::new();
    for kind in KINDS {
        let ran = sandbox.run_with(&[&["build", "--json", "-o", "g"], kind].concat(), lines(0..10_000).as_bytes());
        let json = ran.exits(0).json();
        assert_eq!(json["layout"], "growing");
        let stored = json["stored"].as_u64().unwrap() + json["repeats"].as_u64().unwrap();
        assert!(stored == 10_000 && json["stored"].as_u64() > Some(9_850), "{json}");
        sandbox.run_with(&["add", "g"], lines(10_000..40_000).as_bytes()).exits(0);
        let all = lines(0..40_000);
        assert_eq!(sandbox.run_with(&["check", "-c", "g"], all.as_bytes()).exits(0).text(), "40000\n");
        let others = sandbox.run_with(&["check", "g"], lines(100_000..200_000).as_bytes());
        assert!(line_count(&others.out) <= 1_120, "{}", line_count(&others.out));
        sandbox.run(&["verify", "g"]).exits(0);
        let before = sandbox.run(&["info", "--json", "g"]).exits(0).json()["table_bytes"].as_u64();
        // Repeats own no copy: those keys are asked for once more than they are there.
        sandbox.run_with(&["remove", "g"], lines(4_000..40_000).as_bytes()).exits(0);
        let info = sandbox.run(&["info", "--json", "g"]).exits(0).json();
        assert!(info["table_bytes"].as_u64() < before.map(|bytes| bytes / 2), "{info}");
        assert_eq!(info["layout"], "growing");
        sandbox.run(&["verify", "--json", "g"]).exits(0);
    }
}

#[test]
fn info_names_the_mode() {
    let sandbox = Sandbox::new();
    for (kind, words) in KINDS.iter().zip(["growing without end", "growing to at most 60,000"]) {
        sandbox.run_with(&[&["build", "-o", "g"], *kind].concat(), b"a\nb\n").exits(0);
        let text = sandbox.run(&["info", "g"]).exits(0);
        for part in ["format version 2", "2, ", words, "1 %", "XXH3-64, seed 0"] {
            assert!(text.text().contains(part), "no {part} in {text:?}");
        }
        let piped = sandbox.run_with(&["info", "-"], &sandbox.read("g")).exits(0);
        assert!(piped.text().contains(words));
        sandbox.run_with(&["verify", "-"], &sandbox.read("g")).exits(0);
    }
}

#[test]
fn merged_with_its_like_only() {
    let sandbox = Sandbox::new();
    for kind in KINDS {
        for (name, from) in [("a", 0), ("b", 2_000)] {
            let args = [&["build", "-o", name, "--copies"], kind].concat();
            sandbox.run_with(&args, lines(from..from + 2_000).as_bytes()).exits(0);
        }
        sandbox.run(&["merge", "-o", "m", "a", "b"]).exits(0);
        let all = lines(0..4_000);
        assert_eq!(sandbox.run_with(&["check", "-c", "m"], all.as_bytes()).exits(0).text(), "4000\n");
        sandbox.run(&["verify", "m"]).exits(0);
    }
    sandbox.run_with(&["build", "-o", "fixed", "--items", "10"], b"a\n").exits(0);
    sandbox.run(&["merge", "-o", "m", "a", "fixed"]).fails(&["fixed", "a growing filter was asked for"]);
    sandbox.run(&["merge", "-o", "m", "fixed", "a"]).fails(&["kind", "fixed size", "growing"]);
}

#[test]
fn damage_and_limits() {
    let sandbox = Sandbox::new();
    sandbox.run_with(&["build", "-o", "g", "--growing"], lines(0..500).as_bytes()).exits(0);
    let mut bytes = sandbox.read("g");
    bytes[700] ^= 1;
    sandbox.write("g", &bytes);
    for command in ["verify", "check", "add", "remove"] {
        sandbox.run(&[command, "g"]).fails(&["the table was changed"]);
    }
    let full = sandbox.run_with(&["build", "-o", "m", "--growing", "--maximum", "100"], lines(0..500).as_bytes());
    full.fails(&["full"]);
    sandbox.run(&["build", "-o", "m", "--growing", "--memory", "1MB"]).exits(2);
    sandbox.run(&["build", "-o", "m", "--maximum", "100"]).exits(2);
}
