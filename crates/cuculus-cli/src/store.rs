//! Filter files: opened for reading, or changed by one writer at a time.
//!
//! A writer locks the file itself and keeps the lock until its new file has taken the place of the old one. Whoever
//! waited for the lock then holds an old file, notices that the path names another one, and starts again with that.

use crate::exit::Failure;
use cuculus::{CuckooFilter, FileInfo, FormatError, MappedFilter};
use same_file::Handle;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

/// A filter for lookups: mapped, or in memory where the file stores its table compressed.
pub(crate) enum Lookup {
    Mapped(MappedFilter),
    Loaded(CuckooFilter),
}

/// Runs `$body` with `$filter` bound to the filter inside a [`Lookup`].
macro_rules! with_lookup {
    ($lookup:expr, $filter:ident => $body:expr) => {
        match $lookup {
            $crate::store::Lookup::Mapped($filter) => $body,
            $crate::store::Lookup::Loaded($filter) => $body,
        }
    };
}
pub(crate) use with_lookup;

/// Opens a filter for lookups only: nothing is written, no lock is taken.
pub(crate) fn open(path: &Path, key: Option<&[u8; 16]>) -> Result<Lookup, Failure> {
    match MappedFilter::open(path, key) {
        Ok(filter) => Ok(Lookup::Mapped(filter)),
        Err(error) if matches!(error.format(), Some(FormatError::Compressed)) => {
            Ok(Lookup::Loaded(CuckooFilter::load(path, key)?))
        }
        Err(error) => Err(error.into()),
    }
}

/// The right to replace a file, until it is dropped.
pub(crate) struct Lock(Handle);

/// A filter that this process alone may change.
pub(crate) struct Exclusive {
    pub(crate) filter: CuckooFilter,
    path: PathBuf,
    compressed: bool,
    _lock: Lock,
}

impl Exclusive {
    /// Waits for other writers, then reads and verifies the filter.
    pub(crate) fn load(path: &Path, key: Option<&[u8; 16]>) -> Result<Self, Failure> {
        // What is no filter is refused before anything is locked.
        FileInfo::of_file(path)?;
        let lock = lock(path)?.ok_or_else(|| Failure::path(path, "the file has gone while it was being opened"))?;
        let compressed = FileInfo::of_file(path)?.compressed;
        let filter = CuckooFilter::load(path, key)?;
        Ok(Exclusive { filter, path: path.to_owned(), compressed, _lock: lock })
    }

    /// Puts the changed filter in the place of the old one, compressed if that was; then the next writer may.
    pub(crate) fn save(self) -> Result<(), Failure> {
        write(&self.filter, &self.path, self.compressed)
    }
}

/// Saves a new filter, in the place of an old file if there is one: but not while another writer changes that.
/// `held` is a lock on the old file, if there is one already.
pub(crate) fn publish(filter: &CuckooFilter, path: &Path, compress: bool, held: Option<Lock>) -> Result<(), Failure> {
    if held.is_some() {
        return write(filter, path, compress);
    }
    loop {
        match fs::metadata(path) {
            Ok(old) if !old.is_file() => return Err(Failure::path(path, "is no regular file, and is not replaced")),
            Ok(_) => {
                if let Some(_lock) = lock(path)? {
                    return write(filter, path, compress);
                }
            }
            Err(_) => {
                if create(filter, path, compress)? {
                    return Ok(());
                }
            }
        }
    }
}

/// Says early what would make [`publish`] fail after all the work.
pub(crate) fn check_target(path: &Path) -> Result<(), Failure> {
    if path.file_name().is_none() {
        return Err(Failure::path(path, "is no name for a file"));
    }
    match fs::metadata(path) {
        Ok(old) if !old.is_file() => return Err(Failure::path(path, "is no regular file, and is not replaced")),
        Ok(_) => return Ok(()),
        Err(_) => {}
    }
    match fs::metadata(directory(path)) {
        Ok(parent) if parent.is_dir() => Ok(()),
        Ok(_) => Err(Failure::path(path, "its parent is no directory")),
        Err(error) => Err(Failure::path(path, format!("its directory: {error}"))),
    }
}

fn write(filter: &CuckooFilter, path: &Path, compress: bool) -> Result<(), Failure> {
    let saved = if compress { filter.save_compressed(path) } else { filter.save(path) };
    Ok(saved?)
}

/// Saves under a name that must not exist yet; `false` if it does by now.
fn create(filter: &CuckooFilter, path: &Path, compress: bool) -> Result<bool, Failure> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".new-{}", std::process::id()));
    let beside = directory(path).join(name);
    write(filter, &beside, compress)?;
    // Unlike a rename, a link never replaces what another writer has put there meanwhile.
    let linked = fs::hard_link(&beside, path);
    let done = match linked {
        Ok(()) => fs::remove_file(&beside).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => fs::remove_file(&beside).map(|()| false),
        // A dangling symbolic link, or a file system without hard links.
        Err(_) => fs::rename(&beside, path).map(|()| true),
    };
    let done = done.map_err(|error| Failure::path(path, error))?;
    if cfg!(unix) {
        File::open(directory(path)).and_then(|dir| dir.sync_all()).map_err(|error| Failure::path(path, error))?;
    }
    Ok(done)
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
