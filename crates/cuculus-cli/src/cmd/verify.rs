//! `cuculus verify`: whether a filter file is whole.

use super::info::Description;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Style, counted, size};
use crate::secret::KeyFile;
use crate::store;
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Check every byte of a filter file
///
/// Reads the whole file: checksums of header and table, the number of stored keys against the header, and that the table
/// holds nothing that this program does not write. Needs no key; with --key-file it says whether that is the right one.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus verify words.cuculus && echo whole

Exit codes: 0 whole, 2 damaged or no filter.")]
pub(crate) struct Args {
    /// The filter file; "-" is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    key_file: KeyFile,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Verdict {
    whole: bool,
    #[serde(flatten)]
    description: Description,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    let key = args.key_file.read()?;
    let info = if args.file == Path::new("-") {
        let name = || "standard input".to_owned();
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::Input { name: name(), reason: error.to_string() })?;
        cuculus::verify_bytes(&bytes).map_err(|reason| Failure::Format { name: name(), reason })?
    } else {
        let info = cuculus::verify_file(&args.file)?;
        if key.is_some() {
            store::open(&args.file, key.as_ref())?;
        }
        info
    };
    let mut out = Output::new();
    match args.json {
        true => out.json(&Verdict { whole: true, description: Description::new(&args.file, &info) })?,
        false => {
            let style = Style::stdout();
            let (keys, bytes) = (counted(info.len, "key"), size(info.file_bytes));
            out.line(format_args!("{}: {}, {keys}, {bytes}", args.file.display(), style.green("whole")))?;
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}
