//! Filter files: opened for reading, or changed by one writer at a time.
//!
//! A writer locks the file itself and keeps the lock until its new file has taken the place of the old one. Whoever
//! waited for the lock then holds an old file, notices that the path names another one, and starts again with that.

use crate::exit::Failure;
use crate::filter::Filter;
use cuculus::{CuckooFilter, FileInfo, FilterKind, FormatError, GrowingFilter, MappedFilter, WindowFilter};
use same_file::Handle;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

/// A filter for lookups: mapped, or in memory where the file stores its table compressed or the filter is of another kind.
pub(crate) enum Lookup {
    Mapped(MappedFilter),
    Loaded(CuckooFilter),
    Growing(Box<GrowingFilter>),
    Window(Box<WindowFilter>),
}

/// Runs `$body` with `$filter` bound to the filter inside a [`Lookup`].
macro_rules! with_lookup {
    ($lookup:expr, $filter:ident => $body:expr) => {
        match $lookup {
            $crate::store::Lookup::Mapped($filter) => $body,
            $crate::store::Lookup::Loaded($filter) => $body,
            $crate::store::Lookup::Growing($filter) => $body,
            $crate::store::Lookup::Window($filter) => $body,
        }
    };
}
pub(crate) use with_lookup;

/// Opens a filter for lookups only: nothing is written, no lock is taken.
pub(crate) fn open(path: &Path, key: Option<&[u8; 16]>) -> Result<Lookup, Failure> {
    refuse_stdin(path)?;
    match MappedFilter::open(path, key) {
        Ok(filter) => Ok(Lookup::Mapped(filter)),
        Err(error) if matches!(error.format(), Some(FormatError::Compressed)) => {
            Ok(Lookup::Loaded(CuckooFilter::load(path, key)?))
        }
        Err(error) if matches!(error.format(), Some(FormatError::OtherKind { .. })) => {
            Ok(match FilterKind::of_file(path)? {
                FilterKind::Window => Lookup::Window(Box::new(WindowFilter::load(path, key)?)),
                _ => Lookup::Growing(Box::new(GrowingFilter::load(path, key)?)),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// "-" is standard input everywhere, but there are the keys.
fn refuse_stdin(path: &Path) -> Result<(), Failure> {
    match path == Path::new("-") {
        true => Err(Failure::path(path, "the filter must be a file: standard input has the keys")),
        false => Ok(()),
    }
}

/// The right to replace a file, until it is dropped.
pub(crate) struct Lock(Handle);

/// A filter that this process alone may change.
pub(crate) struct Exclusive {
    pub(crate) filter: Filter,
    path: PathBuf,
    compressed: bool,
    _lock: Lock,
}

impl Exclusive {
    /// Waits for other writers, then reads and verifies the filter.
    pub(crate) fn load(path: &Path, key: Option<&[u8; 16]>) -> Result<Self, Failure> {
        refuse_stdin(path)?;
        // What is no filter is refused before anything is locked.
        FilterKind::of_file(path)?;
        let lock = lock(path)?.ok_or_else(|| Failure::path(path, "the file has gone while it was being opened"))?;
        let filter = Filter::load(path, key)?;
        let compressed = matches!(filter, Filter::Fixed(_)) && FileInfo::of_file(path)?.compressed;
        Ok(Exclusive { filter, path: path.to_owned(), compressed, _lock: lock })
    }

    /// Puts the changed filter in the place of the old one, compressed if that was; then the next writer may.
    pub(crate) fn save(self) -> Result<(), Failure> {
        self.filter.save(&self.path, self.compressed)
    }
}

/// Locks the file that a path names, and that it still names once the lock is there. `None` if there is none any more.
pub(crate) fn lock(path: &Path) -> Result<Option<Lock>, Failure> {
    let failure = |error: std::io::Error| Failure::path(path, format!("cannot be locked: {error}"));
    loop {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failure(error)),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if std::io::stderr().is_terminal() {
                    eprintln!("waiting for another writer of {}", path.display());
                }
                file.lock().map_err(failure)?;
            }
            Err(TryLockError::Error(error)) => return Err(failure(error)),
        }
        let locked = Lock(Handle::from_file(file).map_err(failure)?);
        match Handle::from_path(path) {
            Ok(named) if named == locked.0 => return Ok(Some(locked)),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failure(error)),
        }
    }
}
