//! `cuculus man`: the manual, from the same texts as `--help`.

use crate::cli::Cli;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::Output;
use clap::CommandFactory;
use clap_mangen::Man;

/// Print the manual page, or that of one command
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus man | man -l -
  cuculus man dedup > cuculus-dedup.1")]
pub(crate) struct Args {
    /// A command, as build or dedup
    #[arg(value_name = "COMMAND")]
    of: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    let mut program = Cli::command();
    program.build();
    let command = match &args.of {
        None => program,
        Some(name) => {
            let names: Vec<_> = program.get_subcommands().map(|command| command.get_name()).collect();
            let unknown = || Failure::Usage(format!("man: no command '{name}'; there are: {}", names.join(", ")));
            let found = program.get_subcommands().find(|command| command.get_name() == name).ok_or_else(unknown)?;
            found.clone()
        }
    };
    let mut text = Vec::new();
    Man::new(command).render(&mut text).map_err(Failure::output)?;
    let mut out = Output::new();
    out.bytes(&text)?;
    out.flush()?;
    Ok(Exit::Done)
}
