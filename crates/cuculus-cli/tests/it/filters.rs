//! Making, asking, changing and showing filter files.

use crate::common::{Sandbox, line_count, lines};
use cuculus::CuckooFilter;

/// BR-052: build, check and save in the first steps; everything stored is found.
#[test]
fn build_check_add_remove() {
    let sandbox = Sandbox::new();
    sandbox.write("first", lines(0..1_000));
    sandbox.write("more", lines(1_000..1_500));
    let ran = sandbox.run(&["build", "-o", "f", "--items", "2000", "--fpr", "1e-7", "first"]).exits(0);
    assert!(ran.text().contains("stored 1,000 keys"), "{ran:?}");
    assert!(ran.text().contains("1,000 keys of at most 2,0"), "{ran:?}");

    assert_eq!(sandbox.run(&["check", "f", "first"]).exits(0).out, sandbox.read("first"));
    assert_eq!(sandbox.run(&["check", "-c", "f", "first"]).exits(0).text(), "1000\n");
    sandbox.run(&["check", "-v", "f", "first"]).exits(1);
    assert_eq!(sandbox.run(&["check", "-vc", "f", "first"]).exits(1).text(), "0\n");
    let new = line_count(&sandbox.run(&["check", "-v", "f", "more"]).exits(0).out);
    assert_eq!(new, 500);
    sandbox.run_with(&["check", "f"], b"").exits(1);

    let ran = sandbox.run(&["add", "f", "more", "first"]).exits(0);
    assert!(ran.text().contains("stored 500 keys, 1,000 repeats"), "{ran:?}");
    assert_eq!(sandbox.run(&["check", "-c", "f", "first", "more"]).exits(0).text(), "1500\n");

    let ran = sandbox.run(&["remove", "f", "first"]).exits(0);
    assert!(ran.text().contains("removed 1,000 keys, 0 keys not found"), "{ran:?}");
    assert_eq!(sandbox.run(&["check", "-c", "f", "more"]).exits(0).text(), "500\n");
    let left = line_count(&sandbox.run(&["check", "f", "first"]).out);
    assert_eq!(left, 0);
    sandbox.run(&["verify", "f"]).exits(0);
    assert_eq!(sandbox.names(), ["f", "first", "more"], "nothing is left behind");
}

/// A build that sizes itself has room for exactly what it holds, and its bytes are those of a planned build.
#[test]
fn self_sizing_builds() {
    let sandbox = Sandbox::new();
    for n in [0u64, 1, 2, 3, 100, 20_000] {
        // Every key three times, and far apart.
        sandbox.write("keys", lines(0..n).repeat(3));
        let ran = sandbox.run(&["build", "-o", "f", "--layout", "compact", "--json", "keys"]).exits(0).json();
        assert_eq!((ran["stored"].as_u64(), ran["repeats"].as_u64()), (Some(n), Some(2 * n)), "exactly");
        assert_eq!(ran["items"].as_u64(), Some(n));
        assert!(ran["capacity"].as_u64().unwrap() >= n);
        sandbox.write("once", lines(0..n));
        let planned = ["build", "-o", "g", "--items", &n.to_string(), "--copies", "--layout", "compact", "once"];
        sandbox.run(&planned).exits(0);
        assert!(sandbox.read("f") == sandbox.read("g"), "{n}: same keys in the same order, same bytes");
    }
}

