//! Atomics, locks and thread-locals: the only place where this room imports them. Under `--cfg loom` they are those of
//! the model checker, which runs through every order in which threads may see each other's writes.

#[cfg(not(loom))]
mod of_the_machine {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::Mutex;
    pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, fence};
    pub(crate) use std::thread::yield_now;
    pub(crate) use std::thread_local;

    /// Looks at a lock that is held before the thread gives way.
    pub(crate) const SPINS: u32 = 100;
}

#[cfg(loom)]
mod of_the_machine {
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::Mutex;
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, fence};
    pub(crate) use loom::thread::yield_now;
    pub(crate) use loom::thread_local;

    pub(crate) const SPINS: u32 = 0;
}

pub(crate) use of_the_machine::*;
pub(crate) use std::sync::atomic::Ordering;
