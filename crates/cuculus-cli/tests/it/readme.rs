//! The commands that the README shows, run as they stand there.

use crate::common::Sandbox;

/// BR-086: every example works.
#[test]
fn the_commands_of_the_readme_work_in_their_order() {
    let readme = include_str!("../../../../README.md");
    let commands: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(commands.len() >= 5, "five examples");
    let folder = Sandbox::new();
    let lines = |from: usize, to: usize| (from..to).map(|i| format!("https://example.org/{i}\n")).collect::<String>();
    folder.write("urls.txt", lines(0, 500));
    folder.write("today.txt", lines(400, 600));
    folder.write("access.log", lines(0, 100).repeat(3));
    for line in commands {
        let ran = folder.shell(line);
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        if line.contains("check -v") {
            let new = ran.out.iter().filter(|&&byte| byte == b'\n').count();
            assert!((95..=100).contains(&new), "{new} of 100 new lines");
        }
    }
    assert_eq!(folder.read("unique.log"), lines(0, 100).into_bytes());
}
