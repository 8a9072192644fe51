//! Numbers as people write them: counts, sizes in bytes, rates.

use std::time::Duration;

/// The most items a filter is built for.
const MOST_ITEMS: u64 = 1 << 48;

/// A number of items: `40000`, `40_000`, `1e6`, `10M`.
pub(crate) fn items(text: &str) -> Result<u64, String> {
    let bound = "allowed is a whole number from 0 to 281474976710656 (2^48), also written as 1e6 or 10M";
    let factors = [("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];
    whole(text, &factors, MOST_ITEMS).ok_or_else(|| bound.to_owned())
}

/// A size in bytes: `4096`, `64MiB` (of 1024), `1.5GB` (of 1000), `64M` (of 1024, as in dd and sort).
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let bound = "allowed is a size from 1 byte to 9223372036854775807 bytes (8EiB), written as 4096, 64MiB or 1.5GB";
    let (kib, kb) = (1024f64, 1000f64);
    let mut factors = Vec::new();
    for (power, letter) in (1..).zip(["K", "M", "G", "T", "P", "E"]) {
        factors.push((format!("{letter}iB"), kib.powi(power)));
        factors.push((format!("{letter}B"), kb.powi(power)));
        factors.push((letter.to_owned(), kib.powi(power)));
    }
    factors.push(("kB".to_owned(), kb));
    factors.push(("k".to_owned(), kib));
    factors.push(("B".to_owned(), 1.0));
    let factors: Vec<_> = factors.iter().map(|(suffix, factor)| (suffix.as_str(), *factor)).collect();
    whole(text, &factors, i64::MAX as u64).filter(|&bytes| bytes > 0).ok_or_else(|| bound.to_owned())
}

/// How far back a window reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Span {
    Keys(u64),
    Time(Duration),
}

/// A window: a number of keys as [`items`] reads it, but one, or a time: `500ms`, `30s`, `10m` (minutes; `10M` is ten
/// million keys), `2h`, `7d`.
pub(crate) fn span(text: &str) -> Result<Span, String> {
    let bound = "allowed is a number of keys from 1 to 281474976710656 (also 1e6, 10M), or a time of 1 ms to 100 years, \
                 written as 500ms, 30s, 10m (minutes), 2h or 7d";
    // In milliseconds.
    let units = [("ms", 1.0), ("s", 1e3), ("m", 60e3), ("h", 3600e3), ("d", 24.0 * 3600e3)];
    let most = 100 * 366 * 24 * 3_600_000;
    let span = match units.iter().any(|(unit, _)| text.ends_with(unit)) {
        true => whole(text, &units, most).map(|milliseconds| Span::Time(Duration::from_millis(milliseconds))),
        false => items(text).ok().map(Span::Keys),
    };
    let span = span.filter(|span| !matches!(span, Span::Keys(0) | Span::Time(Duration::ZERO)));
    span.ok_or_else(|| bound.to_owned())
}

/// A false-positive rate: `0.001`, `0.1%`, `1e-3`.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let bound = "allowed is a rate of more than 0 and less than 1, written as 0.001, 0.1% or 1e-3";
    let value = match text.strip_suffix('%') {
        // Shifting the decimal exponent keeps 0.3% the very number 0.003; a division may miss it by a bit.
        Some(percent) if is_plain(percent) => format!("{percent}e-2").parse::<f64>(),
        Some(percent) => percent.parse::<f64>().map(|percent| percent / 100.0),
        None => text.parse::<f64>(),
    };
    match value {
        Ok(rate) if rate > 0.0 && rate < 1.0 => Ok(rate),
        _ => Err(bound.to_owned()),
    }
}

