//! Dumps of RedisBloom's.

use crate::common::Sandbox;

const DUMP: &[u8] = include_bytes!("../../../../testdata/redisbloom/grown.dump");
const ITEMS: &str = include_str!("../../../../testdata/redisbloom/grown.txt");

#[test]
fn a_dump_becomes_a_file_that_is_asked() {
    let sandbox = Sandbox::new();
    sandbox.write("users.dump", DUMP);
    sandbox.write("users.txt", ITEMS);
    let ran = sandbox.run(&["import-redisbloom", "-o", "users.cuculus", "users.dump"]).exits(0);
    assert!(ran.text().contains("imported 390 keys from 4 tables"), "{ran:?}");
    let found = sandbox.run(&["check", "users.cuculus", "users.txt"]).exits(0);
    assert_eq!(found.text(), ITEMS);
    let absent: String = (0..2_000).map(|i| format!("absent:{i}\n")).collect();
    sandbox.write("absent.txt", absent);
    let found: u64 = sandbox.run(&["check", "-c", "users.cuculus", "absent.txt"]).text().trim().parse().unwrap();
    // 16 slots of 255 fingerprints, three quarters full: about 5 %.
    assert!((40..180).contains(&found), "{found}");
    let info = sandbox.run(&["info", "users.cuculus"]).exits(0);
    assert!(info.text().contains("390 keys in 4 tables"), "{info:?}");
    assert!(sandbox.run(&["info", "--json", "users.cuculus"]).exits(0).text().contains("\"items\":390"));
    // Over one of its kind, but not over anything else.
    sandbox.run(&["import-redisbloom", "-o", "users.cuculus", "users.dump"]).exits(0);
    sandbox.run(&["import-redisbloom", "-o", "users.txt", "users.dump"]).fails(&["users.txt", "--force"]);
    sandbox
        .run(&["import-redisbloom", "--force", "-o", "users.dump", "users.dump"])
        .fails(&["an input and the output"]);
    // Only a server goes on with it.
    sandbox.run(&["add", "users.cuculus", "users.txt"]).exits(2);
}

#[test]
fn damaged_dumps_are_refused() {
    let sandbox = Sandbox::new();
    let changed = |at: usize, value: u8| {
        let mut dump = DUMP.to_vec();
        dump[at] = value;
        dump
    };
    let empty_slot = (38..DUMP.len()).find(|&at| DUMP[at] == 0).unwrap();
    for (name, dump) in [
        ("empty", Vec::new()),
        ("short", DUMP[..30].to_vec()),
        ("cut", DUMP[..DUMP.len() - 1].to_vec()),
        ("long", [DUMP, b"x"].concat()),
        ("more items than slots", changed(1, 0x7f)),
        ("another count", changed(empty_slot, 9)),
        ("huge", changed(13, 1)),
        ("no power of two", changed(8, 3)),
    ] {
        sandbox.write("d", dump);
        let ran = sandbox.run(&["import-redisbloom", "-o", "out", "d"]).exits(2);
        assert!(ran.err.contains("d: "), "{name}: {ran:?}");
        assert!(!sandbox.exists("out"), "{name}");
    }
}
