//! What growing filters promise, tested from outside.

mod files;
mod hostile;
mod promises;
mod property;
mod rig;
