//! The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{churn, compare, growing, growth, limit, meter, paper, threads, window};

#[derive(Parser, Debug)]
#[command(
    name = "cuculus-bench",
    version,
    about = "Cuckoo filters beside their rivals, and the paper's tables and figures"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Do not bind the program to one core.
    #[arg(long, global = true)]
    no_pin: bool,
    /// Number of the core to bind to; the last one if not said.
    #[arg(long, global = true, conflicts_with = "no_pin")]
    core: Option<usize>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Every filter built for so many items at a rate: space, rate, speeds.
    Compare(compare::CompareArgs),
    /// The same at a fixed table (12-bit fingerprints, four slots, load 0.95), with the limit of the memory beside it.
    Speed(compare::SpeedArgs),
    /// The paper's table, figures and claims, beside its own numbers.
    Paper(paper::PaperArgs),
    /// Random lines a second and sequential bandwidth.
    Limit(limit::LimitArgs),
    /// A set that keeps changing.
    Churn(churn::ChurnArgs),
    /// Cost as the set grows, and by kind of key.
    Growth(growth::GrowthArgs),
    /// Filters that grow, beside a fixed one of the final size, and how long their single calls take.
    Growing(growing::GrowingArgs),
    /// A filter that threads share, beside a plain one and the memory's limit.
    Threads(threads::ThreadsArgs),
    /// A window whose items age, beside a fixed filter and a chain of them.
    Window(window::WindowArgs),
}

/// Runs the program.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    if !cli.no_pin && !meter::pin(cli.core) {
        eprintln!("note: could not bind to one core");
    }
    let outcome = match &cli.command {
        Command::Compare(args) => compare::run(args),
        Command::Speed(args) => compare::speed(args),
        Command::Paper(args) => paper::run(args),
        Command::Limit(args) => limit::run(args),
        Command::Churn(args) => churn::run(args),
        Command::Growth(args) => growth::run(args),
        Command::Growing(args) => growing::run(args),
        Command::Threads(args) => threads::run(args),
        Command::Window(args) => window::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("cuculus-bench: {why}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
