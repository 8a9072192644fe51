//! How a run ends: the exit code, and everything that can go wrong.

use crate::output::{Style, count, counted};
use cuculus::{BuildError, FileError, FormatError, InsertError, MergeError};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit codes, which are grep's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Something was found, or the work is done: 0.
    Done,
    /// Nothing was found: 1.
    Nothing,
    /// An error, told on standard error: 2.
    Error,
}

impl Exit {
    /// The code of a search.
    pub(crate) fn found(any: bool) -> Self {
        if any { Exit::Done } else { Exit::Nothing }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Nothing => 1,
            Exit::Error => 2,
        })
    }
}

/// What every subcommand returns.
pub(crate) type Outcome = Result<Exit, Failure>;

/// Why a run failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody reads the output any more. No error: the reader has what it wanted.
    BrokenPipe,
    /// Standard output cannot be written.
    Output(io::Error),
    /// An input cannot be read or decoded.
    Input { name: String, reason: String },
    /// A filter file cannot be read, is none, is damaged, or cannot be written.
    File(FileError),
    /// Bytes that are no filter, or a damaged one.
    Format { name: String, reason: FormatError },
    /// A filter file cannot be locked, or is no regular file.
    Path { path: PathBuf, reason: String },
    /// The file with the secret key does not hold one.
    KeyFile { path: PathBuf, reason: String },
    /// No filter can be built as asked.
    Build(BuildError),
    /// A key was refused.
    Refused(Box<Refusal>),
    /// Filters that cannot become one.
    Merge { left: PathBuf, right: PathBuf, reason: Box<MergeError>, advice: String },
    /// Arguments that contradict each other or the file.
    Usage(String),
}

/// The first key that a filter refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The filter file, as the user named it.
    pub(crate) file: PathBuf,
    /// Why.
    pub(crate) reason: InsertError,
    /// Keys that went in before.
    pub(crate) stored: u64,
    /// The refused key, as text for the eye; unknown where only its hash is left.
    pub(crate) key: Option<String>,
    /// Where it stands.
    pub(crate) place: String,
    /// What became of the keys before it.
    pub(crate) fate: &'static str,
}

impl Failure {
    /// A failed write to standard output.
    pub(crate) fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Output(error),
        }
    }

    /// Tells it on standard error.
    pub(crate) fn tell(&self) {
        let _ = writeln!(io::stderr(), "{} {self}", Style::stderr().red("error:"));
    }

    /// A problem with the path of a filter file.
    pub(crate) fn path(path: &Path, reason: impl fmt::Display) -> Self {
        Failure::Path { path: path.to_owned(), reason: reason.to_string() }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Failure::File(error)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        Failure::Build(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::BrokenPipe => f.write_str("nobody reads the output"),
            Failure::Output(error) => write!(f, "standard output: {error}"),
            Failure::Input { name, reason } => write!(f, "{name}: {reason}"),
            Failure::File(error) => write!(f, "{error}{}", error.format().map_or("", advice)),
            Failure::Format { name, reason } => write!(f, "{name}: {reason}{}", advice(reason)),
            Failure::Path { path, reason } => write!(f, "{}: {reason}", path.display()),
            Failure::KeyFile { path, reason } => write!(f, "--key-file {}: {reason}", path.display()),
            Failure::Build(error) => write!(f, "{error}"),
            Failure::Refused(refusal) => refusal.fmt(f),
            Failure::Merge { left, right, reason, advice } => {
                write!(f, "{} and {} cannot be merged: {reason}{advice}", left.display(), right.display())
            }
            Failure::Usage(text) => f.write_str(text),
        }
    }
}

/// The option that mends it.
fn advice(error: &FormatError) -> &'static str {
    match error {
        FormatError::KeyNeeded => " (--key-file)",
        FormatError::WrongKey => " (another --key-file)",
        FormatError::KeyNotNeeded => " (no --key-file)",
        _ => "",
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { file, reason, stored, key, place, fate } = self;
        write!(f, "{}: ", file.display())?;
        match reason {
            InsertError::Full { capacity } => {
                write!(f, "the filter is full: it was made for {}", counted(*capacity, "key"))?
            }
            InsertError::NoRoom { len, slots } => {
                write!(f, "the filter is full: no room found with {} of {} slots taken", count(*len), count(*slots))?;
            }
            InsertError::TooManyCopies { copies } => {
                write!(f, "this key is stored {copies} times already, which is the most")?
            }
            other => write!(f, "{other}")?,
        }
        write!(f, "; {} went in, the first one refused is ", counted(*stored, "key"))?;
        match key {
            Some(key) => write!(f, "\"{key}\" ({place})")?,
            None => f.write_str(place)?,
        }
        write!(f, "; {fate}")
    }
}
