//! What growing filters promise, tested from outside.

mod files;
mod rig;