#[test]
fn copies() {
    let sandbox = Sandbox::new();
    sandbox.write("twice", lines(0..500).repeat(2));
    for sizing in [&["--items", "1300"][..], &[]] {
        let args = [&["build", "-o", "f", "--copies", "--json", "twice"], sizing].concat();
        let ran = sandbox.run(&args).exits(0).json();
        assert_eq!((ran["stored"].as_u64(), ran["repeats"].as_u64()), (Some(1_000), Some(0)));
    }
    sandbox.write("once", lines(0..500));
    for _ in 0..2 {
        assert_eq!(sandbox.run(&["check", "-c", "f", "once"]).exits(0).text(), "500\n");
        let ran = sandbox.run(&["remove", "--json", "f", "once"]).exits(0).json();
        assert_eq!((ran["removed"].as_u64(), ran["not_found"].as_u64()), (Some(500), Some(0)));
    }
    let ran = sandbox.run(&["remove", "--json", "f", "once"]).exits(1).json();
    assert_eq!(
        (ran["removed"].as_u64(), ran["not_found"].as_u64(), ran["items"].as_u64()),
        (Some(0), Some(500), Some(0))
    );
    assert_eq!(ran["saved"], false);
}

/// BR-088, BR-029: many copies of one key end at once with an error that says so.
#[test]
fn too_many_copies() {
    let sandbox = Sandbox::new();
    sandbox.write("same", "again\n".repeat(100_000));
    sandbox.run(&["build", "-o", "f", "--copies", "same"]).fails(&["times already", "nothing was written"]);
    assert!(!sandbox.exists("f"));
    let ran = sandbox.run(&["build", "-o", "f", "--json", "same"]).exits(0).json();
    assert_eq!((ran["stored"].as_u64(), ran["repeats"].as_u64()), (Some(1), Some(99_999)));
}

#[test]
fn what_is_known_decides_the_size() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..1_000));
    let build = |args: &[&str]| {
        let args = [&["build", "-o", "f", "--json", "keys"], args].concat();
        sandbox.run(&args).exits(0).json()
    };
    let rate = |json: &serde_json::Value| json["promised_false_positive_rate"].as_f64().unwrap();
    assert_eq!(rate(&build(&[])), 0.01);
    assert_eq!(rate(&build(&["--fpr", "0.1%"])), 0.001);
    let by_memory = build(&["--memory", "4KiB"]);
    assert!(by_memory["table_bytes"].as_u64().unwrap() <= 4096 && rate(&by_memory) < 1e-6, "{by_memory}");
    let both = build(&["--memory", "4KiB", "--fpr", "1%"]);
    assert!(both["capacity"].as_u64().unwrap() > 2_500, "{both}");
    let items = build(&["--memory", "4KiB", "--items", "2k"]);
    assert!(items["capacity"].as_u64().unwrap() >= 2_000, "{items}");
    assert!(rate(&items) < rate(&both) * 1.01, "{items}");
    sandbox.run(&["build", "-o", "f", "--memory", "1MiB", "--items", "5", "--fpr", "1%", "keys"]).fails(&["only two"]);
    sandbox.run(&["build", "-o", "f", "--memory", "100", "keys"]).fails(&["no room for 1,000 items in 100 bytes"]);
}

#[test]
fn layouts_and_seeds() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..3_000));
    let mut seen = Vec::new();
    for layout in ["packed", "semi-sorted", "compact"] {
        for seed in ["0", "1", "18446744073709551615"] {
            sandbox.run(&["build", "-o", "f", "--layout", layout, "--seed", seed, "keys"]).exits(0);
            let info = sandbox.run(&["info", "--json", "f"]).exits(0).json();
            assert_eq!(info["layout"], layout);
            assert_eq!(info["seed"].as_u64().unwrap().to_string(), seed);
            assert_eq!(sandbox.run(&["check", "-c", "f", "keys"]).exits(0).text(), "3000\n");
            sandbox.run(&["verify", "f"]).exits(0);
            let bytes = sandbox.read("f");
            assert!(!seen.contains(&bytes));
            seen.push(bytes);
        }
    }
}

/// BR-044: the command line's filter is the library's, in every process.
#[test]
fn files_are_the_librarys() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..1_000));
    sandbox.run(&["build", "-o", "f", "--items", "1500", "--fpr", "1e-3", "--seed", "7", "keys"]).exits(0);
    let mut ours = CuckooFilter::builder().items(1_500).false_positive_rate(0.001).seed(7).build().unwrap();
    for i in 0..1_000 {
        ours.insert_unique(&format!("key-{i}")).unwrap();
    }
    assert!(sandbox.read("f") == ours.to_bytes());
}

