//! `cuculus-bench`: see the library crate of the same name.

use std::process::ExitCode;

fn main() -> ExitCode {
    cuculus_bench::cli::run()
}
