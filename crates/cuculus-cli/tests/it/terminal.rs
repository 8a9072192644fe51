//! What a terminal shows: `script` runs the program in one.
#![cfg(target_os = "linux")]

use crate::common::{Sandbox, lines};

fn in_terminal(sandbox: &Sandbox, line: &str) -> crate::common::Ran {
    sandbox.write("line.sh", format!("export TERM=xterm\n{line}\n"));
    sandbox.shell("script -qec 'bash line.sh' /dev/null")
}

/// The result stood behind a bar that was cleared with it.
#[test]
fn the_bar_has_gone_before_the_result() {
    let sandbox = Sandbox::new();
    sandbox.write("a", lines(0..500));
    sandbox.run(&["build", "-o", "f", "a"]).exits(0);
    for (command, result) in
        [("check -c f", "1000"), ("check -v -c f", "0"), ("remove f", "removed 500 keys"), ("build -o g", "stored 500")]
    {
        let ran = in_terminal(&sandbox, &format!("(cat a; sleep 1.2; cat a) | cuculus {command}"));
        let text = ran.text();
        let (before, after) = text.rsplit_once("\x1b[2K").unwrap_or_else(|| panic!("{command}: no bar in {text:?}"));
        assert!(before.contains(" read"), "{command}: no bar in {text:?}");
        assert!(after.starts_with(result), "{command}: {text:?}");
    }
}

#[test]
fn filters_are_not_written_to_it() {
    let sandbox = Sandbox::new();
    sandbox.write("a", lines(0..5));
    let ran = in_terminal(&sandbox, "cuculus build -o - a").exits(2);
    assert!(ran.text().contains("terminal") && ran.text().contains("--force"), "{ran:?}");
    let out = in_terminal(&sandbox, "cuculus build --force -o - a").exits(0).out;
    assert!(String::from_utf8_lossy(&out).contains("CUCULUS"));
    assert!(in_terminal(&sandbox, "cuculus build -o - a | wc -c").exits(0).text().trim().parse::<u32>().is_ok());
}
