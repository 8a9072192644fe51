//! Help, examples, completions, manual, tour, plan; output that nobody reads.

use crate::common::{Sandbox, lines};
use std::time::{Duration, Instant};

const COMMANDS: [&str; 13] = [
    "tour",
    "build",
    "add",
    "remove",
    "check",
    "dedup",
    "merge",
    "info",
    "verify",
    "plan",
    "import-redisbloom",
    "completions",
    "man",
];

fn help(sandbox: &Sandbox, command: &str) -> String {
    sandbox.run(&[command, "--help"]).exits(0).text().to_owned()
}

#[test]
fn help_of_every_command() {
    let sandbox = Sandbox::new();
    let program = sandbox.run(&["--help"]).exits(0);
    assert!(program.text().contains("0 found or done, 1 nothing found, 2 error"), "{program:?}");
    for command in COMMANDS {
        assert!(program.text().contains(&format!("\n  {command} ")), "{command}");
        assert!(help(&sandbox, command).contains("Usage: cuculus"));
        sandbox.run(&[command, "-h"]).exits(0);
    }
    for (command, options) in [
        (
            "build",
            &[
                "--output",
                "--items",
                "--fpr",
                "--memory",
                "--layout",
                "--seed",
                "--key-file",
                "--copies",
                "--json",
                "--threads",
            ][..],
        ),
        ("add", &["--copies", "--partial", "--key-file", "--json"]),
        ("remove", &["--key-file", "--json"]),
        ("check", &["--invert-match", "--count", "--key-file", "--only-key", "--threads"]),
        ("dedup", &["--fpr", "--items", "--window", "--steps", "--key-file", "--only-key"]),
        ("merge", &["--output", "--key-file", "--json"]),
        ("info", &["--json"]),
        ("import-redisbloom", &["--output"]),
        ("verify", &["--json", "--key-file"]),
        ("plan", &["--items", "--fpr", "--memory", "--json"]),
    ] {
        let text = help(&sandbox, command);
        for option in options {
            assert!(text.contains(option), "{command} {option}");
        }
        if matches!(command, "build" | "add" | "remove" | "check" | "dedup") {
            for option in ["--null", "--field", "--delimiter", "[INPUT]..."] {
                assert!(text.contains(option), "{command} {option}");
            }
        }
    }
    assert!(sandbox.run(&["--version"]).exits(0).text().starts_with("cuculus "));
}

/// BR-021 and contract 9: the help says what removing does; `dedup` says what it drops.
#[test]
fn warnings_in_the_help() {
    let sandbox = Sandbox::new();
    let flat = |command| help(&sandbox, command).split_whitespace().collect::<Vec<_>>().join(" ");
    let remove = flat("remove");
    assert!(remove.contains("REMOVE ONLY WHAT WAS STORED"));
    assert!(remove.contains("never stored can take the fingerprint of another key, which is then lost"));
    assert!(flat("add").contains("owns no copy and must not be removed"));
    assert!(flat("dedup").contains("AT RATE P A SHARE P OF NEW LINES IS DROPPED"));
    assert!(flat("dedup").contains("WITH --window KEYS ARE FORGOTTEN"));
}

/// BR-086: every example in the help runs.
#[test]
fn examples_in_the_help() {
    let sandbox = Sandbox::new();
    let table = "1;a;x\n2;b;y\n";
    for name in ["words.txt", "more-words.txt", "draft.txt", "today.log", "access.log"] {
        sandbox.write(name, lines(0..20));
    }
    sandbox.write("forget.txt", lines(0..5));
    sandbox.write("users.dump", include_bytes!("../../../../testdata/redisbloom/grown.dump"));
    sandbox.write("user.txt", "item:21\n");
    sandbox.write("expired.txt", lines(0..5));
    sandbox.write("orders.csv", table.replace(';', ","));
    sandbox.shell("gzip -k today.log access.log && mkdir -p home fpath").exits(0);
    let zstd = ruzstd::encoding::compress_to_vec(lines(0..20).as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    sandbox.write("today.log.zst", zstd);
    for (name, extra) in
        [("words", ""), ("seen", ""), ("sessions", ""), ("monday", "--seed 1"), ("tuesday", "--seed 1")]
    {
        sandbox.shell(&format!("cuculus build -o {name}.cuculus --items 100 {extra} words.txt")).exits(0);
    }
    sandbox.shell("cut -d, -f2 orders.csv | cuculus build -o ids.cuculus").exits(0);
    let mut run = 0;
    for command in COMMANDS {
        let text = help(&sandbox, command);
        let Some((_, examples)) = text.split_once("Examples:\n") else { continue };
        for example in examples.lines().take_while(|line| line.starts_with("  ")) {
            // What stands in a second column is an explanation.
            let line = example.trim().split("   ").next().unwrap();
            // Endless input, a pager, and folders of the user's.
            if line.contains("--server") {
                // Needs a server: the tests of the module run such lines.
                continue;
            }
            let line = line.replace("tail -f", "tail").replace("man -l -", "cat").replace("';'", "','");
            let line = line.replace("~/.local/share/bash-completion/completions", "home");
            let line = line.replace("~/.config/fish/completions", "home").replace("${fpath[1]}", "fpath");
            let line = if line.contains("check -v") || line.contains("-c -v") {
                format!("{line}; test $? -le 1")
            } else {
                line
            };
            let ran = sandbox.shell(&format!("set -o pipefail; {line}"));
            assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
            run += 1;
        }
    }
    assert!(run >= 25, "{run}");
}

/// A broken pipe is no error, whoever prints.
#[cfg(unix)]
#[test]
fn nobody_reads() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..200_000));
    sandbox.shell("cuculus build -o f keys").exits(0);
    for command in [
        "dedup keys",
        "check f keys",
        "check -c f keys",
        "info f",
        "verify f",
        "plan",
        "tour",
        "--help",
        "man",
        "completions bash",
        "build -o - keys",
        "add f keys",
    ] {
        let ran = sandbox.shell(&format!("cuculus {command} | true; exit ${{PIPESTATUS[0]}}")).exits(0);
        assert_eq!(ran.err, "", "{command}");
    }
    let ran = sandbox.shell("cuculus dedup keys | head -n 1; exit ${PIPESTATUS[0]}").exits(0);
    assert_eq!((ran.text(), ran.err.as_str()), ("key-0\n", ""));
    // Other trouble with the output is an error.
    if std::path::Path::new("/dev/full").exists() {
        sandbox.shell("cuculus dedup keys > /dev/full").fails(&["standard output"]);
        sandbox.shell("cuculus info f > /dev/full").fails(&["standard output"]);
    }
}

