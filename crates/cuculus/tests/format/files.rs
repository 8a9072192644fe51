//! Files: saving replaces them, mapping shares them, reading changes nothing.

use super::samples::{key_of, samples};
use cuculus::{CuckooFilter, FileError, FileInfo, FormatError, Layout, MappedFilter, verify_file};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory of its own, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cuculus-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names in it.
    fn list(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn filled(items: u64) -> CuckooFilter {
    let mut filter =
        CuckooFilter::builder().items(items).false_positive_rate(0.01).layout(Layout::Packed).build().unwrap();
    (0..items).for_each(|key| filter.insert(&key).unwrap());
    filter
}

/// BR-052: save, load, map, look at, verify.
#[test]
fn every_sample_through_a_file() {
    let folder = Folder::new("samples");
    let path = folder.file("filter");
    for filter in samples() {
        let key = key_of(&filter);
        filter.save(&path).unwrap();
        assert!(fs::read(&path).unwrap() == filter.to_bytes());
        assert!(CuckooFilter::load(&path, key).unwrap() == filter);
        let mapped = MappedFilter::open(&path, key).unwrap();
        mapped.verify().unwrap();
        assert!(mapped == filter);
        assert!(mapped.to_bytes() == filter.to_bytes());
        assert_eq!(verify_file(&path).unwrap(), FileInfo::of_file(&path).unwrap());
    }
    assert_eq!(folder.list(), ["filter"]);
}

/// A sparse filter takes little disk; it is loaded, not mapped.
#[test]
fn compressed_files() {
    let folder = Folder::new("compressed");
    let path = folder.file("filter");
    let mut filter = CuckooFilter::new(1_000_000, 0.01).unwrap();
    (0..10_000u64).for_each(|key| filter.insert(&key).unwrap());
    filter.save_compressed(&path).unwrap();
    assert!(fs::metadata(&path).unwrap().len() * 10 < filter.table_bytes());
    assert!(CuckooFilter::load(&path, None).unwrap() == filter);
    assert!(verify_file(&path).unwrap().compressed);
    assert_eq!(MappedFilter::open(&path, None).unwrap_err().format(), Some(&FormatError::Compressed));
}

/// A mapped file that is replaced stays as it was for those who have it open.
#[test]
fn replacing_a_mapped_file() {
    let folder = Folder::new("replaced");
    let path = folder.file("filter");
    let (old, new) = (filled(10_000), filled(50));
    old.save(&path).unwrap();
    let mapped = MappedFilter::open(&path, None).unwrap();
    new.save(&path).unwrap();
    mapped.verify().unwrap();
    assert!(mapped == old);
    assert!(MappedFilter::open(&path, None).unwrap() == new);
}

/// BR-043: errors carry the path and name foreign files.
#[test]
fn errors_name_the_file() {
    let folder = Folder::new("errors");
    let missing = folder.file("missing");
    for error in [
        CuckooFilter::load(&missing, None).unwrap_err(),
        MappedFilter::open(&missing, None).unwrap_err(),
        FileInfo::of_file(&missing).unwrap_err(),
        verify_file(&missing).unwrap_err(),
    ] {
        assert_eq!(error.io().unwrap().kind(), std::io::ErrorKind::NotFound);
        assert!(error.to_string().contains("missing"), "{error}");
    }
    let picture = folder.file("picture");
    fs::write(&picture, b"\x89PNG\r\n\x1a\n0000").unwrap();
    let empty = folder.file("empty");
    fs::write(&empty, b"").unwrap();
    for (path, name) in [(&picture, "picture"), (&empty, "empty")] {
        for error in [
            CuckooFilter::load(path, None).unwrap_err(),
            MappedFilter::open(path, None).unwrap_err(),
            FileInfo::of_file(path).unwrap_err(),
            verify_file(path).unwrap_err(),
        ] {
            assert!(matches!(error.format(), Some(FormatError::NotAFilter { .. })), "{error}");
            assert!(error.to_string().contains(name) && error.path() == path, "{error}");
        }
    }
}

/// BR-063: a cut file is noticed by looking at its header and its length, without reading it.
#[test]
fn cut_and_longer_files() {
    let folder = Folder::new("cut");
    let path = folder.file("filter");
    let bytes = filled(5_000).to_bytes();
    for length in [1, 20, 255, 256, 257, bytes.len() - 1, bytes.len() + 1] {
        let mut content = bytes.clone();
        content.resize(length, 0);
        fs::write(&path, content).unwrap();
        let wrong = |error: FileError| match error.format().unwrap() {
            FormatError::Truncated { found, .. } => *found == length as u64,
            FormatError::TrailingBytes { expected } => *expected < length as u64,
            _ => false,
        };
        assert!(wrong(CuckooFilter::load(&path, None).unwrap_err()));
        assert!(wrong(MappedFilter::open(&path, None).unwrap_err()));
        assert!(wrong(FileInfo::of_file(&path).unwrap_err()));
        assert!(wrong(verify_file(&path).unwrap_err()));
    }
}

/// What is no regular file is not replaced, and a refused save leaves nothing behind.
#[test]
fn refused_saves_leave_nothing() {
    let folder = Folder::new("refused");
    let filter = filled(10);
    let directory = folder.file("directory");
    fs::create_dir(&directory).unwrap();
    let error = filter.save(&directory).unwrap_err();
    assert!(matches!(error, FileError::Io { .. }), "{error}");
    assert!(filter.save(folder.file("no/such/directory")).is_err());
    assert!(filter.save("").is_err());
    assert!(filter.save("/").is_err());
    assert_eq!(folder.list(), ["directory"]);
}

/// Two saves of one file at once: one of the two stays, whole, and nothing else.
#[test]
fn saves_at_the_same_time() {
    let folder = Folder::new("race");
    let path = folder.file("filter");
    let filters = [filled(3_000), filled(7_000)];
    filters[0].save(&path).unwrap();
    std::thread::scope(|scope| {
        for filter in &filters {
            scope.spawn(|| (0..40).for_each(|_| filter.save(&path).unwrap()));
        }
        for _ in 0..100 {
            let loaded = CuckooFilter::load(&path, None).unwrap();
            assert!(filters.contains(&loaded));
        }
    });
    assert_eq!(folder.list(), ["filter"]);
}

/// BR-066: eight processes answer from one file that nobody may write, and it stays as it is.
#[test]
fn eight_processes_share_a_read_only_file() {
    let folder = Folder::new("shared");
    let path = folder.file("filter");
    filled(100_000).save(&path).unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let before = (fs::metadata(&path).unwrap().modified().unwrap(), fs::read(&path).unwrap());
    let reader = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "files::reader_process", "--nocapture"])
            .env("CUCULUS_READER", &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let readers: Vec<_> = (0..8).map(|_| reader()).collect();
    for mut reader in readers {
        assert!(reader.wait().unwrap().success());
    }
    let after = (fs::metadata(&path).unwrap().modified().unwrap(), fs::read(&path).unwrap());
    assert!(before == after);
    assert_eq!(folder.list(), ["filter"]);
    // So that it can be removed on every platform.
    make_writable(&path);
}

