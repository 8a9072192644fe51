//! The binary fuse filter: what a set that never changes can have.

use xorf::{BinaryFuse8, BinaryFuse16, Filter as _};
use xxhash_rust::xxh3::xxh3_64;

use super::{Built, Ops, Plan, each};

enum Table {
    Open(Vec<u64>),
    Eight(BinaryFuse8),
    Sixteen(BinaryFuse16),
}

struct Fuse {
    table: Table,
    sixteen: bool,
}

/// 8 or 16 bits: the smaller that keeps the rate.
pub(super) fn build(plan: &Plan) -> Built {
    // No reserve: the keys are the caller's, and the list goes when the filter is built.
    each(Fuse { table: Table::Open(Vec::new()), sixteen: plan.rate < 1.0 / 256.0 })
}

impl Ops for Fuse {
    const DELETES: bool = false;

    fn insert(&mut self, key: u64) -> bool {
        match &mut self.table {
            Table::Open(keys) => {
                keys.push(key);
                true
            }
            _ => false,
        }
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        match &self.table {
            Table::Open(_) => true,
            Table::Eight(filter) => filter.contains(&key),
            Table::Sixteen(filter) => filter.contains(&key),
        }
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.insert(xxh3_64(key.as_bytes()))
    }
    fn contains_text(&self, key: &str) -> bool {
        self.contains(xxh3_64(key.as_bytes()))
    }
    fn seal(&mut self) -> bool {
        let Table::Open(keys) = &mut self.table else { return true };
        let keys = std::mem::take(keys);
        let built = if self.sixteen {
            BinaryFuse16::try_from(keys.as_slice()).map(Table::Sixteen)
        } else {
            BinaryFuse8::try_from(keys.as_slice()).map(Table::Eight)
        };
        match built {
            Ok(table) => self.table = table,
            Err(_) => return false,
        }
        true
    }
    fn memory_bytes(&self) -> u64 {
        match &self.table {
            Table::Open(keys) => keys.len() as u64 * 8,
            Table::Eight(filter) => filter.len() as u64,
            Table::Sixteen(filter) => filter.len() as u64 * 2,
        }
    }
    fn promised_rate(&self) -> f64 {
        if self.sixteen { 1.0 / 65_536.0 } else { 1.0 / 256.0 }
    }
}
