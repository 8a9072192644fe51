//! What is a key: lines, NUL records, fields; packed inputs; ends of lines and of files.

use crate::common::{Sandbox, lines};
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// The keys as the program sees them: what `dedup` prints.
fn keys(sandbox: &Sandbox, args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut all = vec!["dedup"];
    all.extend_from_slice(args);
    sandbox.run_with(&all, input).exits(0).out
}

#[test]
fn lines_and_their_ends() {
    let sandbox = Sandbox::new();
    assert_eq!(keys(&sandbox, &[], b""), b"");
    assert_eq!(keys(&sandbox, &[], b"a\nb\na\n"), b"a\nb\n");
    // The last line may lack its newline; it is printed with one.
    assert_eq!(keys(&sandbox, &[], b"a\nb"), b"a\nb\n");
    assert_eq!(keys(&sandbox, &[], b"b"), b"b\n");
    // An empty line is the empty key.
    assert_eq!(keys(&sandbox, &[], b"\n\na\n\n"), b"\na\n");
    // A carriage return before the newline is part of the line's end: one key, printed as it first came.
    assert_eq!(keys(&sandbox, &[], b"a\r\na\nb\nb\r\n"), b"a\r\nb\n");
    // Elsewhere it is part of the key.
    assert_eq!(keys(&sandbox, &[], b"a\rb\na\n\ra\na\r\r\na"), b"a\rb\na\n\ra\na\r\r\n");
    // Bytes are bytes.
    assert_eq!(keys(&sandbox, &[], b"\xff\xfe\n\0\n\xff\xfe\n"), b"\xff\xfe\n\0\n");
}

#[test]
fn nul_records() {
    let sandbox = Sandbox::new();
    for option in ["-0", "--null"] {
        assert_eq!(keys(&sandbox, &[option], b"a\nb\0c\0a\nb\0"), b"a\nb\0c\0");
        assert_eq!(keys(&sandbox, &[option], b"a\r\0a\0a"), b"a\r\0a\0");
    }
}

#[test]
fn several_files_and_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1\n2");
    sandbox.write("b", "3\n1\n");
    assert_eq!(keys(&sandbox, &["a", "b"], b""), b"1\n2\n3\n");
    assert_eq!(keys(&sandbox, &["b", "-", "a"], b"9\n3"), b"3\n1\n9\n2\n");
    assert_eq!(keys(&sandbox, &["-"], b"x\n"), b"x\n");
}

/// BR-049: a line is its bytes, the same key wherever it comes from.
#[test]
fn one_key_in_every_form() {
    let sandbox = Sandbox::new();
    sandbox.write("plain", "caf\u{e9}\n");
    sandbox.run(&["build", "-o", "f", "plain"]).exits(0);
    sandbox.write("windows", "caf\u{e9}\r\n");
    sandbox.write("nul", "caf\u{e9}\0");
    sandbox.write("csv", "x,\"caf\u{e9}\"\n");
    sandbox.write("packed", gzip("caf\u{e9}".as_bytes()));
    assert_eq!(sandbox.run(&["check", "-c", "f", "windows", "packed"]).exits(0).text(), "2\n");
    assert_eq!(sandbox.run(&["check", "-c", "-0", "f", "nul"]).exits(0).text(), "1\n");
    assert_eq!(sandbox.run(&["check", "-c", "--field", "2", "f", "csv"]).exits(0).text(), "1\n");
    assert_eq!(sandbox.run(&["check", "-c", "f", "csv"]).exits(1).text(), "0\n");
    // The library's filter of the same name, in the same process language: text and its bytes are one item.
    let filter = cuculus::CuckooFilter::load(sandbox.path("f"), None).unwrap();
    assert!(filter.contains("caf\u{e9}") && filter.contains("caf\u{e9}".as_bytes()));
}

#[test]
fn fields_quoted_as_csv() {
    let sandbox = Sandbox::new();
    let table = b"id,name\n1,\"Smith, John\"\n2,\"say \"\"hi\"\"\"\n3,\"two\nlines\"\n4,\"Smith, John\"\n5,plain\n6,\"plain\"\n";
    let once = b"id,name\n1,\"Smith, John\"\n2,\"say \"\"hi\"\"\"\n3,\"two\nlines\"\n5,plain\n";
    assert_eq!(keys(&sandbox, &["--field", "2"], table), once);
    assert_eq!(
        keys(&sandbox, &["--field", "2", "--only-key"], table),
        b"name\nSmith, John\nsay \"hi\"\ntwo\nlines\nplain\n"
    );
    assert_eq!(keys(&sandbox, &["--field", "1"], table), table);
    // The key of a field is the key of a line with the same bytes.
    sandbox.run_with(&["build", "-o", "f"], b"Smith, John\nsay \"hi\"\n").exits(0);
    assert_eq!(sandbox.run_with(&["check", "-c", "f", "--field", "2"], table).exits(0).text(), "3\n");
    assert_eq!(
        sandbox.run_with(&["check", "f", "--field", "2"], table).exits(0).out,
        b"1,\"Smith, John\"\n2,\"say \"\"hi\"\"\"\n4,\"Smith, John\"\n"
    );
}

