//! BR-062: a save that is killed, at every system call that it makes, leaves the old file or the new one whole.
//!
//! This program runs itself as the child that saves. `strace` writes down which system calls a save makes; then one child
//! after the other is killed by `SIGKILL` as it enters one of them (`strace --inject`), until every call of every
//! scenario had its turn. Further children are killed at moments spread over the time that a save takes. Without `strace`
//! only those are left; where `CI` is set that is an error. That the harness sees torn files is shown with a writer
//! that rewrites in place.

#[cfg(not(all(unix, feature = "std")))]
fn main() {}

#[cfg(all(unix, feature = "std"))]
fn main() {
    match std::env::var_os("CUCULUS_KILL") {
        Some(scenario) => kill::child(scenario.to_str().expect("a scenario")),
        None => kill::parent(),
    }
}

#[cfg(all(unix, feature = "std"))]
mod kill {
    use cuculus::{CuckooFilter, verify_bytes};
    use std::collections::HashMap;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitStatus, Stdio};
    use std::time::{Duration, Instant};

    /// What is there before, and how the child saves.
    const SCENARIOS: [&str; 5] = ["replace", "create", "compress", "link", "in-place"];
    /// Kills in all, in the scenarios in which no torn file may appear.
    const KILLS: usize = 200;
    /// Paths that are asked for just before and after the save, to find them among the system calls.
    const MARKS: [&str; 2] = ["/cuculus-save-begins", "/cuculus-save-ended"];

    fn filter(items: u64) -> CuckooFilter {
        let mut filter = CuckooFilter::builder().items(100_000).false_positive_rate(0.01).build().unwrap();
        (0..items).for_each(|key| filter.insert(&key).unwrap());
        filter
    }

    fn old() -> CuckooFilter {
        filter(3_000)
    }

    fn new() -> CuckooFilter {
        filter(4_000)
    }

    fn new_bytes(scenario: &str) -> Vec<u8> {
        if scenario == "compress" { new().to_compressed_bytes() } else { new().to_bytes() }
    }

    pub(crate) fn child(scenario: &str) {
        let path = std::env::args_os().nth(1).expect("a path");
        let (filter, bytes) = (new(), new_bytes(scenario));
        let _ = fs::metadata(MARKS[0]);
        match scenario {
            "compress" => filter.save_compressed(&path).unwrap(),
            "in-place" => fs::write(&path, bytes).unwrap(),
            _ => filter.save(&path).unwrap(),
        }
        let _ = fs::metadata(MARKS[1]);
    }

    struct Run {
        folder: PathBuf,
        old: Vec<u8>,
    }

    impl Run {
        fn target(&self) -> PathBuf {
            self.folder.join("filter")
        }

        /// The folder as it is before a save.
        fn reset(&self, scenario: &str) {
            let _ = fs::remove_dir_all(&self.folder);
            fs::create_dir_all(&self.folder).unwrap();
            match scenario {
                "create" => {}
                "link" => {
                    fs::write(self.folder.join("real"), &self.old).unwrap();
                    std::os::unix::fs::symlink("real", self.target()).unwrap();
                }
                _ => fs::write(self.target(), &self.old).unwrap(),
            }
        }

        fn command(&self, scenario: &str, before: &[String]) -> Command {
            let this = std::env::current_exe().unwrap();
            let mut command = match before.split_first() {
                Some((program, arguments)) => {
                    let mut command = Command::new(program);
                    command.args(arguments).arg(this);
                    command
                }
                None => Command::new(this),
            };
            command.arg(self.target()).env("CUCULUS_KILL", scenario).stdout(Stdio::null()).stderr(Stdio::null());
            command
        }

        /// Which of the two is there now; `None` if it is neither.
        fn state(&self, scenario: &str, new: &[u8]) -> Option<&'static str> {
            let state = match fs::read(self.target()) {
                Ok(bytes) if bytes == new => "new",
                Ok(bytes) if bytes == self.old && scenario != "create" => "old",
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && scenario == "create" => "old",
                _ => return None,
            };
            let whole = state == "old" || verify_bytes(&fs::read(self.target()).unwrap()).is_ok();
            // What else is there is a temporary file of ours, and no more than one.
            let names =
                fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let others: Vec<String> = names.filter(|name| name != "filter" && name != "real").collect();
            let ours = |name: &String| name.starts_with('.') && name.ends_with(".tmp");
            (whole && others.len() <= 1 && others.iter().all(ours)).then_some(state)
        }
    }

    /// The system calls between the marks: name, and which call of that name it is since the program started.
    fn calls(trace: &str) -> Vec<(String, usize)> {
        let mut counts = HashMap::new();
        let (mut inside, mut calls) = (false, Vec::new());
        for line in trace.lines() {
            // "1234  name(arguments) = result"; other lines are about signals and the end.
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
            let Some((name, _)) = rest.split_once('(') else { continue };
            if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                continue;
            }
            let count = counts.entry(name.to_string()).or_insert(0);
            *count += 1;
            if line.contains(MARKS[0]) {
                inside = true;
            } else if inside {
                calls.push((name.to_string(), *count));
            }
            if line.contains(MARKS[1]) {
                break;
            }
        }
        calls
    }

    fn was_killed(status: ExitStatus) -> bool {
        use std::os::unix::process::ExitStatusExt;
        status.signal() == Some(9)
    }

    pub(crate) fn parent() {
        if !is_asked_for() {
            return;
        }
        let folder = std::env::temp_dir().join(format!("cuculus-kill-{}", std::process::id()));
        let run = Run { folder, old: old().to_bytes() };
        let (mut kills, mut torn_in_place) = (0, 0);
        let traced = has_strace(&run);
        for scenario in SCENARIOS.into_iter().filter(|_| traced) {
            let new = new_bytes(scenario);
            let (mut seen, points) = (HashMap::new(), trace(&run, scenario));
            assert!(points.len() >= 4, "{scenario}: a save makes more system calls than {points:?}");
            for (name, count) in &points {
                run.reset(scenario);
                let inject = format!("--inject={name}:signal=SIGKILL:when={count}");
                let strace = ["strace", "-f", "-qq", "-o", "/dev/null", &inject].map(String::from);
                let status = run.command(scenario, &strace).status().unwrap();
                assert!(was_killed(status), "{scenario}: survived {name} number {count}: {status}");
                match run.state(scenario, &new) {
                    Some(state) => *seen.entry(state).or_insert(0) += 1,
                    None if scenario == "in-place" => torn_in_place += 1,
                    None => panic!("{scenario}: killed at {name} number {count}, the file is neither old nor new"),
                }
                kills += usize::from(scenario != "in-place");
            }
            println!("{scenario}: killed at each of {} system calls, then found {seen:?}", points.len());
            assert!(scenario == "in-place" || (seen.contains_key("old") && seen.contains_key("new")), "{seen:?}");
        }
        assert!(!traced || torn_in_place > 0, "a writer in place was not caught");
        let timed = KILLS.saturating_sub(kills).max(50);
        for number in 0..timed {
            kill_after(&run, SCENARIOS[number % 4], number as u32, timed as u32);
        }
        let _ = fs::remove_dir_all(&run.folder);
        println!("{timed} more killed at moments spread over the whole run");
        println!("\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
    }

    /// What the standard test programs do with their arguments, for the one test that there is here.
    fn is_asked_for() -> bool {
        const NAME: &str = "killed_saves";
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        if arguments.iter().any(|argument| argument == "--list") {
            println!("{NAME}: test");
            return false;
        }
        // Numbers belong to options before them.
        let is_filter = |argument: &&String| !argument.starts_with('-') && argument.parse::<u32>().is_err();
        let mut filters = arguments.iter().filter(is_filter).peekable();
        filters.peek().is_none() || filters.any(|filter| NAME.contains(filter.as_str()))
    }

    fn has_strace(run: &Run) -> bool {
        run.reset("replace");
        let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "--inject=exit_group:signal=SIGKILL"].map(String::from);
        let works = run.command("replace", &strace).status().is_ok_and(was_killed);
        if !works {
            println!("SKIPPED kills at system calls: needs a strace that may trace (apt-get install strace)");
            assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "CI is set, so no check may be skipped");
        }
        works
    }

    fn trace(run: &Run, scenario: &str) -> Vec<(String, usize)> {
        run.reset(scenario);
        let file = run.folder.join(".trace.tmp");
        let strace = ["strace", "-f", "-qq", "-o", path_text(&file)].map(String::from);
        assert!(run.command(scenario, &strace).status().unwrap().success());
        let calls = calls(&fs::read_to_string(file).unwrap());
        let needed: &[&str] = if scenario == "in-place" { &["write"] } else { &["write", "fsync", "rename"] };
        for name in needed {
            assert!(calls.iter().any(|(call, _)| call.starts_with(name)), "{scenario}: no {name} in {calls:?}");
        }
        calls
    }

    fn path_text(path: &Path) -> &str {
        path.to_str().expect("a path in UTF-8")
    }

    /// Kills a child after `number / of` of the time that a whole one takes.
    fn kill_after(run: &Run, scenario: &str, number: u32, of: u32) {
        run.reset(scenario);
        let start = Instant::now();
        assert!(run.command(scenario, &[]).status().unwrap().success());
        let whole = start.elapsed().max(Duration::from_millis(1));
        run.reset(scenario);
        let mut child = run.command(scenario, &[]).spawn().unwrap();
        std::thread::sleep(whole * number / of);
        let _ = child.kill();
        let _ = child.wait();
        assert!(run.state(scenario, &new_bytes(scenario)).is_some(), "{scenario}: neither old nor new, kill {number}");
    }
}