#[allow(clippy::permissions_set_readonly_false)]
fn make_writable(path: &Path) {
    let mut permissions = fs::metadata(path).unwrap().permissions();
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions).unwrap();
}

/// One of the eight; does nothing when run as a test.
#[test]
fn reader_process() {
    let Some(path) = std::env::var_os("CUCULUS_READER") else { return };
    let mapped = MappedFilter::open(&path, None).unwrap();
    assert!((0..100_000u64).all(|key| mapped.contains(&key)));
    mapped.verify().unwrap();
    assert!(CuckooFilter::load(&path, None).unwrap() == mapped);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// Permissions stay when a file is replaced, and a link goes on leading to it.
    #[test]
    fn permissions_and_links_stay() {
        let folder = Folder::new("links");
        let (path, link) = (folder.file("filter"), folder.file("link"));
        filled(10).save(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("filter", &link).unwrap();
        let filter = filled(1_000);
        filter.save(&link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(CuckooFilter::load(&path, None).unwrap() == filter);
        assert_eq!(folder.list(), ["filter", "link"]);
    }

    /// A link to nothing names the file that is to be made; a ring of links names none.
    #[test]
    fn links_to_nothing() {
        let folder = Folder::new("dangling");
        let filter = filled(10);
        symlink("first", folder.file("link")).unwrap();
        symlink("made", folder.file("first")).unwrap();
        filter.save(folder.file("link")).unwrap();
        assert!(fs::symlink_metadata(folder.file("first")).unwrap().file_type().is_symlink());
        assert!(CuckooFilter::load(folder.file("made"), None).unwrap() == filter);
        symlink("nowhere/made", folder.file("lost")).unwrap();
        symlink("ring", folder.file("ring")).unwrap();
        for name in ["lost", "ring"] {
            let error = filter.save(folder.file(name)).unwrap_err();
            assert!(error.io().is_some() && error.to_string().contains(name), "{error}");
        }
        assert_eq!(folder.list(), ["first", "link", "lost", "made", "ring"]);
        assert!(filter.save("").unwrap_err().to_string().contains("the path is empty"));
    }

    /// BR-063: through a pipe, whose length nobody knows before.
    #[test]
    fn pipes() {
        let folder = Folder::new("pipes");
        let pipe = folder.file("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut filter = filled(700_000);
        let send = |bytes: &[u8], read: &dyn Fn(&Path)| {
            std::thread::scope(|scope| {
                // A reader that has seen enough closes the pipe.
                scope.spawn(|| _ = fs::write(&pipe, bytes));
                read(&pipe);
            });
        };
        send(&filter.to_bytes(), &|pipe| assert!(CuckooFilter::load(pipe, None).unwrap() == filter));
        send(&filter.to_bytes(), &|pipe| assert_eq!(FileInfo::of_file(pipe).unwrap().len, 700_000));
        send(&filter.to_bytes(), &|pipe| assert_eq!(verify_file(pipe).unwrap().len, 700_000));
        (0..690_000u64).for_each(|key| assert!(filter.remove(&key)));
        let bytes = filter.to_compressed_bytes();
        send(&bytes, &|pipe| assert!(CuckooFilter::load(pipe, None).unwrap() == filter));
        send(&bytes[..bytes.len() - 1], &|pipe| {
            let expected = FormatError::Truncated { expected: bytes.len() as u64, found: bytes.len() as u64 - 1 };
            assert_eq!(CuckooFilter::load(pipe, None).unwrap_err().format(), Some(&expected));
        });
        send(&[&bytes[..], &[0]].concat(), &|pipe| {
            let expected = FormatError::TrailingBytes { expected: bytes.len() as u64 };
            assert_eq!(CuckooFilter::load(pipe, None).unwrap_err().format(), Some(&expected));
        });
    }
}
