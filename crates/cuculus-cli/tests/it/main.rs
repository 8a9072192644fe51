//! The program as a user runs it: real files, real pipes, exit codes.

mod common;
mod dedup;
mod filters;
mod full;
mod growing;
mod hostile;
mod imported;
mod input;
mod merging;
mod readme;
mod surface;
mod target;
mod terminal;
mod threads;
mod windows;
mod writers;
