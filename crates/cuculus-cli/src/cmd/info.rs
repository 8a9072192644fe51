//! `cuculus info`: what a filter file says it is.

mod window;

use crate::exit::{Exit, Failure, Outcome};
use crate::filter::stream;
use crate::imported::{self, Imported};
use crate::output::{Output, Style, bits, count, layout_name, rate, size};
use cuculus::{FileInfo, FilterKind, GrowingInfo, Layout, Placement, Search, WindowInfo};
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Show what a filter file is, from its header alone
///
/// Reads 256 bytes, whatever the size of the file, and works on a pipe. Needs no key. Says nothing about the health of
/// the table: see verify.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus info words.cuculus
  cuculus info --json words.cuculus
  cat words.cuculus | cuculus info -")]
pub(crate) struct Args {
    /// The filter file; "-" is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(imported) = imported::open(&args.file)? {
        return print_imported(args, &imported);
    }
    let info = if let Some(stream) = stream(&args.file)? {
        let name =
            || if args.file == Path::new("-") { "standard input".to_owned() } else { args.file.display().to_string() };
        let mut first = Vec::new();
        let read = stream.take(FileInfo::BYTES as u64).read_to_end(&mut first);
        read.map_err(|error| Failure::Input { name: name(), reason: error.to_string() })?;
        let wrong = |reason| Failure::Format { name: name(), reason };
        match FilterKind::read(&first).map_err(wrong)? {
            FilterKind::Growing => Info::Growing(GrowingInfo::read(&first).map_err(wrong)?),
            FilterKind::Window => Info::Window(WindowInfo::read(&first).map_err(wrong)?),
            _ => Info::Fixed(FileInfo::read(&first).map_err(wrong)?),
        }
    } else {
        match FilterKind::of_file(&args.file)? {
            FilterKind::Growing => Info::Growing(GrowingInfo::of_file(&args.file)?),
            FilterKind::Window => Info::Window(WindowInfo::of_file(&args.file)?),
            _ => Info::Fixed(FileInfo::of_file(&args.file)?),
        }
    };
    let mut out = Output::new();
    match (&info, args.json) {
        (_, true) => out.json(&info.describe(&args.file))?,
        (Info::Fixed(info), false) => print(&mut out, &args.file, info)?,
        (Info::Growing(info), false) => print_growing(&mut out, &args.file, info)?,
        (Info::Window(info), false) => window::print(&mut out, &args.file, info)?,
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// The header of a filter of any kind.
pub(super) enum Info {
    Fixed(FileInfo),
    Growing(GrowingInfo),
    Window(WindowInfo),
}

/// A header as JSON.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum AnyDescription {
    Fixed(Description),
    Growing(GrowingDescription),
    Window(window::Description),
}

impl Info {
    pub(super) fn describe(&self, file: &Path) -> AnyDescription {
        match self {
            Info::Fixed(info) => AnyDescription::Fixed(Description::new(file, info)),
            Info::Growing(info) => AnyDescription::Growing(GrowingDescription::new(file, info)),
            Info::Window(info) => AnyDescription::Window(window::Description::new(file, info)),
        }
    }

    /// Keys and bytes of the file.
    pub(super) fn sizes(&self) -> (u64, u64) {
        match self {
            Info::Fixed(info) => (info.len, info.file_bytes),
            Info::Growing(info) => (info.len, info.file_bytes),
            Info::Window(info) => (info.len, info.file_bytes),
        }
    }
}

/// The header of a growing filter.
#[derive(Serialize)]
pub(super) struct GrowingDescription {
    file: String,
    format_version: u16,
    items: u64,
    /// `null` with an open end.
    maximum: Option<u64>,
    promised_false_positive_rate: f64,
    layout: &'static str,
    slot_bits: u32,
    core_bits: u32,
    slots_per_line: u32,
    wide_slots: u32,
    lines: u64,
    slots: u64,
    load_factor: f64,
    /// Absent for an empty filter.
    bits_per_item: Option<f64>,
    hash: &'static str,
    seed: Option<u64>,
    keyed: bool,
    table_bytes: u64,
    stash_entries: u64,
    file_bytes: u64,
}