/// BR-053, BR-054: a filter that was saved and loaded goes on as if it had not been; every parameter comes back.
#[test]
fn saved_filters_go_on() {
    let sandbox = Sandbox::new();
    sandbox.write("one", lines(0..700));
    sandbox.write("two", lines(700..1_400));
    for layout in ["packed", "semi-sorted", "compact"] {
        let parameters = ["--items", "1500", "--fpr", "0.3%", "--seed", "77", "--layout", layout];
        sandbox.run(&[&["build", "-o", "whole", "one", "two"][..], &parameters].concat()).exits(0);
        sandbox.run(&[&["build", "-o", "f", "one"][..], &parameters].concat()).exits(0);
        sandbox.run(&["add", "f", "two"]).exits(0);
        assert!(sandbox.read("f") == sandbox.read("whole"), "{layout}");
        // BR-064: a file is its table and little else.
        let info = sandbox.run(&["info", "--json", "f"]).exits(0).json();
        assert!(info["file_bytes"].as_u64().unwrap() <= info["table_bytes"].as_u64().unwrap() + 1024);
        // BR-028: the count is what went in less what went out.
        let added = info["items"].as_u64().unwrap();
        let removed = sandbox.run(&["remove", "--json", "f", "one"]).exits(0).json();
        let (removed, left) = (removed["removed"].as_u64().unwrap(), removed["items"].as_u64().unwrap());
        assert_eq!(added - removed, left);
    }
}

/// BR-087: whoever knows the hash finds keys that fill the slots of one item; under a secret key they spread.
#[test]
fn keys_chosen_by_an_enemy() {
    let sandbox = Sandbox::new();
    let mut probe =
        CuckooFilter::builder().items(1_000).false_positive_rate(0.1).layout(cuculus::Layout::Packed).build().unwrap();
    probe.insert("enemy").unwrap();
    let alike = (0..).map(|i| format!("enemy-{i}")).filter(|key| probe.contains(key)).take(12);
    sandbox.write("keys", alike.map(|key| key + "\n").collect::<String>());
    sandbox.write("secret", [3; 16]);
    let build = ["build", "-o", "f", "--items", "1000", "--fpr", "10%", "--layout", "packed", "--copies", "keys"];
    sandbox.run(&build).fails(&["8 times already", "record 9 of keys", "nothing was written"]);
    sandbox.run(&[&build[..], &["--key-file", "secret"]].concat()).exits(0);
}

#[test]
fn secret_keys() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..100));
    sandbox.write("secret", "00112233445566778899aabbccddeeff\n");
    sandbox.write("raw", (0..16u8).map(|i| i * 17).collect::<Vec<_>>());
    sandbox.write("other", [7; 16]);
    sandbox.write("short", "0011");
    sandbox.run(&["build", "-o", "f", "--key-file", "secret", "--items", "300", "keys"]).exits(0);
    let info = sandbox.run(&["info", "--json", "f"]).exits(0).json();
    assert_eq!((info["keyed"].as_bool(), info["seed"].as_u64()), (Some(true), None));
    sandbox.run(&["verify", "f"]).exits(0);

    let commands: [&[&str]; 4] = [&["check", "-c"], &["add"], &["remove"], &["verify"]];
    for command in commands {
        let run = |key: &[&str]| {
            let input = if command[0] == "verify" { &["f"][..] } else { &["f", "keys"] };
            sandbox.run(&[command, key, input].concat())
        };
        if command[0] != "verify" {
            run(&[]).fails(&["secret key", "--key-file"]);
        }
        run(&["--key-file", "other"]).fails(&["not the one"]);
        run(&["--key-file", "short"]).fails(&["--key-file short", "16 raw bytes or 32 hexadecimal digits", "4 bytes"]);
        run(&["--key-file", "missing"]).fails(&["--key-file missing", "No such file"]);
        // Raw and hexadecimal are one key.
        run(&["--key-file", "raw"]).exits(0);
    }
    sandbox.run(&["merge", "-o", "m", "f", "f"]).fails(&["--key-file"]);
    sandbox.run(&["build", "-o", "plain", "keys"]).exits(0);
    sandbox.run(&["check", "--key-file", "raw", "plain", "keys"]).fails(&["without a secret key"]);
    sandbox.run(&["build", "-o", "g", "--key-file", "raw", "--seed", "1", "keys"]).fails(&["--seed"]);
}

