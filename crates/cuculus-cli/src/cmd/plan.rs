//! `cuculus plan`: what filters of different kinds would take, side by side.

use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Style, count, layout_name, rate, size};
use crate::rivals::Rival;
use crate::sizes;
use cuculus::{BuildError, CuckooFilter, Layout};
use serde::Serialize;

const DEFAULT_ITEMS: u64 = 1_000_000;
const DEFAULT_RATE: f64 = 0.01;

/// Compare the sizes of filters, and say which to take
///
/// Give two of --items, --fpr and --memory; the third is what the table compares. With one or none, a rate of 1% and
/// 1,000,000 items are reckoned with. Nothing is built: cuckoo filters are planned exactly as build plans them, the others
/// are reckoned from their published formulas.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  cuculus plan --items 50M --fpr 0.1%
  cuculus plan --items 50M --memory 64MiB
  cuculus plan --memory 1GiB --json")]
pub(crate) struct Args {
    /// How many different keys have to fit, 0 to 281474976710656 (also 1e6, 10M)
    #[arg(long, value_name = "N", value_parser = sizes::items, allow_negative_numbers = true)]
    items: Option<u64>,

    /// The highest false-positive rate: 0.001, 0.1%, 1e-3
    #[arg(long, value_name = "P", value_parser = sizes::rate, allow_negative_numbers = true)]
    fpr: Option<f64>,

