//! Several writers of one file, and writers that are killed.

use crate::common::{Sandbox, lines};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

/// No update is lost, however many write at once.
#[test]
fn concurrent_adds() {
    let sandbox = Sandbox::new();
    sandbox.run(&["build", "-o", "f", "--items", "20000", "--fpr", "1e-7"]).exits(0);
    let children: Vec<_> = (0..12u64)
        .map(|writer| {
            let name = format!("keys-{writer}");
            sandbox.write(&name, lines(writer * 1_000..(writer + 1) * 1_000));
            let mut command = sandbox.command(&["add", "f", &name]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let json = sandbox.run(&["info", "--json", "f"]).exits(0).json();
    assert_eq!(json["items"], 12_000);
    assert_eq!(sandbox.run_with(&["check", "-c", "f"], lines(0..12_000).as_bytes()).exits(0).text(), "12000\n");
    sandbox.run(&["verify", "f"]).exits(0);
}

/// A second writer waits for the first, which is in the middle of its work: here, of its input.
#[test]
fn a_writer_waits() {
    let sandbox = Sandbox::new();
    sandbox.run(&["build", "-o", "f", "--items", "1000", "--fpr", "1e-7"]).exits(0);
    let mut first = sandbox.command(&["add", "f"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut stdin = first.stdin.take().unwrap();
    stdin.write_all(b"first\n").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    // An adder, a remover, and a builder that replaces the file.
    sandbox.write("second", "second\n");
    let waiting: Vec<_> = [&["add", "f", "second"][..], &["merge", "-o", "f", "f", "f"]]
        .iter()
        .map(|args| {
            let child = sandbox.command(args).stdout(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(300));
            child
        })
        .collect();
    // Readers do not wait.
    sandbox.run_with(&["check", "f"], b"first\n").exits(1);
    let mut waiting: Vec<_> = waiting;
    for child in &mut waiting {
        assert!(child.try_wait().unwrap().is_none(), "it waits");
    }
    drop(stdin);
    assert!(first.wait().unwrap().success());
    for mut child in waiting {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(sandbox.run_with(&["check", "-c", "f"], b"first\nsecond\n").exits(0).text(), "2\n");
}

/// Several builders of a file that is not there yet: one after the other.
#[test]
fn concurrent_builds() {
    let sandbox = Sandbox::new();
    for _ in 0..5 {
        let children: Vec<_> = (0..6u64)
            .map(|writer| {
                let name = format!("keys-{writer}");
                sandbox.write(&name, lines(writer * 100..(writer + 1) * 100));
                sandbox.command(&["build", "-o", "f", &name]).stdout(Stdio::null()).spawn().unwrap()
            })
            .collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        sandbox.run(&["verify", "f"]).exits(0);
        assert_eq!(sandbox.run(&["info", "--json", "f"]).exits(0).json()["items"], 100);
        assert!(sandbox.names().iter().all(|name| !name.starts_with('.')), "{:?}", sandbox.names());
        std::fs::remove_file(sandbox.path("f")).unwrap();
    }
}

/// BR-062: a writer killed at any moment leaves the old file or the new one.
#[test]
fn killed_writers() {
    let sandbox = Sandbox::new();
    sandbox.write("old", lines(0..100_000));
    sandbox.write("new", lines(100_000..200_000));
    sandbox.run(&["build", "-o", "f", "--items", "200000", "--fpr", "1e-7", "old"]).exits(0);
    let old = sandbox.read("f");
    sandbox.run(&["add", "f", "new"]).exits(0);
    let new = sandbox.read("f");
    for moment in 0..40 {
        sandbox.write("f", &old);
        let mut child = sandbox.command(&["add", "f", "new"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(moment * moment * 40));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = sandbox.read("f");
        assert!(now == old || now == new, "after {moment}");
    }
}