#[test]
fn tour() {
    let sandbox = Sandbox::new();
    let started = Instant::now();
    let ran = sandbox.run(&["tour"]).exits(0);
    assert!(started.elapsed() < Duration::from_secs(5));
    for part in [
        "30,000 of 30,000 stored names found",
        "promised at most 1 %",
        "15,000 names removed; all 15,000 others",
        "HashSet",
    ] {
        assert!(ran.text().contains(part), "no \"{part}\" in {ran:?}");
    }
    assert!(ran.text().lines().all(|line| line.chars().count() <= 120), "{ran:?}");
    assert_eq!(ran.err, "");
    assert!(sandbox.names().is_empty());
}

#[test]
fn plan() {
    let sandbox = Sandbox::new();
    for args in [
        &[][..],
        &["--items", "50M"],
        &["--fpr", "0.1%"],
        &["--memory", "1GiB"],
        &["--items", "50M", "--fpr", "1e-4"],
        &["--items", "50M", "--memory", "64MiB"],
        &["--memory", "64MiB", "--fpr", "3%"],
    ] {
        let ran = sandbox.run(&[&["plan"], args].concat()).exits(0);
        for name in [
            "compact",
            "semi-sorted",
            "packed",
            "Bloom",
            "blocked Bloom",
            "counting Bloom",
            "d-left",
            "quotient",
            "limit",
        ] {
            assert!(ran.text().contains(name), "{args:?} {name}");
        }
        assert!(ran.text().contains("Take "));
        let json = sandbox.run(&[&["plan", "--json"], args].concat()).exits(0).json();
        assert_eq!(json["filters"].as_array().unwrap().len(), 9);
        let limit = &json["filters"][8]["bits_per_item"].as_f64().unwrap();
        if !args.contains(&"--memory") {
            assert!(
                json["filters"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|row| row["removes"] == false || row["bits_per_item"].as_f64().unwrap() >= *limit)
            );
        }
    }
    sandbox.run(&["plan", "--items", "1", "--fpr", "1%", "--memory", "1KiB"]).fails(&["only two"]);
}

/// What plan promises is what build makes.
#[test]
fn plan_and_build_agree() {
    let sandbox = Sandbox::new();
    for question in [
        &["--items", "5000", "--fpr", "0.1%"][..],
        &["--memory", "8KiB", "--fpr", "1%"],
        &["--items", "5000", "--memory", "16KiB"],
    ] {
        let plan = sandbox.run(&[&["plan", "--json"], question].concat()).exits(0).json();
        let built = sandbox.run(&[&["build", "-o", "f", "--json"], question].concat()).exits(0).json();
        assert_eq!(plan["recommended"], built["layout"]);
        let row = plan["filters"].as_array().unwrap().iter().find(|row| row["name"] == built["layout"]).unwrap();
        assert_eq!(row["bytes"], built["table_bytes"]);
        assert_eq!(row["false_positive_rate"], built["promised_false_positive_rate"]);
    }
}

#[test]
fn completions_and_manual() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = sandbox.run(&["completions", shell]).exits(0);
        for command in COMMANDS {
            assert!(ran.text().contains(command), "{shell} {command}");
        }
    }
    sandbox.shell("cuculus completions bash > c && bash -n c").exits(0);
    let page = |command: &str| format!("cuculus\\-{}", command.replace('-', "\\-"));
    let manual = sandbox.run(&["man"]).exits(0);
    assert!(manual.text().contains(".TH cuculus 1"));
    for command in COMMANDS {
        assert!(manual.text().contains(&page(command)), "{command}");
        assert!(sandbox.run(&["man", command]).exits(0).text().contains(&page(command)));
    }
}

/// Colour is for terminals: none in a pipe.
#[test]
fn no_colour_in_pipes() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..10));
    sandbox.run(&["build", "-o", "f", "keys"]).exits(0);
    for args in [&["tour"][..], &["plan"], &["info", "f"], &["verify", "f"], &["--help"], &["check", "missing"]] {
        let ran = sandbox.run(args);
        assert!(!ran.out.contains(&0x1b) && !ran.err.contains('\x1b'), "{args:?}");
    }
}