/// A whole number of at most `most`, perhaps with a suffix; a fraction or exponent is fine where the product is whole
/// (or with a suffix is rounded down to whole).
fn whole(text: &str, suffixes: &[(&str, f64)], most: u64) -> Option<u64> {
    let suffix = suffixes.iter().filter(|(suffix, _)| text.ends_with(suffix)).max_by_key(|(suffix, _)| suffix.len());
    let (digits, factor) = match suffix {
        Some((suffix, factor)) => (text[..text.len() - suffix.len()].trim_end(), Some(*factor)),
        None => (text, None),
    };
    let digits = digits.replace('_', "");
    if factor.unwrap_or(1.0) == 1.0
        && let Ok(exact) = digits.parse::<u64>()
    {
        return (exact <= most && !text.starts_with('+')).then_some(exact);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value = digits.parse::<f64>().ok()? * factor.unwrap_or(1.0);
    let fits = value.is_finite() && value >= 0.0 && value <= most as f64;
    (fits && (factor.is_some() || value.fract() == 0.0)).then_some((value as u64).min(most))
}

/// Digits and at most a point: no exponent, no sign, no "nan".
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_as_people_write_them() {
        for (text, value) in [
            ("0", 0),
            ("1", 1),
            ("40_000", 40_000),
            ("1e6", 1_000_000),
            ("1.5e3", 1_500),
            ("10M", 10_000_000),
            ("2.5k", 2_500),
        ] {
            assert_eq!(items(text), Ok(value), "{text}");
        }
        assert_eq!(items("281474976710656"), Ok(1 << 48));
    }

    /// BR-040, BR-042: what is no number of items, or too many.
    #[test]
    fn items_refused() {
        let hostile = [
            "",
            "-1",
            "+1",
            "abc",
            "1.5",
            "1e400",
            "nan",
            "inf",
            "1e",
            "e6",
            "M",
            "0x10",
            " 1",
            "1 ",
            "9223372036854775808",
            "18446744073709551616",
            "281474976710657",
            "1e15",
            "300T",
        ];
        for text in hostile {
            assert!(items(text).unwrap_err().contains("281474976710656"), "{text}");
        }
    }

    #[test]
    fn sizes_as_people_write_them() {
        let cases = [
            ("4096", 4096),
            ("64MiB", 64 << 20),
            ("64M", 64 << 20),
            ("64MB", 64_000_000),
            ("1.5GB", 1_500_000_000),
            ("1.5GiB", 3 << 29),
            ("1kB", 1_000),
            ("2 KiB", 2_048),
            ("512B", 512),
            ("1e3", 1_000),
        ];
        for (text, value) in cases {
            assert_eq!(bytes(text), Ok(value), "{text}");
        }
    }

    /// BR-042: sizes that overflow.
    #[test]
    fn sizes_refused() {
        for text in
            ["", "0", "0MiB", "-1", "abc", "MiB", "1XB", "1e400", "16EiB", "99999999999999999999", "1e30GB", "nanGB"]
        {
            assert!(bytes(text).unwrap_err().contains("9223372036854775807"), "{text}");
        }
    }

    #[test]
    fn windows_as_people_write_them() {
        let time = |milliseconds| Span::Time(Duration::from_millis(milliseconds));
        for (text, value) in [
            ("1", Span::Keys(1)),
            ("10M", Span::Keys(10_000_000)),
            ("1e6", Span::Keys(1_000_000)),
            ("10m", time(600_000)),
            ("30s", time(30_000)),
            ("1.5h", time(5_400_000)),
            ("500ms", time(500)),
            ("7d", time(604_800_000)),
            ("90 s", time(90_000)),
        ] {
            assert_eq!(span(text), Ok(value), "{text}");
        }
        for text in
            ["", "0", "0s", "-1", "m", "10x", "1e400s", "nan s", "200000d", "0.0001s", "281474976710657", "10min"]
        {
            assert!(span(text).unwrap_err().contains("10m (minutes)"), "{text}");
        }
    }

    #[test]
    fn rates_as_people_write_them() {
        for (text, value) in
            [("0.001", 0.001), ("0.1%", 0.001), ("1e-3", 0.001), ("0.3%", 0.003), ("1e-1%", 0.001), (".5", 0.5)]
        {
            assert_eq!(rate(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn rates_refused() {
        for text in ["", "0", "1", "0%", "100%", "-0.1", "nan", "inf", "abc", "%", "1.1", "1e-400", "nan%"] {
            assert!(rate(text).unwrap_err().contains("less than 1"), "{text}");
        }
    }
}
