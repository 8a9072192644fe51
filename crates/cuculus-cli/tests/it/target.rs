//! What a new filter may replace, and where its name leads.

use crate::common::{Sandbox, lines};

/// `build -o words.txt words.txt` destroyed the words.
#[test]
fn what_is_no_filter_is_not_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", lines(0..100));
    let args = ["build", "-o", "a.txt", "a.txt"];
    sandbox.run(&args).fails(&["a.txt", "no cuculus filter", "--force"]);
    // Also not with --force while it is being read, nor by another way to the same file.
    std::fs::hard_link(sandbox.path("a.txt"), sandbox.path("b.txt")).unwrap();
    for args in [["a.txt", "a.txt"], ["b.txt", "a.txt"]] {
        sandbox.run(&["build", "--force", "-o", args[0], args[1]]).fails(&[args[0], "an input and the output"]);
    }
    sandbox.shell("cuculus build --force -o a.txt < a.txt").fails(&["an input and the output"]);
    assert_eq!(sandbox.read("a.txt"), lines(0..100).as_bytes());

    sandbox.write("notes", "precious");
    sandbox.run(&["build", "-o", "notes", "a.txt"]).fails(&["notes", "no cuculus filter"]);
    assert_eq!(sandbox.read("notes"), b"precious");
    sandbox.run(&["build", "--force", "-o", "notes", "a.txt"]).exits(0);
    // A filter is replaced, a damaged one and an empty file too.
    let bytes = sandbox.read("notes");
    for old in [&bytes[..], &bytes[..100], b""] {
        sandbox.write("notes", old);
        sandbox.run(&["build", "-o", "notes", "a.txt"]).exits(0);
        assert_eq!(sandbox.read("notes"), bytes);
    }
    sandbox.write("precious", "precious");
    sandbox.run(&["merge", "-o", "precious", "notes", "notes"]).fails(&["precious", "no cuculus filter", "--force"]);
    sandbox.run(&["check", "-c", "notes", "a.txt"]).exits(0);
}

#[test]
fn names_that_cannot_be_made() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", lines(0..10));
    for (name, says) in [
        ("new/", "no name for a file"),
        ("new/.", "no name for a file"),
        ("new/..", "no name for a file"),
        ("new/a", "its directory"),
        (".", "no name for a file"),
        ("/dev/null", "\"-o -\""),
    ] {
        sandbox.run(&["build", "-o", name, "a.txt"]).fails(&[name, says]);
    }
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.run(&["build", "-o", "folder", "a.txt"]).fails(&["folder", "is a directory"]);
    assert_eq!(sandbox.names(), ["a.txt", "folder"], "nothing is left behind");
}

/// A name that leads nowhere made `build` go round for ever.
#[cfg(unix)]
#[test]
fn links_are_followed_to_where_the_file_will_be() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", lines(0..10));
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    for (link, to) in
        [("good.c", "folder/first"), ("folder/first", "made.c"), ("lost.c", "nowhere/x"), ("ring.c", "ring.c")]
    {
        symlink(to, sandbox.path(link)).unwrap();
    }
    sandbox.run(&["build", "-o", "lost.c", "a.txt"]).fails(&["lost.c", "its directory"]);
    sandbox.run(&["build", "-o", "ring.c", "a.txt"]).fails(&["ring.c", "symbolic links"]);
    for _ in 0..2 {
        sandbox.run(&["build", "-o", "good.c", "a.txt", "--items", "20"]).exits(0);
    }
    assert!(sandbox.path("good.c").is_symlink() && sandbox.path("folder/first").is_symlink());
    assert_eq!(sandbox.run(&["check", "-c", "folder/made.c", "a.txt"]).exits(0).text(), "10\n");

    for (name, says) in [("lost.c", "its directory"), ("ring.c", "symbolic links")] {
        sandbox.run(&["merge", "-o", name, "good.c", "good.c"]).fails(&[name, says]);
    }
    std::fs::remove_file(sandbox.path("folder/made.c")).unwrap();
    sandbox.run(&["build", "-o", "b.c", "a.txt", "--items", "20"]).exits(0);
    sandbox.run(&["merge", "-o", "good.c", "b.c", "b.c"]).exits(0);
    assert_eq!(sandbox.run(&["check", "-c", "folder/made.c", "a.txt"]).exits(0).text(), "10\n");
    assert_eq!(sandbox.names(), ["a.txt", "b.c", "folder", "good.c", "lost.c", "ring.c"]);
}

/// A promised rate of nothing was saved and never read again.
#[test]
fn few_keys_in_much_memory_are_read_again() {
    let sandbox = Sandbox::new();
    for (items, keys) in [("0", ""), ("1", "hi\n"), ("10", "hi\n")] {
        sandbox.run_with(&["build", "-o", "z.c", "--items", items, "--memory", "64MiB"], keys.as_bytes()).exits(0);
        sandbox.run(&["info", "z.c"]).exits(0);
        sandbox.run_with(&["check", "-c", "z.c"], b"hi\n").exits(i32::from(keys.is_empty()));
        std::fs::remove_file(sandbox.path("z.c")).unwrap();
    }
    sandbox.run(&["build", "-o", "z.c", "--memory", "64"]).exits(0);
    sandbox.run(&["verify", "z.c"]).exits(0);
}
