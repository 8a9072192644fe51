//! The table that cuculus makes: of fixed size, growing, or none yet beside imported ones.

use crate::error::{CreateError, LoadError, MergeError};
use crate::growing::Growing;
use crate::limits::Limits;
use crate::params::Params;
use cuculus::{CuckooFilter, InsertError};

/// A filter without room of its own begins with this share of its capacity when its imported tables are full.
const FIRST_SHARE: u64 = 8;

/// The closed set of tables.
#[derive(Clone, PartialEq)]
pub(crate) enum Store {
    /// Beside imported tables, until they are full.
    None,
    /// Full at its capacity.
    Fixed(CuckooFilter),
    /// Grows line by line.
    Growing(Growing),
}

impl Store {
    pub(crate) fn new(params: &Params, limits: &Limits) -> Result<Self, CreateError> {
        let too_large = |bytes| CreateError::TooLarge { bytes, limit: limits.bytes };
        if params.grows() {
            let bytes = Growing::planned_bytes(params.capacity, params).map_err(CreateError::Build)?;
            if bytes > limits.bytes {
                return Err(too_large(bytes));
            }
            return Growing::new(params.capacity, params).map(Store::Growing).map_err(CreateError::Build);
        }
        let builder = CuckooFilter::builder()
            .items(params.capacity)
            .false_positive_rate(params.rate)
            .layout(params.shape.layout())
            .hash(params.hash);
        let bytes = builder.plan().map_err(CreateError::Build)?.table_bytes();
        if bytes > limits.bytes {
            return Err(too_large(bytes));
        }
        builder.build().map(Store::Fixed).map_err(CreateError::Build)
    }

    /// A growing table for what imported tables have no room for.
    pub(crate) fn overflow(params: &Params) -> Result<Self, CreateError> {
        let items = (params.capacity / FIRST_SHARE).max(1024);
        Growing::new(items, params).map(Store::Growing).map_err(CreateError::Build)
    }

    #[inline]
    pub(crate) fn contains_hash(&self, hash: u64) -> bool {
        match self {
            Store::None => false,
            Store::Fixed(filter) => filter.contains_hash(hash),
            Store::Growing(filter) => filter.contains_hash(hash),
        }
    }

    pub(crate) fn contains_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        match self {
            Store::None => vec![false; hashes.len()],
            Store::Fixed(filter) => filter.contains_many_hash(hashes),
            Store::Growing(filter) => filter.contains_many_hash(hashes),
        }
    }

    pub(crate) fn count_hash(&self, hash: u64) -> u32 {
        match self {
            Store::None => 0,
            Store::Fixed(filter) => filter.count_hash(hash),
            Store::Growing(filter) => filter.count_hash(hash),
        }
    }

    #[inline]
    pub(crate) fn insert_hash(&mut self, hash: u64) -> Result<(), InsertError> {
        match self {
            Store::None => Err(InsertError::Full { capacity: 0 }),
            Store::Fixed(filter) => filter.insert_hash(hash),
            Store::Growing(filter) => filter.insert_hash(hash),
        }
    }

    pub(crate) fn remove_hash(&mut self, hash: u64) -> bool {
        match self {
            Store::None => false,
            Store::Fixed(filter) => filter.remove_hash(hash),
            Store::Growing(filter) => filter.remove_hash(hash),
        }
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Store::None => 0,
            Store::Fixed(filter) => filter.len(),
            Store::Growing(filter) => filter.len(),
        }
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        match self {
            Store::None => 0,
            Store::Fixed(filter) => filter.table_bytes(),
            Store::Growing(filter) => filter.memory_bytes(),
        }
    }

    pub(crate) fn slots(&self) -> u64 {
        match self {
            Store::None => 0,
            Store::Fixed(filter) => filter.slots(),
            Store::Growing(filter) => filter.slots(),
        }
    }

    pub(crate) fn buckets(&self) -> u64 {
        match self {
            Store::None => 0,
            Store::Fixed(filter) => filter.geometry().buckets,
            Store::Growing(filter) => filter.lines(),
        }
    }

    pub(crate) fn false_positive_rate(&self) -> f64 {
        match self {
            Store::None => 0.0,
            Store::Fixed(filter) => filter.false_positive_rate(),
            Store::Growing(filter) => filter.false_positive_rate(),
        }
    }

    pub(crate) fn merge(&mut self, other: &Store) -> Result<(), MergeError> {
        let failed = |error| match error {
            cuculus::MergeError::Mismatch { .. } => MergeError::Mismatch(format!("{error}")),
            _ => MergeError::Full,
        };
        match (&mut *self, other) {
            (_, Store::None) => Ok(()),
            (Store::None, other) => {
                *self = other.clone();
                Ok(())
            }
            (Store::Fixed(ours), Store::Fixed(theirs)) => ours.merge(theirs).map_err(failed),
            (Store::Growing(ours), Store::Growing(theirs)) => ours.merge(theirs).map_err(failed),
            _ => Err(MergeError::Mismatch("one filter grows, the other does not".into())),
        }
    }

    /// Does some of the work of making the table smaller; whether more is left.
    pub(crate) fn compact(&mut self, steps: u64) -> bool {
        match self {
            Store::None | Store::Fixed(_) => false,
            Store::Growing(filter) => filter.compact(steps),
        }
    }

    /// The code of the variant, and the file format's bytes.
    pub(crate) fn to_bytes(&self) -> (u8, Vec<u8>) {
        match self {
            Store::None => (0, Vec::new()),
            Store::Fixed(filter) => (1, filter.to_bytes()),
            Store::Growing(filter) => (2, filter.to_bytes()),
        }
    }

    pub(crate) fn from_bytes(kind: u8, bytes: &[u8], params: &Params) -> Result<Self, LoadError> {
        let store = match kind {
            0 if bytes.is_empty() => Store::None,
            1 if !params.grows() => Store::Fixed(CuckooFilter::from_bytes(bytes, params.key())?),
            2 if params.grows() => Store::Growing(Growing::from_bytes(bytes, params)?),
            _ => return Err(LoadError::Parameter("kind of table")),
        };
        Ok(store)
    }

    /// Whether the table hashes as the parameters say.
    pub(crate) fn agrees_with(&self, params: &Params) -> bool {
        match self {
            Store::None => true,
            Store::Fixed(filter) => {
                filter.hash_kind() == params.hash && filter.geometry().layout == params.shape.layout()
            }
            Store::Growing(filter) => filter.hash_kind() == params.hash,
        }
    }
}