#[test]
fn fields_delimiters_and_line_ends() {
    let sandbox = Sandbox::new();
    for delimiter in ["\\t", "tab", "\t"] {
        assert_eq!(keys(&sandbox, &["--field", "2", "--delimiter", delimiter], b"a\tb\nc\tb\n"), b"a\tb\n");
    }
    assert_eq!(keys(&sandbox, &["--field", "1", "--delimiter", ";"], b"a,1;x\na,1;y\n"), b"a,1;x\n");
    // CRLF after the last field, quoted or not, and inside quotes where it is part of the key.
    assert_eq!(keys(&sandbox, &["--field", "2"], b"1,a\r\n2,a\n3,\"a\"\r\n4,\"a\r\"\n"), b"1,a\r\n4,\"a\r\"\n");
    // Empty lines are no records; an empty field is the empty key.
    assert_eq!(keys(&sandbox, &["--field", "1"], b"\n\r\na,1\n\n\n,2\n\r\na,3\n"), b"a,1\n,2\n");
    // The last record may lack its end.
    assert_eq!(keys(&sandbox, &["--field", "2"], b"1,a\n2,\"b\""), b"1,a\n2,\"b\"\n");
    assert_eq!(keys(&sandbox, &["-0", "--field", "2"], b"1,a\n\x002,b\x003,a\n\0"), b"1,a\n\x002,b\0");
}

#[test]
fn fields_that_are_not_there() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "a,b\nc\n");
    sandbox.run(&["dedup", "--field", "2", "t.csv"]).fails(&["t.csv", "record 2 has 1 fields", "number 2"]);
    sandbox.run(&["build", "-o", "f", "--field", "3", "t.csv"]).fails(&["record 1 has 2 fields"]);
    assert!(!sandbox.exists("f"));
    sandbox.run_with(&["dedup", "--field", "1"], b"a,\"b\nc,d\n").fails(&["standard input", "not closed"]);
    sandbox.run(&["dedup", "--field", "0", "t.csv"]).fails(&["--field"]);
    sandbox.run(&["dedup", "--delimiter", ";", "t.csv"]).fails(&["--field"]);
    for delimiter in ["", "ab", "\"", "\n", "\u{e9}"] {
        sandbox
            .run(&["dedup", "--field", "1", "--delimiter", delimiter, "t.csv"])
            .fails(&["--delimiter", "one ASCII character"]);
    }
    sandbox.run(&["dedup", "--only-key", "t.csv"]).fails(&["--field"]);
}

/// Records that lie over the borders of what is read at once, and records longer than it.
#[test]
fn records_of_every_length() {
    let sandbox = Sandbox::new();
    let mut text = Vec::new();
    for length in [0, 1, 65_535, 65_536, 262_142, 262_143, 262_144, 262_145, 3_000_000] {
        text.extend(std::iter::repeat_n(b'x', length));
        text.push(b'\n');
    }
    assert_eq!(keys(&sandbox, &[], &text), text);
    assert_eq!(keys(&sandbox, &[], &[&text[..], &text[..]].concat()), text);
    assert_eq!(keys(&sandbox, &[], &text[..text.len() - 1]), text);

    let mut table = Vec::new();
    for length in [1, 262_139, 262_140, 262_141, 1_000_000] {
        table.extend_from_slice(format!("{length},\"").as_bytes());
        table.extend("y\n\"\"".bytes().cycle().take(length * 4));
        table.extend_from_slice(b"\"\n");
    }
    assert_eq!(keys(&sandbox, &["--field", "2"], &[&table[..], &table[..]].concat()), table);

    let many = lines(0..300_000);
    assert_eq!(keys(&sandbox, &[], many.as_bytes()), many.as_bytes());
}

/// Packed files are known by their contents, whatever their names, also on standard input.
#[test]
fn packed_inputs() {
    let sandbox = Sandbox::new();
    let text = lines(0..50_000);
    let half = text.len() / 2;
    let (one, two) = text.as_bytes().split_at(half);
    let forms = [
        ("plain", text.clone().into_bytes()),
        ("a.gz", gzip(text.as_bytes())),
        ("a.zst", zstd(text.as_bytes())),
        ("gz-without-a-name", gzip(text.as_bytes())),
        ("zst-without-a-name", zstd(text.as_bytes())),
        ("members.gz", [gzip(one), gzip(two)].concat()),
        // Frames, with a skippable one between and before.
        (
            "frames.zst",
            [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd(one), b"\x5f\x2a\x4d\x18\0\0\0\0", &zstd(two)].concat(),
        ),
        ("empty.gz.zst", zstd(b"")),
    ];
    for (name, bytes) in &forms {
        sandbox.write(name, bytes);
        let expected = if *name == "empty.gz.zst" { "" } else { &text };
        assert!(keys(&sandbox, &[name], b"") == expected.as_bytes(), "{name}");
        if *name != "frames.zst" {
            assert!(keys(&sandbox, &["-"], bytes) == expected.as_bytes(), "{name} on standard input");
        }
    }
    // What only looks a little like a packed file is text.
    for text in [&b"\x1f\n"[..], b"\x1f\x8b\n", b"\x28\xb5\x2f\n", b"\x28", b"\x1f\x8b"] {
        let with_end = [text.strip_suffix(b"\n").unwrap_or(text), b"\n"].concat();
        assert_eq!(keys(&sandbox, &[], text), with_end);
    }
}