impl GrowingDescription {
    fn new(file: &Path, info: &GrowingInfo) -> Self {
        let slots = info.lines * u64::from(info.slots_per_line);
        GrowingDescription {
            file: file.display().to_string(),
            format_version: info.version,
            items: info.len,
            maximum: info.maximum,
            promised_false_positive_rate: info.promised_false_positive_rate,
            layout: "growing",
            slot_bits: info.slot_bits,
            core_bits: info.core_bits,
            slots_per_line: info.slots_per_line,
            wide_slots: info.wide_slots,
            lines: info.lines,
            slots,
            load_factor: info.len as f64 / slots as f64,
            bits_per_item: (info.len > 0).then(|| info.table_bytes as f64 * 8.0 / info.len as f64),
            hash: info.hash,
            seed: info.seed,
            keyed: info.keyed,
            table_bytes: info.table_bytes,
            stash_entries: info.stash_entries,
            file_bytes: info.file_bytes,
        }
    }
}

fn print_growing(out: &mut Output, file: &Path, info: &GrowingInfo) -> Result<(), Failure> {
    let d = GrowingDescription::new(file, info);
    let bits =
        bits(d.bits_per_item).unwrap_or_else(|| (if d.items == 0 { "nothing stored" } else { "nearly empty" }).into());
    let end = d.maximum.map_or("growing without end".to_owned(), |most| format!("growing to at most {}", count(most)));
    let rows = [
        ("file", format!("{}, format version {}, {}", d.file, d.format_version, size(d.file_bytes))),
        ("keys", format!("{}, {end}", count(d.items))),
        ("rate", format!("false positives at most {}", rate(d.promised_false_positive_rate))),
        ("memory", format!("{}, {bits}", size(d.table_bytes))),
        ("slots", format!("{} in {} lines of {}", count(d.slots), count(d.lines), d.slots_per_line)),
        ("load", format!("{:.1} %", d.load_factor * 100.0)),
        ("hash", hash_name(d.hash, d.seed, d.keyed)),
    ];
    rows.iter().try_for_each(|(name, value)| row(out, name, value))
}

fn row(out: &mut Output, name: &str, value: &str) -> Result<(), Failure> {
    out.line(format_args!("{}  {value}", Style::stdout().bold(&format!("{name:<7}"))))
}

fn hash_name(hash: &str, seed: Option<u64>, keyed: bool) -> String {
    match (seed, keyed) {
        (Some(seed), _) => format!("{hash}, seed {seed}"),
        (None, true) => format!("{hash} with a secret key"),
        (None, false) => hash.to_owned(),
    }
}

