//! Filters without room.

use crate::common::{Sandbox, lines};

fn full(sandbox: &Sandbox) -> u64 {
    sandbox.write("keys", lines(0..990));
    let built =
        sandbox.run(&["build", "-o", "f", "--items", "1000", "--fpr", "1e-6", "--json", "keys"]).exits(0).json();
    built["capacity"].as_u64().unwrap() - built["items"].as_u64().unwrap()
}

/// BR-008, BR-002: a full filter refuses, says what went in and what was refused first, and saves nothing.
#[test]
fn add_to_a_full_filter() {
    let sandbox = Sandbox::new();
    let room = full(&sandbox);
    let before = sandbox.read("f");
    sandbox.write("more", format!("key-1\n{}", lines(5_000..6_000)));
    let (went_in, first, record) =
        (format!("{room} keys went in"), format!("\"key-{}\"", 5_000 + room), format!("record {} of more", room + 2));
    sandbox.run(&["add", "f", "more"]).fails(&[
        "f",
        "full",
        &went_in,
        &first,
        &record,
        "nothing was saved",
        "--partial",
    ]);
    assert!(sandbox.read("f") == before, "nothing was saved");

    let ran = sandbox.run(&["add", "--json", "f", "more"]).exits(2);
    let json = ran.json();
    assert_eq!(json["stored"].as_u64(), Some(room));
    assert_eq!(json["repeats"], 1);
    assert_eq!(json["saved"], false);
    assert_eq!(json["items"], 990);
    assert_eq!(json["refused"]["key"], format!("key-{}", 5_000 + room));
    assert!(sandbox.read("f") == before);

    sandbox.run(&["add", "--partial", "f", "more"]).fails(&[&went_in, &first, "saved"]);
    assert_eq!(sandbox.run(&["info", "--json", "f"]).exits(0).json()["items"].as_u64(), Some(990 + room));
    sandbox.write("in", lines(5_000..5_000 + room));
    assert_eq!(sandbox.run(&["check", "-c", "f", "in", "keys"]).exits(0).text(), format!("{}\n", 990 + room));
    sandbox.run(&["verify", "f"]).exits(0);
    // What is stored already still counts as a repeat.
    sandbox.run(&["add", "f", "keys"]).exits(0);
    // Room that was given back is room.
    sandbox.run_with(&["remove", "f"], b"key-0\n").exits(0);
    sandbox.run_with(&["add", "f"], b"key-0\n").exits(0);
}

#[test]
fn add_copies_to_a_full_filter() {
    let sandbox = Sandbox::new();
    let room = full(&sandbox) as usize;
    let before = sandbox.read("f");
    let (went_in, first) = (format!("{room} keys went in"), format!("\"key-{room}\""));
    sandbox.run(&["add", "--copies", "f", "keys"]).fails(&[&went_in, &first]);
    assert!(sandbox.read("f") == before);
    let same = "key-7\n".repeat(50);
    sandbox.run(&["build", "-o", "g", "--items", "1000", "keys"]).exits(0);
    sandbox.run_with(&["remove", "g"], lines(100..900).as_bytes()).exits(0);
    sandbox.run_with(&["add", "--copies", "g"], same.as_bytes()).fails(&["\"key-7\"", "nothing was saved"]);
}

#[test]
fn build_with_too_few_items() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..1_000));
    sandbox.run(&["build", "-o", "f", "--items", "10", "keys"]).fails(&["full", "keys went in", "larger --items"]);
    assert!(!sandbox.exists("f"));
}

/// A key of any bytes and length can stand in a message.
#[test]
fn refused_keys_in_messages() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..10));
    for key in [&b"tab\there\x1b[31m\xff"[..], &[b'x'; 1_000_000]] {
        let mut input = lines(0..50).into_bytes();
        input.splice(0..0, lines(100..110).into_bytes());
        input.splice(0..0, [key, b"\n"].concat());
        let ran = sandbox.run_with(&["build", "-o", "f", "--items", "0", "--fpr", "1e-6"], &input);
        let ran = ran.fails(&["full"]);
        assert!(ran.err.len() < 1_000 && !ran.err.contains('\x1b'), "{ran:?}");
    }
}
