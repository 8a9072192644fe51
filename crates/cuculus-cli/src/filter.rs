//! A filter of either kind, for the commands that change filters.

use crate::exit::Failure;
use crate::output::layout_name;
use cuculus::{CuckooFilter, FilterKind, GrowingFilter};
use std::io::{self, Read, Write};
use std::path::Path;

/// Why no command changes a window.
const WINDOW: &str = "this is a window whose items age: check, info and verify read it, and programs change it";

/// A filter of a fixed size, or one that grows.
pub(crate) enum Filter {
    Fixed(Box<CuckooFilter>),
    Growing(Box<GrowingFilter>),
}

/// Runs `$body` with `$filter` bound to the filter inside a [`Filter`].
macro_rules! with_filter {
    ($any:expr, $filter:ident => $body:expr) => {
        match $any {
            $crate::filter::Filter::Fixed($filter) => $body,
            $crate::filter::Filter::Growing($filter) => $body,
        }
    };
}
pub(crate) use with_filter;

impl From<CuckooFilter> for Filter {
    fn from(filter: CuckooFilter) -> Self {
        Filter::Fixed(Box::new(filter))
    }
}

impl From<GrowingFilter> for Filter {
    fn from(filter: GrowingFilter) -> Self {
        Filter::Growing(Box::new(filter))
    }
}

impl Filter {
    /// Reads and verifies a filter of whichever kind the file holds.
    pub(crate) fn load(path: &Path, key: Option<&[u8; 16]>) -> Result<Self, Failure> {
        Ok(match FilterKind::of_file(path)? {
            FilterKind::Growing => GrowingFilter::load(path, key)?.into(),
            FilterKind::Window => return Err(Failure::path(path, WINDOW)),
            _ => CuckooFilter::load(path, key)?.into(),
        })
    }

    /// Saves it, compressed if that is asked for and saves something: a growing filter is never sparse.
    pub(crate) fn save(&self, path: &Path, compress: bool) -> Result<(), Failure> {
        match self {
            Filter::Fixed(filter) if compress => filter.save_compressed(path)?,
            Filter::Fixed(filter) => filter.save(path)?,
            Filter::Growing(filter) => filter.save(path)?,
        }
        Ok(())
    }

    pub(crate) fn write_to(&self, out: &mut impl Write, compress: bool) -> io::Result<()> {
        match self {
            Filter::Fixed(filter) => filter.write_to(out, compress),
            Filter::Growing(filter) => filter.write_to(out),
        }
    }

    /// The most items; `None` with an open end.
    pub(crate) fn capacity(&self) -> Option<u64> {
        match self {
            Filter::Fixed(filter) => Some(filter.capacity()),
            Filter::Growing(filter) => filter.maximum(),
        }
    }

    pub(crate) fn table_bytes(&self) -> u64 {
        match self {
            Filter::Fixed(filter) => filter.table_bytes(),
            Filter::Growing(filter) => filter.memory_bytes(),
        }
    }

    pub(crate) fn layout(&self) -> &'static str {
        match self {
            Filter::Fixed(filter) => layout_name(filter.geometry().layout),
            Filter::Growing(_) => "growing",
        }
    }
}

/// A file that is no regular one, or that the system makes up as it is read: its bytes come once.
pub(crate) fn stream(path: &Path) -> Result<Option<Box<dyn Read>>, Failure> {
    if path == Path::new("-") {
        return Ok(Some(Box::new(io::stdin())));
    }
    let failure = |error: io::Error| Failure::path(path, error);
    match std::fs::metadata(path) {
        Ok(data) if !(data.is_dir() || data.is_file() && data.len() > 0) => {
            Ok(Some(Box::new(std::fs::File::open(path).map_err(failure)?)))
        }
        _ => Ok(None),
    }
}
