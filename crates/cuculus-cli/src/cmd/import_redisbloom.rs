//! `cuculus import-redisbloom`: a dump of RedisBloom's as a file for lookups.

use crate::exit::{Exit, Failure, Outcome};
use crate::imported::{self, Imported};
use crate::output::{Output, counted, rate, size};
use crate::target::{Target, TargetArgs};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Turn a RedisBloom dump into a file that check and info read
///
/// The dump is what CF.SCANDUMP gives, from position 0 on, one chunk after the other: 38 bytes of header, then the tables.
/// All of it is checked, and the items are counted again. Fingerprints and buckets stay as they are, and so does the
/// false-positive rate. To go on adding keys, load the chunks into a server with the module instead (CF.LOADCHUNK).
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus import-redisbloom -o users.cuculus users.dump
  cuculus check users.cuculus user.txt")]
pub(crate) struct Args {
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The dump; "-" is standard input
    #[arg(value_name = "DUMP")]
    dump: PathBuf,

    #[command(flatten)]
    target: TargetArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    let target = Target::new(&args.output, &args.target)?;
    target.refuse_inputs(std::slice::from_ref(&args.dump))?;
    let name = args.dump.display().to_string();
    let failure = |reason: String| Failure::Input { name: name.clone(), reason };
    let mut dump = Vec::new();
    let read = match args.dump == Path::new("-") {
        true => std::io::stdin().read_to_end(&mut dump),
        false => std::fs::File::open(&args.dump).and_then(|mut file| file.read_to_end(&mut dump)),
    };
    read.map_err(|error| failure(error.to_string()))?;
    let imported = Imported::from_dump(&dump).map_err(|error| failure(error.to_string()))?;
    imported::save(&imported, &target.path()?)?;
    let info = imported.filter.info();
    let mut out = Output::new();
    out.line(format!("imported {} from {}", counted(info.items, "key"), counted(info.imported_tables, "table")))?;
    out.line(format!(
        "{}: {}, false positives about {}",
        args.output.display(),
        size(info.imported_bytes),
        rate(info.expected_rate)
    ))?;
    out.flush()?;
    Ok(Exit::Done)
}
