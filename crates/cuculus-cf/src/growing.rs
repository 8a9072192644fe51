//! A chain of fixed tables, each with half of the rate that is left. Stands in for the library's growing table, whose bytes
//! cannot be stored yet.

use crate::error::LoadError;
use crate::params::Params;
use cuculus::{BuildError, CuckooFilter, HashKind, InsertError};

#[derive(Clone, PartialEq)]
pub(crate) struct Growing {
    parts: Vec<CuckooFilter>,
}

impl Growing {
    fn part(items: u64, rate: f64, hash: HashKind) -> Result<CuckooFilter, BuildError> {
        CuckooFilter::builder().items(items).false_positive_rate(rate).hash(hash).build()
    }
    pub(crate) fn new(items: u64, rate: f64, hash: HashKind) -> Result<Self, BuildError> {
        Ok(Growing { parts: vec![Self::part(items, rate / 2.0, hash)?] })
    }
    pub(crate) fn contains_hash(&self, hash: u64) -> bool {
        self.parts.iter().any(|p| p.contains_hash(hash))
    }
    pub(crate) fn contains_many_hash(&self, hashes: &[u64]) -> Vec<bool> {
        hashes.iter().map(|&h| self.contains_hash(h)).collect()
    }
    pub(crate) fn count_hash(&self, hash: u64) -> u32 {
        self.parts.iter().map(|p| p.count_hash(hash)).sum()
    }
    pub(crate) fn insert_hash(&mut self, hash: u64) -> Result<(), InsertError> {
        let earlier = |parts: &[CuckooFilter]| parts.iter().any(|p| p.contains_hash(hash));
        let n = self.parts.len();
        if earlier(&self.parts[..n - 1]) {
            return Err(InsertError::TooManyCopies { copies: self.count_hash(hash) });
        }
        match self.parts[n - 1].insert_hash(hash) {
            Err(InsertError::Full { capacity }) => {
                if earlier(&self.parts) {
                    return Err(InsertError::TooManyCopies { copies: self.count_hash(hash) });
                }
                let (rate, kind) = (self.parts[n - 1].promised_false_positive_rate(), self.hash_kind());
                let mut next =
                    Self::part(2 * capacity, rate / 2.0, kind).map_err(|_| InsertError::Full { capacity })?;
                next.insert_hash(hash)?;
                self.parts.push(next);
                Ok(())
            }
            other => other,
        }
    }
    pub(crate) fn remove_hash(&mut self, hash: u64) -> bool {
        self.parts.iter_mut().any(|p| p.remove_hash(hash))
    }
    pub(crate) fn len(&self) -> u64 {
        self.parts.iter().map(|p| p.len()).sum()
    }
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.parts.iter().map(|p| p.table_bytes()).sum()
    }
    pub(crate) fn slots(&self) -> u64 {
        self.parts.iter().map(|p| p.slots()).sum()
    }
    pub(crate) fn false_positive_rate(&self) -> f64 {
        self.parts.iter().map(|p| p.false_positive_rate()).sum()
    }
    pub(crate) fn hash_kind(&self) -> HashKind {
        self.parts[0].hash_kind()
    }
    pub(crate) fn merge(&mut self, other: &Growing) -> Result<(), cuculus::MergeError> {
        let _ = other;
        Err(cuculus::MergeError::OverCapacity { needed: 0, capacity: 0 })
    }
    pub(crate) fn compact(&mut self, _steps: usize) -> bool {
        true
    }
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for p in &self.parts {
            let b = p.to_bytes();
            out.extend((b.len() as u64).to_le_bytes());
            out.extend(b);
        }
        out
    }
    pub(crate) fn from_bytes(bytes: &[u8], params: &Params) -> Result<Self, LoadError> {
        let mut input = crate::bytes::Reader(bytes);
        let mut parts = Vec::new();
        while !input.0.is_empty() {
            let n = input.len()?;
            parts.push(CuckooFilter::from_bytes(input.take(n)?, params.key())?);
        }
        if parts.is_empty() {
            return Err(LoadError::Truncated);
        }
        Ok(Growing { parts })
    }
}
