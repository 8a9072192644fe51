//! Counters for the server's INFO.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One number.
pub(crate) struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Self {
        Counter(AtomicU64::new(0))
    }
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }
    pub(crate) fn subtract(&self, less: u64) {
        self.0.fetch_sub(less, Relaxed);
    }
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Filters in memory, those being loaded too.
pub(crate) static FILTERS: Counter = Counter::new();
/// Items refused because a filter was full, or held as many copies as it may.
pub(crate) static REFUSED_FULL: Counter = Counter::new();
/// Items and filters refused by a limit.
pub(crate) static REFUSED_LIMIT: Counter = Counter::new();
/// Chunks taken by CF.LOADCHUNK.
pub(crate) static CHUNKS_LOADED: Counter = Counter::new();
/// Chunks refused by CF.LOADCHUNK.
pub(crate) static CHUNKS_REFUSED: Counter = Counter::new();
/// Panics caught in commands: each is a bug.
pub(crate) static PANICS: Counter = Counter::new();
