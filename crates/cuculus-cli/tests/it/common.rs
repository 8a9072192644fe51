//! A folder of its own for each test, and runs of the program in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary folder.
pub(crate) struct Sandbox(tempfile::TempDir);

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Sandbox(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The names in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The program, in this folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.0.path()).args(args).env_remove("NO_COLOR");
        command
    }

    /// Runs the program with nothing to read.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Runs the program with standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // From a thread: the program may print before it has read everything, or not read at all.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let ran = Ran::from(child.wait_with_output().unwrap());
        writer.join().unwrap();
        ran
    }

    /// Runs a line of shell with the program in its path.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let folder = program().parent().unwrap().to_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("bash");
        command.args(["-c", line]).current_dir(self.0.path());
        command.env("PATH", format!("{}:{path}", folder.display())).stdin(Stdio::null());
        Ran::from(command.output().unwrap())
    }
}

pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_cuculus"))
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            out: output.stdout,
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Asserts an error: code 2, one `error:` line with all of these, nothing of a panic.
    #[track_caller]
    pub(crate) fn fails(self, parts: &[&str]) -> Self {
        let ran = self.exits(2);
        assert!(ran.err.contains("error:") && !ran.err.contains("panicked"), "{ran:?}");
        for part in parts {
            assert!(ran.err.contains(part), "no \"{part}\" in {}", ran.err);
        }
        ran
    }
}

/// Lines `key-0` to `key-(n-1)`, from `start`.
pub(crate) fn lines(numbers: std::ops::Range<u64>) -> String {
    numbers.map(|i| format!("key-{i}\n")).collect()
}

/// A number of lines.
pub(crate) fn line_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}
