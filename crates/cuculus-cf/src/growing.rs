//! Interim.
#![allow(missing_docs)]
use crate::error::LoadError;
use crate::params::Params;
use cuculus::{BuildError, CuckooFilter, HashKind, InsertError};

#[derive(Clone, PartialEq)]
pub(crate) struct Growing {
    parts: Vec<CuckooFilter>,
    rate: f64,
}

impl Growing {
    fn part(items: u64, rate: f64, hash: HashKind) -> Result<CuckooFilter, BuildError> {
        CuckooFilter::builder().items(items).false_positive_rate(rate).hash(hash).build()
    }
    pub(crate) fn planned_bytes(items: u64, params: &Params) -> Result<u64, BuildError> {
        Ok(CuckooFilter::builder().items(items).false_positive_rate(params.rate).plan()?.table_bytes())
    }
    pub(crate) fn new(items: u64, params: &Params) -> Result<Self, BuildError> {
        Ok(Growing { parts: vec![Self::part(items, params.rate, params.hash)?], rate: params.rate })
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
        let last = self.parts.last_mut().unwrap();
        match last.insert_hash(hash) {
            Err(InsertError::Full { capacity }) => {
                let next = Self::part(2 * capacity, self.rate / 2.0, last.hash_kind()).unwrap();
                self.parts.push(next);
                self.parts.last_mut().unwrap().insert_hash(hash)
            }
            other => other,
        }
    }
    pub(crate) fn remove_hash(&mut self, hash: u64) -> bool {
        self.parts.iter_mut().rev().any(|p| p.remove_hash(hash))
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
    pub(crate) fn lines(&self) -> u64 {
        self.parts.iter().map(|p| p.geometry().buckets).sum()
    }
    pub(crate) fn false_positive_rate(&self) -> f64 {
        self.parts.iter().map(|p| p.false_positive_rate()).sum()
    }
    pub(crate) fn hash_kind(&self) -> HashKind {
        self.parts[0].hash_kind()
    }
    pub(crate) fn merge(&mut self, other: &Growing) -> Result<(), cuculus::MergeError> {
        if self.hash_kind() != other.hash_kind() {
            return self.parts[0].merge(&other.parts[0]);
        }
        self.parts.extend(other.parts.iter().cloned());
        Ok(())
    }
    pub(crate) fn compact(&mut self, _steps: u64) -> bool {
        false
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
        Ok(Growing { parts, rate: params.rate })
    }
}
