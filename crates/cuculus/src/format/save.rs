//! Saving: a new file beside the old one, made durable, then put in its place. Whenever the process or the machine stops,
//! the name leads to the whole old file or to the whole new one.
#![forbid(unsafe_code)]

use super::error::FileError;
use super::write::parts;
use crate::filter::CuckooFilter;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

impl<S: AsRef<[u8]>> CuckooFilter<S> {
    /// Saves the filter in the file format. An existing file is replaced as a whole, or not at all: at every moment, also
    /// after a power cut, the path leads to the old or to the new filter. Its permissions stay; through a symbolic link
    /// the file that it leads to is replaced or made. A killed save can leave a file `.NAME.….tmp` beside it, which may be
    /// deleted.
    ///
    /// Two saves of one file at the same time do not mix: the later one stays.
    ///
    /// # Errors
    /// [`FileError::Io`], and the old file is as it was, unless only the last step failed: making the new name durable.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        self.save_with(path.as_ref(), false)
    }

    /// [`save`](Self::save) with the table compressed if that saves an eighth or more: for sparse filters.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    pub fn save_compressed(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        self.save_with(path.as_ref(), true)
    }

    fn save_with(&self, path: &Path, compress: bool) -> Result<(), FileError> {
        replace(path, |file| parts(self, compress).iter().try_for_each(|part| file.write_all(part)))
    }
}

/// Puts a new file, with what `write` writes, in the place of an old one, or leaves the old one as it is.
pub(super) fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), FileError> {
    let (target, old) = match fs::canonicalize(path) {
        Ok(target) => {
            let old = fs::metadata(&target).map_err(FileError::while_trying("read", path))?;
            (target, Some(old))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            (followed(path).map_err(FileError::while_trying("save to", path))?, None)
        }
        Err(error) => return Err(FileError::while_trying("find", path)(error)),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let error = io::Error::new(ErrorKind::InvalidInput, "it is no regular file");
        return Err(FileError::while_trying("replace", path)(error));
    }
    let (mut file, temporary) = Temporary::create(&target).map_err(FileError::while_trying("write beside", path))?;
    let finish = || -> io::Result<()> {
        write(&mut file)?;
        if let Some(old) = &old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()
    };
    finish().map_err(FileError::while_trying("write", path))?;
    drop(file);
    temporary.rename_to(&target).map_err(FileError::while_trying("replace", path))?;
    sync_directory(&target).map_err(FileError::while_trying("make durable", path))
}

/// Where a name leads that leads to no file: through links, if there are any, to the name of a file that is to be made.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    // As many links as the system follows; longer chains, and rings, were refused by it before.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            Err(_) => break,
        }
    }
    match path.file_name() {
        Some(_) => Ok(path),
        None if path.as_os_str().is_empty() => Err(io::Error::new(ErrorKind::InvalidInput, "the path is empty")),
        None => Err(io::Error::new(ErrorKind::InvalidInput, "the path has no file name")),
    }
}

/// A file of our own beside the target; gone again unless it was renamed.
struct Temporary(PathBuf);

impl Temporary {
    fn create(target: &Path) -> io::Result<(File, Self)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name = target.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "no file name"))?;
        loop {
            // Names of processes that are gone may come again: then the next one.
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let mut unique = OsString::from(".");
            unique.push(name);
            unique.push(std::format!(".{}-{number}.tmp", std::process::id()));
            let path = target.with_file_name(unique);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Temporary(path))),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn rename_to(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.0, target)?;
        core::mem::forget(self);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Makes a rename durable. Only where directories can be opened.
fn sync_directory(target: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