/// A file of `import-redisbloom`.
fn print_imported(args: &Args, imported: &Imported) -> Outcome {
    #[derive(Serialize)]
    struct Description {
        file: String,
        imported_from: &'static str,
        items: u64,
        tables: u64,
        table_bytes: u64,
        slots_per_bucket: u8,
        load_factor: f64,
        expected_false_positive_rate: f64,
    }
    let info = imported.filter.info();
    let description = Description {
        file: args.file.display().to_string(),
        imported_from: "RedisBloom",
        items: info.items,
        tables: info.imported_tables,
        table_bytes: info.imported_bytes,
        slots_per_bucket: imported.filter.params().bucket_size,
        load_factor: info.load_factor(),
        expected_false_positive_rate: info.expected_rate,
    };
    let mut out = Output::new();
    match args.json {
        true => out.json(&description)?,
        false => out.line(format!(
            "{}: imported from RedisBloom, {} keys in {} tables of {}, false positives about {}",
            description.file,
            count(info.items),
            count(info.imported_tables),
            size(info.imported_bytes),
            rate(info.expected_rate)
        ))?,
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// A header as JSON.
#[derive(Serialize)]
pub(super) struct Description {
    file: String,
    format_version: u16,
    items: u64,
    capacity: u64,
    promised_false_positive_rate: f64,
    layout: &'static str,
    placement: &'static str,
    fingerprint_bits: u32,
    slots_per_bucket: u32,
    wide_slots: u32,
    buckets: u64,
    slots: u64,
    load_factor: f64,
    /// Absent for an empty filter.
    bits_per_item: Option<f64>,
    search: &'static str,
    search_budget: u32,
    hash: &'static str,
    seed: Option<u64>,
    keyed: bool,
    table_bytes: u64,
    compressed: bool,
    stored_bytes: u64,
    stash_entries: u64,
    file_bytes: u64,
}

impl Description {
    pub(super) fn new(file: &Path, info: &FileInfo) -> Self {
        let (search, search_budget) = search(info.search);
        let geometry = &info.geometry;
        Description {
            file: file.display().to_string(),
            format_version: info.version,
            items: info.len,
            capacity: info.capacity,
            promised_false_positive_rate: info.promised_false_positive_rate,
            layout: layout_name(geometry.layout),
            placement: placement(geometry.placement),
            fingerprint_bits: geometry.fingerprint_bits,
            slots_per_bucket: geometry.slots_per_bucket,
            wide_slots: geometry.wide_slots,
            buckets: geometry.buckets,
            slots: geometry.slots(),
            load_factor: info.len as f64 / geometry.slots() as f64,
            bits_per_item: (info.len > 0).then(|| info.table_bytes as f64 * 8.0 / info.len as f64),
            search,
            search_budget,
            hash: info.hash,
            seed: info.seed,
            keyed: info.keyed,
            table_bytes: info.table_bytes,
            compressed: info.compressed,
            stored_bytes: info.stored_bytes,
            stash_entries: info.stash_entries,
            file_bytes: info.file_bytes,
        }
    }
}

fn placement(placement: Placement) -> &'static str {
    match placement {
        Placement::AnySize => "any-size",
        Placement::Xor => "xor",
    }
}

fn search(search: Search) -> (&'static str, u32) {
    match search {
        Search::BreadthFirst { positions } => ("breadth-first", positions),
        Search::RandomWalk { kicks } => ("random-walk", kicks),
    }
}

fn print(out: &mut Output, file: &Path, info: &FileInfo) -> Result<(), Failure> {
    let (d, geometry) = (Description::new(file, info), &info.geometry);
    let wide = if d.wide_slots > 0 { format!(", {} of them one bit wider", d.wide_slots) } else { String::new() };
    let bits =
        bits(d.bits_per_item).unwrap_or_else(|| (if d.items == 0 { "nothing stored" } else { "nearly empty" }).into());
    let buckets = if geometry.layout == Layout::Compact { "lines" } else { "buckets" };
    let hash = hash_name(d.hash, d.seed, d.keyed);
    let stored = if d.compressed { format!(", stored compressed in {}", size(d.stored_bytes)) } else { String::new() };
    let rows = [
        ("file", format!("{}, format version {}, {}", d.file, d.format_version, size(d.file_bytes))),
        ("keys", format!("{} of at most {}", count(d.items), count(d.capacity))),
        ("rate", format!("false positives at most {}", rate(d.promised_false_positive_rate))),
        ("memory", format!("{}, {bits}{stored}", size(d.table_bytes))),
        ("layout", format!("{}, {} placement, {} bits a fingerprint", d.layout, d.placement, d.fingerprint_bits)),
        ("slots", format!("{} in {} {buckets} of {}{wide}", count(d.slots), count(d.buckets), d.slots_per_bucket)),
        ("load", format!("{:.1} %", d.load_factor * 100.0)),
        ("hash", hash),
        ("search", format!("{}, at most {} steps", d.search, count(d.search_budget.into()))),
    ];
    rows.iter().try_for_each(|(name, value)| row(out, name, value))
}
