//! What `info` says of a window.

use super::{hash_name, row};
use crate::exit::Failure;
use crate::output::{Output, bits, count, counted, rate, size};
use cuculus::{Window, WindowInfo};
use serde::Serialize;
use std::path::Path;

/// The header of a window as JSON.
#[derive(Serialize)]
pub(in crate::cmd) struct Description {
    file: String,
    format_version: u16,
    items: u64,
    capacity: u64,
    promised_false_positive_rate: f64,
    layout: &'static str,
    /// `null` for a window of time.
    window_items: Option<u64>,
    /// `null` for a window of items.
    window_seconds: Option<f64>,
    steps: u32,
    /// Items seen so far.
    now_items: Option<u64>,
    /// The latest time that the filter was told.
    now_seconds: Option<f64>,
    fingerprint_bits: u32,
    stamp_bits: u32,
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

fn items(span: Window) -> Option<u64> {
    if let Window::Items(items) = span { Some(items) } else { None }
}

fn seconds(span: Window) -> Option<f64> {
    if let Window::Time(time) = span { Some(time.as_secs_f64()) } else { None }
}

impl Description {
    pub(in crate::cmd) fn new(file: &Path, info: &WindowInfo) -> Self {
        let geometry = &info.geometry;
        Description {
            file: file.display().to_string(),
            format_version: info.version,
            items: info.len,
            capacity: info.capacity,
            promised_false_positive_rate: info.promised_false_positive_rate,
            layout: "window",
            window_items: items(info.window),
            window_seconds: seconds(info.window),
            steps: info.steps,
            now_items: items(info.now),
            now_seconds: seconds(info.now),
            fingerprint_bits: geometry.fingerprint_bits,
            stamp_bits: info.stamp_bits,
            slots_per_line: geometry.slots_per_bucket,
            wide_slots: geometry.wide_slots,
            lines: geometry.buckets,
            slots: geometry.slots(),
            load_factor: info.len as f64 / geometry.slots() as f64,
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

/// A span for the eye.
fn span_text(span: Window) -> String {
    match span {
        Window::Items(items) => counted(items, "key"),
        Window::Time(time) => format!("{time:?}"),
        _ => "unknown".to_owned(),
    }
}

pub(super) fn print(out: &mut Output, file: &Path, info: &WindowInfo) -> Result<(), Failure> {
    let d = Description::new(file, info);
    let bits =
        bits(d.bits_per_item).unwrap_or_else(|| (if d.items == 0 { "nothing stored" } else { "nearly empty" }).into());
    let rows = [
        ("file", format!("{}, format version {}, {}", d.file, d.format_version, size(d.file_bytes))),
        ("window", format!("the last {}, in {}", span_text(info.window), counted(d.steps.into(), "step"))),
        ("now", format!("after {}", span_text(info.now))),
        ("keys", format!("{} of at most {}", count(d.items), count(d.capacity))),
        ("rate", format!("false positives at most {}", rate(d.promised_false_positive_rate))),
        ("memory", format!("{}, {bits}", size(d.table_bytes))),
        ("layout", format!("window, {} bits a fingerprint and {} a stamp", d.fingerprint_bits, d.stamp_bits)),
        ("slots", format!("{} in {} lines of {}", count(d.slots), count(d.lines), d.slots_per_line)),
        ("load", format!("{:.1} %", d.load_factor * 100.0)),
        ("hash", hash_name(d.hash, d.seed, d.keyed)),
    ];
    rows.iter().try_for_each(|(name, value)| row(out, name, value))
}
