//! `cuculus completions`: what a shell needs to complete this command line.

use crate::cli::Cli;
use crate::exit::{Exit, Outcome};
use crate::output::Output;
use clap::CommandFactory;
use clap_complete::Shell;

/// Print the completions for a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus completions bash > ~/.local/share/bash-completion/completions/cuculus
  cuculus completions fish > ~/.config/fish/completions/cuculus.fish
  cuculus completions zsh > \"${fpath[1]}/_cuculus\"")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    // Gathered first: the generator panics where its output is closed.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cuculus", &mut text);
    let mut out = Output::new();
    out.bytes(&text)?;
    out.flush()?;
    Ok(Exit::Done)
}