/// BR-063: info reads the header only, works on a pipe, and names what is no filter.
#[test]
fn info() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..1_000));
    sandbox.run(&["build", "-o", "f", "--items", "2000", "--copies", "keys"]).exits(0);
    let text = sandbox.run(&["info", "f"]).exits(0);
    for part in ["1,000 of at most 2,0", "1 %", "XXH3-64, seed 0", "format version 1"] {
        assert!(text.text().contains(part), "no \"{part}\" in {text:?}");
    }
    let bytes = sandbox.read("f");
    let json = sandbox.run(&["info", "--json", "f"]).exits(0).json();
    assert_eq!(json["items"], 1_000);
    assert_eq!(json["file_bytes"].as_u64(), Some(bytes.len() as u64));
    // The table is not looked at, and not even waited for.
    let mut piped = sandbox.run_with(&["info", "--json", "-"], &bytes[..300]).exits(0).json();
    piped["file"] = json["file"].clone();
    assert_eq!(piped, json);
    assert!(sandbox.shell("cat f | cuculus info /dev/stdin").exits(0).text().contains("1,000 of"));

    sandbox.write("gz", [0x1f, 0x8b, 8, 0, 1, 2, 3]);
    sandbox.run(&["info", "gz"]).fails(&["gz", "no cuculus filter but"]);
    sandbox.run(&["info", "keys"]).fails(&["keys", "no cuculus filter but"]);
    sandbox.run_with(&["info", "-"], b"hello").fails(&["standard input"]);
    sandbox.run(&["info", "missing"]).fails(&["missing"]);
    sandbox.write("f", &bytes[..bytes.len() - 1]);
    sandbox.run(&["info", "f"]).fails(&["cut short"]);
}

/// BR-043, BR-062: foreign, cut and changed files are refused by name.
#[test]
fn damaged_files() {
    let sandbox = Sandbox::new();
    let keys = lines(0..200);
    sandbox.write("keys", &keys);
    sandbox.run(&["build", "-o", "f", "keys"]).exits(0);
    let whole = sandbox.read("f");
    sandbox.run_with(&["verify", "-"], &whole).exits(0);
    let json = sandbox.run(&["verify", "--json", "f"]).exits(0).json();
    assert_eq!((json["whole"].as_bool(), json["items"].as_u64()), (Some(true), Some(200)));

    for at in [0, 9, 100, 255, 256, 300, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        sandbox.write("d", &changed);
        sandbox.run(&["verify", "d"]).fails(&["d"]);
        sandbox.run_with(&["verify", "-"], &changed).fails(&["standard input"]);
        sandbox.run(&["add", "d", "keys"]).fails(&["d"]);
        sandbox.run(&["remove", "d", "keys"]).fails(&["d"]);
        if at < 256 {
            sandbox.run(&["check", "d", "keys"]).fails(&["d"]);
            sandbox.run(&["info", "d"]).fails(&["d"]);
        } else {
            // Not verified: wrong answers at worst.
            assert_ne!(sandbox.run(&["check", "-c", "d", "keys"]).code, Some(2));
        }
        assert_eq!(sandbox.read("d"), changed, "refused and left alone");
    }
    for length in [0, 1, 255, 256, whole.len() - 1] {
        sandbox.write("d", &whole[..length]);
        for command in ["verify", "info", "check", "add", "remove"] {
            let args =
                if matches!(command, "verify" | "info") { vec![command, "d"] } else { vec![command, "d", "keys"] };
            sandbox.run(&args).fails(&["d"]);
        }
    }
    sandbox.run(&["check", "keys", "keys"]).fails(&["no cuculus filter"]);
    sandbox.run(&["check", ".", "keys"]).fails(&[]);
    sandbox.run(&["add", ".", "keys"]).fails(&[]);
}

