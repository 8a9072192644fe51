//! The file that a command makes: where its name leads, and whether what lies there may go.

use crate::exit::Failure;
use crate::filter::Filter;
use crate::imported;
use crate::store::{self, Lock};
use cuculus::{FilterKind, FormatError};
use same_file::Handle;
use std::fs::{self, File};
use std::io::{ErrorKind, IsTerminal, stdout};
use std::path::{Path, PathBuf};

/// Symbolic links that are followed, as the system does.
const MOST_LINKS: usize = 40;

/// The option of every command that makes a filter file.
#[derive(clap::Args, Debug)]
pub(crate) struct TargetArgs {
    /// Replace a file that is no cuculus filter too, and write a filter to a terminal
    #[arg(long)]
    force: bool,
}

/// A file to be made or replaced.
pub(crate) struct Target<'a> {
    named: &'a Path,
    args: &'a TargetArgs,
}

impl<'a> Target<'a> {
    /// Says early what would make [`publish`](Self::publish) fail after all the work.
    pub(crate) fn new(named: &'a Path, args: &'a TargetArgs) -> Result<Self, Failure> {
        let target = Target { named, args };
        let path = target.path()?;
        if target.is_there(&path)? {
            return Ok(target);
        }
        match fs::metadata(directory(&path)) {
            Ok(parent) if parent.is_dir() => Ok(target),
            Ok(_) => Err(Failure::path(named, "its parent is no directory")),
            Err(error) => Err(Failure::path(named, format!("its directory: {error}"))),
        }
    }

    /// Fails if one of the inputs is the file that would be replaced.
    pub(crate) fn refuse_inputs(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        let Ok(target) = Handle::from_path(self.named) else { return Ok(()) };
        let is_target = |input: &PathBuf| match input == Path::new("-") {
            true => Handle::stdin().is_ok_and(|input| input == target),
            false => Handle::from_path(input).is_ok_and(|input| input == target),
        };
        match inputs.iter().any(is_target) || (inputs.is_empty() && is_target(&"-".into())) {
            true => Err(Failure::path(self.named, "is an input and the output")),
            false => Ok(()),
        }
    }

    /// A lock on the file that is there.
    pub(crate) fn lock(&self) -> Result<Option<Lock>, Failure> {
        store::lock(self.named)
    }

    /// Saves a new filter, in the place of an old file if there is one: but not while another writer changes that.
    /// `held` is a lock on the old file, if there is one already.
    pub(crate) fn publish(&self, filter: &Filter, compress: bool, held: Option<Lock>) -> Result<(), Failure> {
        if held.is_some() {
            return filter.save(self.named, compress);
        }
        // Once around for each change that others make meanwhile.
        loop {
            let path = self.path()?;
            if self.is_there(&path)? {
                if let Some(_lock) = store::lock(&path)? {
                    return filter.save(&path, compress);
                }
            } else if self.create(filter, &path, compress)? {
                return Ok(());
            }
        }
    }

    /// The name of the file itself, behind all symbolic links, whether it exists or not.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        let mut path = self.named.to_owned();
        for _ in 0..MOST_LINKS {
            let name = path.as_os_str().as_encoded_bytes();
            if path.file_name().is_none() || name.ends_with(b"/") || name.ends_with(b"/.") {
                return Err(Failure::path(self.named, "is no name for a file"));
            }
            match fs::read_link(&path) {
                Ok(link) => path = directory(&path).join(link),
                // No link: a file, or nothing.
                Err(_) => return Ok(path),
            }
        }
        Err(Failure::path(self.named, "too many levels of symbolic links"))
    }

    /// Whether there is a file, which may be replaced then.
    fn is_there(&self, path: &Path) -> Result<bool, Failure> {
        match fs::metadata(path) {
            Ok(old) if old.is_dir() => return Err(Failure::path(self.named, "is a directory")),
            Ok(old) if !old.is_file() => {
                return Err(Failure::path(self.named, "is no regular file; \"-o -\" writes to standard output"));
            }
            Ok(old) if old.len() == 0 || self.args.force || imported::is_one(path) => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Failure::path(self.named, error)),
        }
        match FilterKind::of_file(path) {
            Err(error) => match error.format() {
                Some(FormatError::NotAFilter { .. }) => {
                    Err(Failure::path(self.named, "exists and is no cuculus filter; --force replaces it all the same"))
                }
                // A damaged one, or one of another version, is a filter.
                Some(_) => Ok(true),
                None => Err(error.into()),
            },
            Ok(_) => Ok(true),
        }
    }

    /// Saves under a name that must not exist yet; `false` if it does by now.
    fn create(&self, filter: &Filter, path: &Path, compress: bool) -> Result<bool, Failure> {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".new-{}", std::process::id()));
        let beside = Beside(directory(path).join(name));
        filter.save(&beside.0, compress)?;
        // Unlike a rename, a link never replaces what another writer has put there meanwhile.
        let done = match fs::hard_link(&beside.0, path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            // A file system without hard links.
            Err(_) => fs::rename(&beside.0, path).map(|()| true),
        };
        drop(beside);
        let durable = |done| match cfg!(unix) {
            true => File::open(directory(path)).and_then(|directory| directory.sync_all()).map(|()| done),
            false => Ok(done),
        };
        done.and_then(durable).map_err(|error| Failure::path(self.named, error))
    }
}

/// Writes a filter to standard output.
pub(crate) fn to_stdout(filter: &Filter, compress: bool) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    filter.write_to(&mut bytes, compress).map_err(Failure::output)?;
    let mut out = crate::output::Output::new();
    out.bytes(&bytes)?;
    out.flush()
}

/// Fails early where standard output is a terminal, which shows no filters.
pub(crate) fn check_stdout(args: &TargetArgs) -> Result<(), Failure> {
    match stdout().is_terminal() && !args.force {
        true => {
            Err(Failure::Usage("a filter is not text and is not written to a terminal; --force does it".to_owned()))
        }
        false => Ok(()),
    }
}

/// A file that is there for a moment only.
struct Beside(PathBuf);

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
