//! What a key of our type holds.

use crate::stats;
use cuculus_cf::{Dump, Filter, Limits, LoadError, Loading};

/// A filter, or one of which not all chunks have come.
pub(crate) enum Value {
    Filter(Box<Served>),
    Loading(Box<Loading>),
}

/// A filter with the dump that is being read from it, if any.
pub(crate) struct Served {
    pub(crate) filter: Filter,
    pub(crate) dump: Option<Dump>,
}

impl Served {
    /// The filter, to be changed: a dump of its present state will be of no use.
    pub(crate) fn changing(&mut self) -> &mut Filter {
        self.dump = None;
        &mut self.filter
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        stats::FILTERS.subtract(1);
    }
}

/// How a value begins in an RDB file.
const FILTER: u64 = 0;
const LOADING: u64 = 1;

impl Value {
    pub(crate) fn of(filter: Filter) -> Self {
        stats::FILTERS.add(1);
        Value::Filter(Box::new(Served { filter, dump: None }))
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        let bytes = match self {
            Value::Filter(served) => served.filter.memory_bytes() + size_of::<Option<Dump>>() as u64,
            Value::Loading(loading) => loading.memory_bytes(),
        };
        bytes + size_of::<Self>() as u64
    }

    pub(crate) fn copy(&self) -> Self {
        match self {
            Value::Filter(served) => Self::of(served.filter.clone()),
            Value::Loading(loading) => Value::Loading(loading.clone()),
        }
    }

    /// The kind, and all bytes.
    pub(crate) fn to_image(&self) -> (u64, Vec<u8>) {
        match self {
            Value::Filter(served) => (FILTER, served.filter.to_image()),
            Value::Loading(loading) => (LOADING, loading.to_image()),
        }
    }

    pub(crate) fn from_image(kind: u64, bytes: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        match kind {
            FILTER => Filter::from_image(bytes, limits).map(Self::of),
            LOADING => Loading::from_image(bytes, limits).map(|loading| Value::Loading(Box::new(loading))),
            _ => Err(LoadError::NotAHeader),
        }
    }
}
