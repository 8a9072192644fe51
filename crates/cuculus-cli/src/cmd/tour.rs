//! `cuculus tour`: what a cuckoo filter does, on a real list, in a moment.

use crate::exit::{Exit, Outcome};
use crate::output::{Output, Style, count, rate, size};
use cuculus::{CuckooFilter, FilterView, sizing};
use std::collections::HashSet;
use std::time::Instant;

/// 40,000 surnames of the census of 1990; data/README.md names source and licence. Part of the program: it runs anywhere.
static SURNAMES: &str = include_str!("../../../../data/surnames.txt");

/// How many of them the tour stores.
const STORED: usize = 30_000;

/// Each name is asked for with a number too, from 2 to this.
const MADE_UP: u32 = 13;

/// The rate the tour asks for.
const RATE: f64 = 0.01;

/// See what the filter does, on a real list that comes with the program
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

/// Runs the command.
pub(crate) fn run(_: &Args) -> Outcome {
    let started = Instant::now();
    let style = Style::stdout();
    let mut out = Output::new();
    let all: Vec<&str> = SURNAMES.lines().collect();
    let (inside, outside) = all.split_at(STORED.min(all.len()));

    out.line(style.bold("A tour of cuculus"))?;
    out.line(format_args!(
        "The list: the {} most frequent surnames of the United States census of 1990.",
        count(all.len() as u64)
    ))?;
    out.line(format_args!(
        "We store the first {}; the other {} stay outside.",
        count(inside.len() as u64),
        count(outside.len() as u64)
    ))?;

    out.line("")?;
    out.line(style.bold("1. Build: room for what we have, and at most 1 wrong \"yes\" in 100"))?;
    let building = Instant::now();
    let mut filter = CuckooFilter::new(inside.len() as u64, RATE)?;
    for name in inside {
        filter.insert(*name).map_err(|error| crate::exit::Failure::Usage(error.to_string()))?;
    }
    let built = building.elapsed();
    out.line(format_args!(
        "   {} names in {}, {:.2} bits each, in {:.1} ms.",
        count(filter.len()),
        size(filter.table_bytes()),
        filter.bits_per_item(),
        built.as_secs_f64() * 1e3
    ))?;

    out.line("")?;
    out.line(style.bold("2. Check: what was stored is always found"))?;
    let found = inside.iter().filter(|name| filter.contains(**name)).count();
    out.line(format_args!("   {} of {} stored names found.", count(found as u64), count(inside.len() as u64)))?;
    out.line(format_args!("   SMITH? {}.", answer(filter.contains("SMITH"))))?;
    out.line(format_args!("   {}? {}.", absent(&filter), answer(false)))?;

    out.line("")?;
    out.line(style.bold("3. The price: a few names that were never stored look stored"))?;
    // So many that chance hides little; what it does is said.
    let numbered = (2..=MADE_UP).flat_map(|number| all.iter().map(move |name| format!("{name} {number}")));
    let asked: Vec<String> = outside.iter().map(|name| (*name).to_owned()).chain(numbered).collect();
    let wrong: Vec<&String> = asked.iter().filter(|name| filter.contains(name.as_str())).collect();
    out.line(format_args!(
        "   We ask for the {} outside names and {} made-up ones. {} get a wrong \"yes\": {}",
        count(outside.len() as u64),
        count((asked.len() - outside.len()) as u64),
        count(wrong.len() as u64),
        rate(wrong.len() as f64 / asked.len() as f64),
    ))?;
    let expected = filter.false_positive_rate();
    let deviation = (expected * (1.0 - expected) / asked.len() as f64).sqrt();
    out.line(format_args!(
        "   (expected {}, by chance {} more or less; promised at most {}).",
        rate(expected),
        rate(2.0 * deviation),
        rate(filter.promised_false_positive_rate()),
    ))?;
    if let Some(example) = wrong.first() {
        out.line(format_args!(
            "   For example {example}. The wrong answers are the same on every machine: the hash is fixed."
        ))?;
    }

    out.line("")?;
    out.line(style.bold("4. Remove: what a Bloom filter cannot do"))?;
    let (leaving, staying) = inside.split_at(inside.len() / 2);
    let removed = leaving.iter().filter(|name| filter.remove(**name)).count();
    let kept = staying.iter().filter(|name| filter.contains(**name)).count();
    let ghosts = leaving.iter().filter(|name| filter.contains(**name)).count();
    out.line(format_args!(
        "   {} names removed; all {} others are still found; {} of the removed ones look stored, by chance.",
        count(removed as u64),
        count(kept as u64),
        count(ghosts as u64)
    ))?;
    out.line("   Remove only what was stored: removing anything else may take another name's place.")?;
    for name in leaving {
        filter.insert(*name).map_err(|error| crate::exit::Failure::Usage(error.to_string()))?;
    }

    out.line("")?;
    out.line(style.bold("5. Keep: a filter is a file, read where it lies"))?;
    let bytes = filter.to_bytes();
    let same = match FilterView::open(&bytes, None) {
        Ok(view) => inside.iter().all(|name| view.contains(*name)),
        Err(error) => return Err(crate::exit::Failure::Format { name: "tour".to_owned(), reason: error }),
    };
    out.line(format_args!(
        "   {} as a file; all names found in it again: {}.",
        size(bytes.len() as u64),
        if same { "yes" } else { "no" }
    ))?;

    out.line("")?;
    out.line(style.bold("6. Sizes: the same names elsewhere"))?;
    let set: HashSet<String> = inside.iter().map(|name| (*name).to_owned()).collect();
    let ours = filter.table_bytes();
    let rows = [
        ("Rust HashSet<String>", hash_set_bytes(&set), "exact"),
        ("the text itself", inside.iter().map(|name| name.len() as u64 + 1).sum(), "exact, but to be searched"),
        ("Bloom filter, 1 %", bloom_bytes(inside.len()), "cannot remove"),
        ("this cuckoo filter, 1 %", ours, "removes"),
    ];
    for (name, bytes, note) in rows {
        let times = bytes as f64 / ours as f64;
        out.line(format_args!("   {name:<24} {:>10}  {times:>5.1} times  {note}", size(bytes)))?;
    }

    out.line("")?;
    out.line(format_args!("All this took {:.0} ms. Next:", started.elapsed().as_secs_f64() * 1e3))?;
    for (command, what) in [
        ("cuculus build -o words.cuculus words.txt", "a filter from your own list"),
        ("cuculus check -v words.cuculus text.txt", "the lines that are not in it"),
        ("cuculus dedup access.log", "each line once, in little memory"),
        ("cuculus plan --items 50M --fpr 0.1%", "what it would take"),
    ] {
        out.line(format_args!("   {}  {what}", style.green(&format!("{command:<41}"))))?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn answer(found: bool) -> &'static str {
    if found { "probably stored" } else { "certainly not stored" }
}

/// Some word that is certainly not stored.
fn absent(filter: &CuckooFilter) -> &'static str {
    ["CUCKOO", "CUCULUS", "MAGPIE", "NIGHTJAR"].into_iter().find(|name| !filter.contains(*name)).unwrap_or("NOBODY")
}

/// The memory of a hash set of strings: a power of two of places, seven eighths of them usable, each a string's 24 bytes
/// and one control byte; and the text of each string in an allocation of its own, with at least 8 bytes of bookkeeping.
fn hash_set_bytes(set: &HashSet<String>) -> u64 {
    let places = (set.capacity() * 8 / 7).next_power_of_two();
    let text: usize = set.iter().map(|name| (name.capacity() + 8).next_multiple_of(16).max(32)).sum();
    (places * 25 + text) as u64
}

fn bloom_bytes(items: usize) -> u64 {
    (items as f64 * sizing::bloom_bits_per_item(RATE) / 8.0).ceil() as u64
}