#[test]
fn damaged_packed_inputs() {
    let sandbox = Sandbox::new();
    let text = lines(0..50_000);
    for (name, whole) in [("a.gz", gzip(text.as_bytes())), ("a.zst", zstd(text.as_bytes()))] {
        for cut in [5, 20, whole.len() / 2, whole.len() - 1] {
            sandbox.write(name, &whole[..cut]);
            sandbox.run(&["build", "-o", "f", name]).fails(&[name]);
            assert!(!sandbox.exists("f"), "{name} cut at {cut}");
        }
        let mut changed = whole.clone();
        let at = changed.len() - 2;
        changed[at] ^= 1;
        sandbox.write(name, changed);
        sandbox.run(&["build", "-o", "f", name]).fails(&[name]);
        sandbox.write(name, "no packed text\n");
        sandbox.run(&["build", "-o", "f", name]).fails(&[name, "not of that kind"]);
        sandbox.write(name, [&whole[..], b"more"].concat());
        let ran = sandbox.run(&["build", "-o", "f", name]).fails(&[name, "not a whole"]);
        assert!(!ran.err.contains('{') && ran.err.lines().count() == 1, "an error for people: {ran:?}");
    }
    sandbox.write("a.xz", b"\xFD7zXZ\0");
    sandbox.run(&["build", "-o", "f", "a.xz"]).fails(&["a.xz", "xz -dc FILE | cuculus"]);
    sandbox.write("a.bz2", b"BZh9");
    sandbox.run(&["build", "-o", "f", "a.bz2"]).fails(&["a.bz2", "bzip2 -dc FILE | cuculus"]);
}

/// A byte order mark hid the quotes of the first field behind it.
#[test]
fn byte_order_marks() {
    let sandbox = Sandbox::new();
    let key = |input: &[u8]| sandbox.run_with(&["dedup", "--field", "1", "--only-key"], input).exits(0).out;
    assert_eq!(key("\u{feff}\"a, b\",c\n\"a, b\",d\n".as_bytes()), b"a, b\n");
    assert_eq!(key("\u{feff}x,c\n\u{feff}x,c\n".as_bytes()), "x\n\u{feff}x\n".as_bytes(), "only at the start");
    assert_eq!(key("\u{feff}".as_bytes()), b"");
    for text in [&b"\xEF\xBBx\n"[..], b"\xEF\n", b"x\n", b"\xEF\xBB\xBE\n"] {
        assert_eq!(key(text), text);
    }
    // At the start of each input; without --field a key is the bytes of its line.
    sandbox.write("a", "\u{feff}\"x\"\n");
    sandbox.write("b", "\u{feff}\"x\"\n");
    assert_eq!(sandbox.run(&["dedup", "--field", "1", "--only-key", "a", "b"]).exits(0).out, b"x\n");
    assert_eq!(sandbox.run(&["dedup", "a", "b"]).exits(0).out, "\u{feff}\"x\"\n".as_bytes());
}

/// As grep does: what can be read is checked, and the code is that of an error.
#[test]
fn checks_go_on_without_the_inputs_that_are_missing() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "x\ny\n");
    sandbox.run(&["build", "-o", "f", "a"]).exits(0);
    let ran = sandbox.run(&["check", "f", "a", "missing", "."]).fails(&["missing: No such file", ".: is a directory"]);
    assert_eq!(ran.out, b"x\ny\n");
    let ran = sandbox.run_with(&["check", "-c", "f", "missing"], b"x\n").fails(&["missing"]);
    assert_eq!(ran.out, b"", "standard input was not named");
    sandbox.run(&["check", "-", "a"]).fails(&["must be a file"]);
    sandbox.run(&["add", "-", "a"]).fails(&["must be a file"]);
}

#[test]
fn inputs_that_cannot_be_read() {
    let sandbox = Sandbox::new();
    sandbox.write("good", "a\n");
    for command in [&["build", "-o", "f"][..], &["dedup"]] {
        let with = |name| [command, &["good", name]].concat();
        // Told before any work: nothing is printed.
        let ran = sandbox.run(&with("missing")).fails(&["missing", "No such file"]);
        assert_eq!(ran.out, b"");
        sandbox.run(&with(".")).fails(&["directory"]);
    }
    assert!(!sandbox.exists("f"));
}
