//! `cuculus`: cuckoo filters on the command line.
#![forbid(unsafe_code)]

mod cli;
mod cmd;
mod distinct;
mod exit;
mod filter;
mod imported;
mod input;
mod output;
mod progress;
mod recent;
mod rivals;
mod secret;
mod server;
mod sizes;
mod store;
mod target;

fn main() -> std::process::ExitCode {
    cli::run().into()
}
