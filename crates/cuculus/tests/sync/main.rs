//! `SyncFilter`: what many threads may rely on. BR-067, BR-068, BR-069.
//!
//! `CUCULUS_STRESS_SECONDS` is how long the stress test polls (5 if not said; `CUCULUS_TEST_SCALE` is a percentage of
//! everything else).
#![cfg(all(feature = "std", target_has_atomic = "64", not(loom)))]
#![allow(unreachable_pub)]

mod one_thread;
mod rig;
mod snapshot;
mod stress;
mod threads;
