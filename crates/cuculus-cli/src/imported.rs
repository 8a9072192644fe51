//! Files of filters that came from RedisBloom: eight bytes that say so, then the filter's image. For lookups only.

use crate::exit::Failure;
use cuculus::HashKind;
use cuculus_cf::{Filter, Header, Limits, LoadError, Loading, Params, Shape};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"cuculRB\x01";

/// Bytes of a dump that go in at a time; what is smaller than a table of RedisBloom's largest chunk does as well.
const PIECE: usize = 1 << 20;

/// An imported filter.
pub(crate) struct Imported {
    pub(crate) filter: Filter,
}

impl Imported {
    /// From a dump: its chunks one after the other.
    pub(crate) fn from_dump(dump: &[u8]) -> Result<Self, LoadError> {
        let (first, tables) = dump.split_at_checked(38).ok_or(LoadError::NotAHeader)?;
        let Header::RedisBloom(header) = Header::parse(first)? else { return Err(LoadError::NotAHeader) };
        let params = Params {
            capacity: header.buckets.saturating_mul(header.bucket_size.into()).max(2 * u64::from(header.bucket_size)),
            bucket_size: header.bucket_size,
            max_iterations: header.max_iterations,
            expansion: 0,
            rate: 0.01,
            shape: Shape::Compact,
            hash: HashKind::default(),
        };
        let params = Params { capacity: params.capacity.min(cuculus_cf::MAX_CAPACITY), ..params };
        let mut loading = Loading::begin_redisbloom(header, params, &Limits::NONE)?;
        let (mut position, mut filter) = (1, None);
        for piece in tables.chunks(PIECE) {
            if filter.is_some() {
                return Err(LoadError::TrailingBytes);
            }
            position += piece.len() as u64;
            filter = loading.take(position, piece, &Limits::NONE)?;
        }
        filter.map(|filter| Imported { filter }).ok_or(LoadError::Truncated)
    }
}

/// Whether a file is one of an imported filter. A pipe is not looked into: its bytes come only once.
pub(crate) fn is_one(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && &magic == MAGIC
}

/// Opens a file if it is one of an imported filter; `None` if it is something else.
pub(crate) fn open(path: &Path) -> Result<Option<Imported>, Failure> {
    if !is_one(path) {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::path(path, error))?;
    let image = bytes.get(MAGIC.len()..).unwrap_or_default();
    let filter = Filter::from_image(image, &Limits::NONE).map_err(|error| Failure::path(path, error))?;
    Ok(Some(Imported { filter }))
}

/// Writes the file beside its place and puts it there when it is whole.
pub(crate) fn save(imported: &Imported, path: &Path) -> Result<(), Failure> {
    let failure = |error: std::io::Error| Failure::path(path, error);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = parent.join(format!(".{}.cuculus.tmp", std::process::id()));
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(MAGIC)?;
        file.write_all(&imported.filter.to_image())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failure(error)
    })
}
