//! `merge`.

use crate::common::{Sandbox, line_count, lines};

fn build(sandbox: &Sandbox, name: &str, numbers: std::ops::Range<u64>, args: &[&str]) {
    sandbox.run_with(&[&["build", "-o", name, "--copies"], args].concat(), lines(numbers).as_bytes()).exits(0);
}

#[test]
fn filters_with_room() {
    let sandbox = Sandbox::new();
    for layout in ["packed", "semi-sorted", "compact"] {
        for (name, from) in [("a", 0), ("b", 100), ("c", 200)] {
            build(&sandbox, name, from..from + 100, &["--items", "300", "--layout", layout]);
        }
        let json = sandbox.run(&["merge", "--json", "-o", "m", "a", "b", "c"]).exits(0).json();
        assert_eq!((json["items"].as_u64(), json["capacity"].as_u64() >= Some(300)), (Some(300), true));
        let all = lines(0..300);
        assert_eq!(sandbox.run_with(&["check", "-c", "m"], all.as_bytes()).exits(0).text(), "300\n");
        sandbox.run(&["verify", "m"]).exits(0);
        // Into one of themselves.
        sandbox.run(&["merge", "-o", "a", "a", "b"]).exits(0);
        assert_eq!(sandbox.run(&["info", "--json", "a"]).exits(0).json()["items"], 200);
    }
}

#[test]
fn full_filters_into_a_larger_one() {
    let sandbox = Sandbox::new();
    sandbox.write("secret", [9; 16]);
    for layout in ["packed", "semi-sorted"] {
        for hash in [&["--seed", "3"][..], &["--key-file", "secret"]] {
            let args = [&["--layout", layout, "--fpr", "0.1%"], hash].concat();
            build(&sandbox, "a", 0..20_000, &[&args[..], &["--items", "20000"]].concat());
            build(&sandbox, "b", 20_000..40_000, &[&args[..], &["--items", "20000"]].concat());
            let key = if hash[0] == "--key-file" { hash } else { &[] };
            let ran = sandbox.run(&[&["merge", "-o", "m", "a", "b"], key].concat()).exits(0);
            assert!(ran.text().contains("larger table, with buckets of 8"), "{ran:?}");
            let all = lines(0..40_000);
            let found = sandbox.run_with(&[&["check", "-c", "m"], key].concat(), all.as_bytes()).exits(0);
            assert_eq!(found.text(), "40000\n");
            sandbox.run(&["verify", "m"]).exits(0);
            // Rates add up, and no more than that.
            let others = lines(100_000..200_000);
            let wrong = sandbox.run_with(&[&["check", "m"], key].concat(), others.as_bytes());
            assert!(line_count(&wrong.out) < 260, "{layout}: {}", line_count(&wrong.out));
            // Removal still works in it.
            let ran = sandbox.run_with(&[&["remove", "--json", "m"], key].concat(), all.as_bytes()).exits(0).json();
            assert_eq!((ran["removed"].as_u64(), ran["items"].as_u64()), (Some(40_000), Some(0)));
        }
    }
}

/// BR-043: where no larger table will do, the message says what would have done.
#[test]
fn full_filters_without_a_larger_one() {
    let sandbox = Sandbox::new();
    for (name, from) in [("a", 0), ("b", 1_000), ("c", 2_000)] {
        build(&sandbox, name, from..from + 1_000, &["--layout", "compact", "--items", "1000"]);
    }
    sandbox.run(&["merge", "-o", "m", "a", "b"]).fails(&[
        "a and b",
        "2,000 items",
        "--items 2000",
        "cuculus build -o m",
    ]);
    sandbox.run(&["merge", "-o", "m", "a", "b", "c"]).fails(&["--items 3000"]);
    assert!(!sandbox.exists("m"));
    // Buckets have eight slots at most.
    for (name, from) in [("a", 0), ("b", 1_000), ("c", 2_000)] {
        build(&sandbox, name, from..from + 1_000, &["--layout", "packed", "--items", "1000"]);
    }
    sandbox.run(&["merge", "-o", "m", "a", "b", "c"]).fails(&["--items 3000"]);
}

/// The number that merge names is enough, also where the filters hold the same keys.
#[test]
fn filters_of_the_same_keys() {
    let sandbox = Sandbox::new();
    for layout in ["packed", "compact"] {
        let mut items = "2000".to_owned();
        for round in 0.. {
            for name in ["a", "b"] {
                build(&sandbox, name, 0..1_000, &["--layout", layout, "--items", &items]);
            }
            let ran = sandbox.run(&["merge", "-o", "m", "a", "b"]);
            if ran.code == Some(0) {
                break;
            }
            let ran = ran.fails(&["the same keys"]);
            assert!(round == 0, "{layout}: {ran:?}");
            let (_, advice) = ran.err.split_once("needed --items ").unwrap();
            items = advice.split_whitespace().next().unwrap().to_owned();
        }
        assert_eq!(sandbox.run_with(&["check", "-c", "m"], lines(0..1_000).as_bytes()).exits(0).text(), "1000\n");
    }
}

#[test]
fn filters_of_different_kinds() {
    let sandbox = Sandbox::new();
    sandbox.write("secret", [9; 16]);
    sandbox.write("other", [8; 16]);
    build(&sandbox, "a", 0..10, &["--items", "1000", "--layout", "packed"]);
    let others: [(&[&str], &str); 4] = [
        (&["--items", "1000", "--layout", "compact"], "layout"),
        (&["--items", "5000", "--layout", "packed"], "buckets"),
        (&["--items", "1000", "--layout", "packed", "--fpr", "1e-5"], "fingerprint bits"),
        (&["--items", "1000", "--layout", "packed", "--seed", "9"], "seed"),
    ];
    for (args, what) in others {
        build(&sandbox, "b", 0..10, args);
        sandbox.run(&["merge", "-o", "m", "a", "b"]).fails(&["a and b", what]);
        sandbox.run(&["merge", "-o", "m", "a", "a", "b"]).fails(&["a and b", what]);
    }
    build(&sandbox, "b", 0..10, &["--items", "1000", "--layout", "packed", "--key-file", "secret"]);
    sandbox.run(&["merge", "-o", "m", "--key-file", "secret", "b", "a"]).fails(&["without a secret key"]);
    sandbox.run(&["merge", "-o", "m", "a"]).fails(&[]);
    sandbox.run(&["merge", "-o", "m", "a", "missing"]).fails(&["missing"]);
    sandbox.run(&["merge", "a", "a"]).fails(&["--output"]);
    assert!(!sandbox.exists("m"));
}
