//! `dedup`: order, streaming, growth, the promised share.

use crate::common::{Sandbox, line_count, lines};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn first_sight_in_order() {
    let sandbox = Sandbox::new();
    let text: String = (0..200_000u64).map(|i| format!("key-{}\n", i * 7_919 % 50_000)).collect();
    let mut seen = std::collections::HashSet::new();
    let expected: String = text.lines().filter(|line| seen.insert(*line)).map(|line| format!("{line}\n")).collect();
    let ran = sandbox.run_with(&["dedup", "--fpr", "1e-8"], text.as_bytes()).exits(0);
    assert!(ran.text() == expected);
    assert_eq!(ran.err, "");
}

/// Each line comes out while the input is still open.
#[test]
fn streams() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["dedup"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in stdout.lines() {
            let _ = sender.send(line.unwrap());
        }
    });
    for (written, printed) in [("a\n", Some("a")), ("a\nb", None), ("\n", Some("b")), ("c\r\na\n", Some("c"))] {
        stdin.write_all(written.as_bytes()).unwrap();
        match printed {
            Some(line) => assert_eq!(receiver.recv_timeout(Duration::from_secs(20)).unwrap().trim_end(), line),
            None => assert!(receiver.recv_timeout(Duration::from_millis(150)).is_err()),
        }
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// An endless input that nobody wants more of: the program ends, although its input never does.
#[test]
fn ends_when_nobody_reads() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["dedup"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"a\n").unwrap();
    let mut first = [0; 2];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    stdin.write_all(b"b\n").unwrap();
    // The input stays open.
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(err, "");
}

/// Far more lines than expected; the share of dropped lines stays under the rate, and nothing is printed twice.
#[test]
fn grows_and_keeps_its_rate() {
    let sandbox = Sandbox::new();
    let text = lines(0..300_000);
    let twice = text.repeat(2);
    for (args, rate) in [(&["--items", "1000", "--fpr", "1%"][..], 0.01), (&["--items", "0", "--fpr", "0.1%"], 0.001)] {
        let args = [&["dedup"], args].concat();
        let once = line_count(&sandbox.run_with(&args, text.as_bytes()).exits(0).out);
        let dropped = 300_000 - once;
        assert!(dropped as f64 <= 300_000.0 * rate, "{args:?}: {dropped}");
        assert!(dropped > 0, "{args:?}: hardly believable");
        assert_eq!(line_count(&sandbox.run_with(&args, twice.as_bytes()).exits(0).out), once);
    }
}

#[test]
fn seed_and_key_choose_the_false_positives() {
    let sandbox = Sandbox::new();
    sandbox.write("key", "00112233445566778899aabbccddeeff");
    let text = lines(0..20_000);
    let run = |args: &[&str]| {
        let args = [&["dedup", "--fpr", "5%", "--items", "20000"], args].concat();
        sandbox.run_with(&args, text.as_bytes()).exits(0).out
    };
    let plain = run(&[]);
    assert_eq!(plain, run(&["--seed", "0"]));
    assert_ne!(plain, run(&["--seed", "1"]));
    assert_ne!(plain, run(&["--key-file", "key"]));
    sandbox.run(&["dedup", "--seed", "1", "--key-file", "key"]).fails(&["--seed", "--key-file"]);
}