/// BR-066: looking up needs no right to write and changes nothing, from several processes at once.
#[test]
fn looking_up_leaves_the_file_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..10_000));
    let file = sandbox.path("f");
    sandbox.run(&["build", "-o", "f", "keys"]).exits(0);
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let (bytes, modified) = (sandbox.read("f"), std::fs::metadata(&file).unwrap().modified().unwrap());
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = sandbox.command(&["check", "-c", "f", "keys"]);
            command.stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(0), b"10000\n".to_vec()));
    }
    assert_eq!(sandbox.read("f"), bytes);
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), modified);
}

#[test]
fn compressed_files() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..100));
    sandbox.run(&["build", "-o", "plain", "--items", "100000", "keys"]).exits(0);
    sandbox.run(&["build", "-o", "f", "--items", "100000", "--compress", "keys"]).exits(0);
    assert!(sandbox.read("f").len() * 20 < sandbox.read("plain").len());
    assert_eq!(sandbox.run(&["info", "--json", "f"]).exits(0).json()["compressed"], true);
    sandbox.run(&["verify", "f"]).exits(0);
    assert_eq!(sandbox.run(&["check", "-c", "f", "keys"]).exits(0).text(), "100\n");
    sandbox.run_with(&["add", "f"], b"another\n").exits(0);
    assert_eq!(sandbox.run(&["info", "--json", "f"]).exits(0).json()["compressed"], true, "it stays compressed");
    assert_eq!(sandbox.run_with(&["check", "f"], b"another\n").exits(0).text(), "another\n");
    sandbox.run(&["merge", "-o", "m", "--compress", "f", "plain"]).exits(0);
    assert_eq!(sandbox.run(&["info", "--json", "m"]).exits(0).json()["items"], 201);
}

#[test]
fn where_filters_are_written() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..10));
    // To standard output.
    let bytes = sandbox.run(&["build", "-o", "-", "keys"]).exits(0).out;
    sandbox.run(&["build", "-o", "f", "keys"]).exits(0);
    assert_eq!(bytes, sandbox.read("f"));
    assert!(sandbox.shell("cuculus build -o - keys | cuculus info -").exits(0).text().contains("10 of"));
    // Over an old file; never over anything but a file.
    sandbox.run(&["build", "-o", "f", "--items", "30", "keys"]).exits(0);
    assert_ne!(bytes, sandbox.read("f"));
    sandbox.run(&["build", "-o", "f", "keys"]).exits(0);
    assert_eq!(bytes, sandbox.read("f"));
    sandbox.run(&["build", "-o", ".", "keys"]).fails(&["."]);
    sandbox.run(&["build", "-o", "/dev/null", "keys"]).fails(&["/dev/null", "no regular file"]);
    sandbox.run(&["build", "-o", "missing/f", "keys"]).fails(&["missing/f"]);
    sandbox.run(&["build", "-o", "", "keys"]).fails(&[]);
    sandbox.run(&["build", "keys"]).fails(&["--output"]);
}

#[cfg(unix)]
#[test]
fn symbolic_links_stay() {
    let sandbox = Sandbox::new();
    sandbox.write("keys", lines(0..10));
    sandbox.run(&["build", "-o", "real", "--items", "20", "keys"]).exits(0);
    std::os::unix::fs::symlink("real", sandbox.path("link")).unwrap();
    sandbox.run_with(&["add", "link"], b"new\n").exits(0);
    assert!(std::fs::symlink_metadata(sandbox.path("link")).unwrap().is_symlink());
    assert_eq!(sandbox.run(&["info", "--json", "real"]).exits(0).json()["items"], 11);
}
