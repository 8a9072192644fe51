//! `--threads`: the same bytes in the same order, whatever their number.

use crate::common::{Sandbox, lines};

const THREADS: [&str; 4] = ["1", "2", "3", "8"];

/// Inputs around the borders of blocks, which start at 256 KiB.
fn inputs() -> Vec<(&'static str, Vec<u8>)> {
    let many = lines(0..120_000).into_bytes();
    let mut long = lines(0..30_000).into_bytes();
    for length in [(256 << 10) - 1, 256 << 10, 1 << 20] {
        long.extend(std::iter::repeat_n(b'x', length));
        long.push(b'\n');
        long.extend_from_slice(lines(0..40_000).as_bytes());
    }
    vec![
        ("empty", Vec::new()),
        ("one", b"7".to_vec()),
        ("no newline at the end", many[..many.len() - 1].to_vec()),
        ("carriage returns", String::from_utf8(many.clone()).unwrap().replace('\n', "\r\n").into_bytes()),
        ("many", many),
        ("long", long),
    ]
}

/// BR-073: found keys come in the order of the input, and as many.
#[test]
fn check_prints_the_same_in_the_same_order() {
    let sandbox = Sandbox::new();
    sandbox.run_with(&["build", "-o", "fixed"], lines(10_000..90_000).as_bytes()).exits(0);
    sandbox.run_with(&["build", "--growing", "-o", "growing"], lines(10_000..90_000).as_bytes()).exits(0);
    for (name, input) in inputs() {
        let packed = ruzstd::encoding::compress_to_vec(&input[..], ruzstd::encoding::CompressionLevel::Fastest);
        for filter in ["fixed", "growing"] {
            for options in [&["check"][..], &["check", "-v"], &["check", "-c"]] {
                let run = |threads: &str, input: &[u8]| {
                    let ran = sandbox.run_with(&[options, &["--threads", threads, filter]].concat(), input);
                    assert!(ran.code == Some(0) || ran.code == Some(1), "{name}: {ran:?}");
                    (ran.code, ran.out)
                };
                let expected = run("1", &input);
                for threads in THREADS {
                    assert!(run(threads, &input) == expected, "{name}, {options:?}, {threads} threads");
                }
                assert!(run("3", &packed) == expected, "{name}, packed, {options:?}");
            }
        }
    }
}

#[test]
fn build_writes_the_same_file() {
    let sandbox = Sandbox::new();
    for (name, input) in inputs() {
        for kind in [&["build"][..], &["build", "--copies"], &["build", "--items", "300000"], &["build", "--growing"]] {
            // Four copies of every key fill whole buckets: there is no room for them at any such load.
            if name == "long" && kind.contains(&"--copies") {
                continue;
            }
            let mut files = THREADS.map(|threads| {
                sandbox.run_with(&[kind, &["--force", "--threads", threads, "-o", "f"]].concat(), &input).exits(0);
                sandbox.read("f")
            });
            files.sort();
            assert!(files[0] == files[3], "{name}, {kind:?}");
        }
    }
}

/// What is wrong with an input is told after what came before it.
#[test]
fn an_error_comes_in_its_turn() {
    let sandbox = Sandbox::new();
    let keys = lines(0..60_000);
    sandbox.run_with(&["build", "-o", "f"], keys.as_bytes()).exits(0);
    let mut table: String = keys.lines().map(|key| format!("a,{key}\n")).collect();
    table.push_str("no second field\n");
    table.push_str("a,1\n");
    // Of the block with the wrong record nothing is printed, of those before it everything.
    let outputs = THREADS.map(|threads| {
        let args = ["check", "--field", "2", "--only-key", "--threads", threads, "f"];
        let ran = sandbox.run_with(&args, table.as_bytes()).exits(2);
        assert!(ran.err.contains("60001"), "{}", ran.err);
        ran.out
    });
    assert!(outputs.iter().all(|out| out.len() > 100_000 && keys.as_bytes().starts_with(out)));
}

#[test]
fn the_number_of_threads_has_its_range() {
    let sandbox = Sandbox::new();
    sandbox.run_with(&["build", "-o", "f"], b"a\n").exits(0);
    for wrong in ["0", "-1", "1025", "many", ""] {
        for command in ["check", "build"] {
            let ran = sandbox.run_with(&[command, "--threads", wrong, "f"], b"");
            ran.fails(&["--threads", "allowed is a whole number from 1 to 1024"]);
        }
    }
}

/// Nobody reads the rest: it ends soon and says nothing.
#[test]
fn a_closed_pipe_ends_it() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..300_000));
    sandbox.run(&["build", "-o", "f", "keys"]).exits(0);
    let program = crate::common::program().display();
    let ran = sandbox.shell(&format!("{program} check --threads 3 f keys keys keys | head -n 2"));
    assert_eq!((ran.err.as_str(), ran.out.iter().filter(|&&byte| byte == b'\n').count()), ("", 2));
}