    /// The most memory: 4096, 64MiB, 1.5GB
    #[arg(long, value_name = "SIZE", value_parser = sizes::bytes, allow_negative_numbers = true)]
    memory: Option<u64>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is given; the third follows.
#[derive(Clone, Copy, Debug)]
enum Question {
    Memory { items: u64, rate: f64 },
    Items { memory: u64, rate: f64 },
    Rate { memory: u64, items: u64 },
}

/// One kind of filter.
#[derive(Clone, Debug, Serialize)]
struct Row {
    name: &'static str,
    bits_per_item: f64,
    bytes: u64,
    items: u64,
    false_positive_rate: f64,
    removes: bool,
    cache_lines: Option<u32>,
    /// Whether `cuculus build` makes it.
    built_here: bool,
}

#[derive(Serialize)]
struct Answer {
    items: Option<u64>,
    false_positive_rate: Option<f64>,
    memory: Option<u64>,
    filters: Vec<Row>,
    recommended: &'static str,
    why: String,
    command: String,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Outcome {
    let question = match (args.items, args.fpr, args.memory) {
        (Some(_), Some(_), Some(_)) => {
            return Err(Failure::Usage("give only two of --items, --fpr and --memory: the third follows".to_owned()));
        }
        (Some(items), None, Some(memory)) => Question::Rate { memory, items },
        (None, rate, Some(memory)) => Question::Items { memory, rate: rate.unwrap_or(DEFAULT_RATE) },
        (items, rate, None) => {
            Question::Memory { items: items.unwrap_or(DEFAULT_ITEMS), rate: rate.unwrap_or(DEFAULT_RATE) }
        }
    };
    let mut rows = Vec::new();
    let mut problem = None;
    for layout in [Layout::Compact, Layout::SemiSorted, Layout::Packed] {
        match ours(Some(layout), question) {
            Ok(row) => rows.push(row),
            // Another layout may reach what this one cannot.
            Err(error) => problem = Some(error),
        }
    }
    let best = match ours(None, question) {
        Ok(best) => best,
        Err(error) => return Err(Failure::Build(problem.unwrap_or(error))),
    };
    rows.extend(Rival::ALL.iter().filter_map(|&rival| theirs(rival, question)));
    let answer = Answer {
        items: args.items,
        false_positive_rate: args.fpr,
        memory: args.memory,
        why: why(&best, &rows, question),
        command: command(question),
        recommended: best.name,
        filters: rows,
    };
    let mut out = Output::new();
    match args.json {
        true => out.json(&answer)?,
        false => print(&mut out, &answer, question)?,
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// What is compared: less is better.
fn merit(row: &Row, question: Question) -> f64 {
    match question {
        Question::Memory { .. } => row.bytes as f64,
        Question::Items { .. } => -(row.items as f64),
        Question::Rate { .. } => row.false_positive_rate,
    }
}

/// A cuckoo filter of a layout, or of the one that `build` takes by itself.
fn ours(layout: Option<Layout>, question: Question) -> Result<Row, BuildError> {
    let builder = layout.map_or_else(CuckooFilter::builder, |layout| CuckooFilter::builder().layout(layout));
    let plan = match question {
        Question::Memory { items, rate } => builder.items(items).false_positive_rate(rate),
        Question::Items { memory, rate } => builder.memory(memory).false_positive_rate(rate),
        Question::Rate { memory, items } => builder.memory(memory).items(items),
    }
    .plan()?;
    let items = match question {
        Question::Memory { items, .. } | Question::Rate { items, .. } => items,
        Question::Items { .. } => plan.capacity,
    };
    Ok(Row {
        name: layout_name(plan.geometry.layout),
        bits_per_item: plan.table_bytes() as f64 * 8.0 / items.max(1) as f64,
        bytes: plan.table_bytes(),
        items,
        false_positive_rate: plan.false_positive_rate,
        removes: true,
        cache_lines: Some(2),
        built_here: true,
    })
}

fn theirs(rival: Rival, question: Question) -> Option<Row> {
    let (items, rate, bytes) = match question {
        Question::Memory { items, rate } => (items as f64, rate, rival.bytes(items as f64, rate)?),
        Question::Items { memory, rate } => (rival.items(memory as f64, rate)?, rate, memory as f64),
        Question::Rate { memory, items } => (items as f64, rival.rate(memory as f64, items as f64)?, memory as f64),
    };
    Some(Row {
        name: rival.name(),
        bits_per_item: bytes * 8.0 / items.max(1.0),
        bytes: bytes.ceil() as u64,
        items: items as u64,
        false_positive_rate: rate,
        removes: rival.removes(),
        cache_lines: rival.lines(rate),
        built_here: false,
    })
}

fn why(best: &Row, rows: &[Row], question: Question) -> String {
    let mut text = match question {
        Question::Memory { .. } => "the smallest",
        Question::Items { .. } => "the one with most keys",
        Question::Rate { .. } => "the one with the lowest rate",
    }
    .to_owned();
    text.push_str(" that is fast too: keys can be removed, and a lookup reads two cache lines.");
    let find = |name| rows.iter().find(|row| row.name == name && row.name != best.name);
    if let Some(packed) = find(layout_name(Layout::Packed)) {
        let difference = compared(packed, best, question, "takes");
        text.push_str(&format!(" Packed (--layout packed) is faster still and {difference}."));
    }
    if let Some(sorted) = find(layout_name(Layout::SemiSorted)) {
        let difference = compared(sorted, best, question, "takes");
        text.push_str(&format!(" Semi-sorted (--layout semi-sorted) is slower and {difference}."));
    }
    if let Some(bloom) = find(Rival::Bloom.name()) {
        let difference = compared(bloom, best, question, "takes");
        text.push_str(&match merit(bloom, question) < merit(best, question) {
            true => format!(" If nothing is ever removed, a Bloom filter serves as well: it {difference}."),
            false => format!(" A Bloom filter {difference} and cannot remove."),
        });
    }
    text
}

/// How another filter compares with the best of ours, after "it".
fn compared(other: &Row, best: &Row, question: Question, verb: &str) -> String {
    let percent =
        |ratio: f64| format!("{:.0} % {}", (ratio - 1.0).abs() * 100.0, if ratio < 1.0 { "less" } else { "more" });
    match question {
        Question::Memory { .. } if other.bytes == best.bytes => format!("{verb} the same memory"),
        Question::Memory { .. } => format!("{verb} {} memory", percent(other.bytes as f64 / best.bytes.max(1) as f64)),
        Question::Items { .. } => {
            let ratio = other.items as f64 / best.items.max(1) as f64;
            format!("holds {:.0} % {} keys", (ratio - 1.0).abs() * 100.0, if ratio < 1.0 { "fewer" } else { "more" })
        }
        Question::Rate { .. } => {
            format!("has a rate of {} instead of {}", rate(other.false_positive_rate), rate(best.false_positive_rate))
        }
    }
}

fn command(question: Question) -> String {
    match question {
        Question::Memory { items, rate } => format!("cuculus build -o FILE --items {items} --fpr {rate} INPUT..."),
        Question::Items { memory, rate } => format!("cuculus build -o FILE --memory {memory} --fpr {rate} INPUT..."),
        Question::Rate { memory, items } => format!("cuculus build -o FILE --items {items} --memory {memory} INPUT..."),
    }
}

fn print(out: &mut Output, answer: &Answer, question: Question) -> Result<(), Failure> {
    let style = Style::stdout();
    let heading = match question {
        Question::Memory { items, rate: asked } => {
            format!("{} keys, false positives at most {}", count(items), rate(asked))
        }
        Question::Items { memory, rate: asked } => {
            format!("{} of memory, false positives at most {}", size(memory), rate(asked))
        }
        Question::Rate { memory, items } => format!("{} keys in {} of memory", count(items), size(memory)),
    };
    out.line(style.bold(&heading))?;
    out.line("")?;
    let titles = format!(
        "{:<22} {:>8} {:>11} {:>19} {:>16}  {:<7} {:>5}",
        "filter", "bits/key", "size", "keys", "rate", "removes", "lines"
    );
    out.line(style.bold(&titles))?;
    for row in &answer.filters {
        let line = format!(
            "{:<22} {:>8.2} {:>11} {:>19} {:>16}  {:<7} {:>5}",
            row.name,
            row.bits_per_item,
            size(row.bytes),
            count(row.items),
            rate(row.false_positive_rate),
            if row.removes { "yes" } else { "no" },
            row.cache_lines.map_or("-".to_owned(), |lines| lines.to_string()),
        );
        out.line(if row.name == answer.recommended { style.green(&line) } else { line.as_str().into() })?;
    }
    out.line("")?;
    out.line(
        "lines: cache lines that a lookup of a stored key reads. The first rows are cuckoo filters, the last is the",
    )?;
    out.line("limit that no filter with removal can pass.")?;
    out.line("")?;
    out.line(format_args!("{} {}: {}", style.bold("Take"), style.green(answer.recommended), answer.why))?;
    out.line(format_args!("  {}", answer.command))
}
