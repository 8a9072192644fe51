//! What is printed: text for people, JSON for programs, colour only on a terminal.

use crate::exit::Failure;
use cuculus::Layout;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

/// Bytes gathered before standard output is written to.
const BUFFER: usize = 256 << 10;

/// Standard output, gathered in one buffer.
pub(crate) struct Output(BufWriter<StdoutLock<'static>>);

impl Output {
    /// Locks standard output.
    pub(crate) fn new() -> Self {
        Output(BufWriter::with_capacity(BUFFER, io::stdout().lock()))
    }

    /// Writes bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.0.write_all(bytes).map_err(Failure::output)
    }

    /// Writes a line of text.
    pub(crate) fn line(&mut self, text: impl std::fmt::Display) -> Result<(), Failure> {
        writeln!(self.0, "{text}").map_err(Failure::output)
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.0, value).map_err(|error| Failure::output(error.into()))?;
        self.line("")
    }

    /// Hands everything on.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.0.flush().map_err(Failure::output)
    }
}

/// Bold and dim text where a terminal shows it.
#[derive(Clone, Copy)]
pub(crate) struct Style(bool);

impl Style {
    /// For standard output.
    pub(crate) fn stdout() -> Self {
        Style(io::stdout().is_terminal() && colours())
    }

    /// For standard error.
    pub(crate) fn stderr() -> Self {
        Style(io::stderr().is_terminal() && colours())
    }

    /// Headings and what matters.
    pub(crate) fn bold(self, text: &str) -> Cow<'_, str> {
        self.paint("1", text)
    }

    /// Good news, and what is recommended.
    pub(crate) fn green(self, text: &str) -> Cow<'_, str> {
        self.paint("32", text)
    }

    /// Bad news.
    pub(crate) fn red(self, text: &str) -> Cow<'_, str> {
        self.paint("1;31", text)
    }

    fn paint(self, code: &str, text: &str) -> Cow<'static, str> {
        match self.0 {
            true => format!("\x1b[{code}m{text}\x1b[0m").into(),
            false => text.to_owned().into(),
        }
    }
}

/// The wishes of the user (no-color.org) and of the terminal.
fn colours() -> bool {
    let unset_or_empty = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
    unset_or_empty("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A layout's name, as `--layout` takes it.
pub(crate) fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::Packed => "packed",
        Layout::SemiSorted => "semi-sorted",
        Layout::Compact => "compact",
    }
}

/// Bytes for the eye: `11.4 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    match unit {
        "B" => format!("{bytes} B"),
        _ => format!("{value:.1} {unit}"),
    }
}

/// A count for the eye: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, in the plural where it is not one.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Bits a key, where that says something: not of a table that is nearly empty.
pub(crate) fn bits(bits_per_item: Option<f64>) -> Option<String> {
    bits_per_item.filter(|&bits| bits < 1_000.0).map(|bits| format!("{bits:.2} bits a key"))
}

/// A rate for the eye: `1 %`, `0.0977 %`, and one in so many where percents get small.
pub(crate) fn rate(rate: f64) -> String {
    if rate >= 0.9995e-4 || rate == 0.0 {
        let percent = format!("{:.*}", decimals(rate * 100.0), rate * 100.0);
        let percent =
            if percent.contains('.') { percent.trim_end_matches('0').trim_end_matches('.') } else { &percent };
        return format!("{percent} %");
    }
    format!("1 in {}", count((1.0 / rate).round() as u64))
}

/// Decimals that show three digits.
fn decimals(value: f64) -> usize {
    if value <= 0.0 { 0 } else { (2.0 - value.log10().floor()).clamp(0.0, 6.0) as usize }
}

/// A key for a message: readable, on one line, not too long.
pub(crate) fn key_text(key: &[u8]) -> String {
    const MOST: usize = 80;
    let text = String::from_utf8_lossy(&key[..key.len().min(4 * MOST)]);
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if key.len() > 4 * MOST || text.chars().count() > MOST {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_the_eye() {
        assert_eq!(size(1_023), "1023 B");
        assert_eq!(size(1 << 20), "1.0 MiB");
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "key"), "1 key");
        assert_eq!(counted(1_000, "key"), "1,000 keys");
        assert_eq!(rate(0.01), "1 %");
        assert_eq!(rate(0.5), "50 %");
        assert_eq!(rate(0.001), "0.1 %");
        assert_eq!(rate(0.000_977), "0.0977 %");
        assert_eq!(rate(1e-6), "1 in 1,000,000");
        assert_eq!(rate(0.0), "0 %");
    }

    #[test]
    fn keys_for_messages() {
        assert_eq!(key_text(b"SMITH"), "SMITH");
        assert_eq!(key_text(b"a\tb\n\xff"), "a\\tb\\n\u{fffd}");
        assert!(key_text(&[b'x'; 1 << 20]).len() < 100);
    }
}
