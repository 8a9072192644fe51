//! `cuculus verify`: whether a filter file is whole.

use super::info::{AnyDescription, Info};
use crate::exit::{Exit, Failure, Outcome};
use crate::filter::stream;
use crate::output::{Output, Style, counted, size};
use crate::secret::KeyFile;
use crate::store;
use cuculus::{FilterKind, GrowingInfo, WindowInfo};
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
    description: AnyDescription,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    let key = args.key_file.read()?;
    let info = if let Some(mut stream) = stream(&args.file)? {
        let name =
            || if args.file == Path::new("-") { "standard input".to_owned() } else { args.file.display().to_string() };
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(|error| Failure::Input { name: name(), reason: error.to_string() })?;
        let wrong = |reason| Failure::Format { name: name(), reason };
        match FilterKind::read(&bytes).map_err(wrong)? {
            FilterKind::Growing => Info::Growing(GrowingInfo::verify_bytes(&bytes).map_err(wrong)?),
            FilterKind::Window => Info::Window(WindowInfo::verify_bytes(&bytes).map_err(wrong)?),
            _ => Info::Fixed(cuculus::verify_bytes(&bytes).map_err(wrong)?),
        }
    } else {
        let info = match FilterKind::of_file(&args.file)? {
            FilterKind::Growing => Info::Growing(GrowingInfo::verify_file(&args.file)?),
            FilterKind::Window => Info::Window(WindowInfo::verify_file(&args.file)?),
            _ => Info::Fixed(cuculus::verify_file(&args.file)?),
        };
        if key.is_some() {
            store::open(&args.file, key.as_ref())?;
        }
        info
    };
    let mut out = Output::new();
    match args.json {
        true => out.json(&Verdict { whole: true, description: info.describe(&args.file) })?,
        false => {
            let style = Style::stdout();
            let (keys, bytes) = info.sizes();
            let (keys, bytes) = (counted(keys, "key"), size(bytes));
            out.line(format_args!("{}: {}, {keys}, {bytes}", args.file.display(), style.green("whole")))?;
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}
