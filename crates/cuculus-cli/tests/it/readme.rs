//! The commands that the README shows, run as they stand there.

use std::fs;
use std::process::Command;

/// BR-086: every example works.
#[test]
fn the_commands_of_the_readme_work_in_their_order() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let commands: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("$ cuculus ")).collect();
    assert!(commands.len() >= 5, "five examples");
    let folder = tempfile::tempdir().unwrap();
    let lines = |from: usize, to: usize| (from..to).map(|i| format!("https://example.org/{i}\n")).collect::<String>();
    fs::write(folder.path().join("urls.txt"), lines(0, 500)).unwrap();
    fs::write(folder.path().join("today.txt"), lines(400, 600)).unwrap();
    fs::write(folder.path().join("access.log"), lines(0, 100).repeat(3)).unwrap();
    for line in commands {
        let command = format!("'{}' {line}", env!("CARGO_BIN_EXE_cuculus"));
        let output = Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        if line.starts_with("check -v") {
            let new = output.stdout.iter().filter(|&&byte| byte == b'\n').count();
            assert!((95..=100).contains(&new), "{new} of 100 new lines");
        }
    }
    assert_eq!(fs::read_to_string(folder.path().join("unique.log")).unwrap(), lines(0, 100));
}
