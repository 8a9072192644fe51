//! Settings: what a filter is made with where a command does not say, and what the server allows.

use crate::server::Call;
use cuculus::HashKind;
use cuculus_cf::{CreateError, Limits, LoadError, MAX_CAPACITY, MergeError, Params, Refusal, Shape};
use std::ffi::CStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// A whole number.
pub(crate) struct Number {
    pub(crate) name: &'static CStr,
    pub(crate) default: i64,
    pub(crate) least: i64,
    pub(crate) most: i64,
    /// Whether it may be written as `1gb`.
    pub(crate) is_memory: bool,
    value: AtomicI64,
}

impl Number {
    const fn new(name: &'static CStr, default: i64, least: i64, most: i64, is_memory: bool) -> Self {
        Number { name, default, least, most, is_memory, value: AtomicI64::new(default) }
    }
    pub(crate) fn get(&self) -> i64 {
        self.value.load(Relaxed)
    }
    pub(crate) fn set(&self, value: i64) {
        self.value.store(value, Relaxed);
    }
}

const CAPACITY: usize = 0;
const BUCKET_SIZE: usize = 1;
const MAX_ITERATIONS: usize = 2;
const EXPANSION: usize = 3;
const SEED: usize = 4;
const MAX_BYTES: usize = 5;
const MAX_GROWTH: usize = 6;

/// All numbers.
pub(crate) static NUMBERS: [Number; 7] = [
    Number::new(c"cf-initial-size", 1024, 2, MAX_CAPACITY as i64, false),
    Number::new(c"cf-bucket-size", 2, 1, 255, false),
    Number::new(c"cf-max-iterations", 20, 1, 65_535, false),
    Number::new(c"cf-expansion-factor", 1, 0, 32_768, false),
    Number::new(c"seed", 0, 0, i64::MAX, false),
    Number::new(c"max-filter-bytes", 4 << 30, 1024, i64::MAX, true),
    Number::new(c"max-growth", 0, 0, i64::MAX, false),
];

/// A setting that is text.
pub(crate) struct Text {
    pub(crate) name: &'static CStr,
    pub(crate) default: &'static CStr,
    /// Whether the server must not show it in its log.
    pub(crate) is_secret: bool,
    set: fn(&str) -> Result<(), &'static CStr>,
    value: Mutex<String>,
}

const RATE_NAME: &CStr = c"cf-error-rate";

/// All texts.
pub(crate) static TEXTS: [Text; 3] = [
    Text::new(RATE_NAME, c"0.01", false, |text| {
        parse_rate(text.as_bytes()).map(|_| ()).ok_or(c"more than 0, less than 1")
    }),
    Text::new(c"cf-layout", c"compact", false, |text| {
        fixed_shape_named(text).map(|_| ()).ok_or(c"compact, packed or semi-sorted")
    }),
    Text::new(c"hash-secret", c"", true, |text| {
        parse_secret(text).map(|_| ()).ok_or(c"empty, random, or 32 hexadecimal digits")
    }),
];

impl Text {
    const fn new(
        name: &'static CStr,
        default: &'static CStr,
        is_secret: bool,
        set: fn(&str) -> Result<(), &'static CStr>,
    ) -> Self {
        Text { name, default, is_secret, set, value: Mutex::new(String::new()) }
    }

    pub(crate) fn get(&self) -> String {
        self.value.lock().map_or_else(|_| String::new(), |value| value.clone())
    }

    /// What is allowed, if `text` is not.
    pub(crate) fn set(&self, text: &str) -> Result<(), &'static CStr> {
        (self.set)(text)?;
        if let Ok(mut value) = self.value.lock() {
            text.clone_into(&mut value);
        }
        Ok(())
    }
}

/// A false-positive rate: a decimal fraction between 0 and 1.
pub(crate) fn parse_rate(text: &[u8]) -> Option<f64> {
    let text =
        std::str::from_utf8(text).ok().filter(|text| text.starts_with(|c: char| c.is_ascii_digit() || c == '.'))?;
    text.parse().ok().filter(|rate| *rate > 0.0 && *rate < 1.0)
}

/// A 128-bit key: 32 hexadecimal digits.
pub(crate) fn parse_key(text: &[u8]) -> Option<[u8; 16]> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut key = [0; 16];
    if text.len() != 32 {
        return None;
    }
    for (byte, two) in key.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(two[0])? << 4 | digit(two[1])?;
    }
    Some(key)
}

enum Secret {
    None,
    EachFilter,
    Server([u8; 16]),
}

fn parse_secret(text: &str) -> Option<Secret> {
    match text {
        "" => Some(Secret::None),
        "random" => Some(Secret::EachFilter),
        key => parse_key(key.as_bytes()).map(Secret::Server),
    }
}

/// What a filter is made with where nothing else is said.
pub(crate) fn defaults(call: &Call) -> Params {
    let number = |which: usize| NUMBERS[which].get();
    let bucket_size = number(BUCKET_SIZE) as u8;
    let expansion = number(EXPANSION) as u16;
    let capacity = (number(CAPACITY) as u64).max(2 * u64::from(bucket_size));
    Params {
        capacity,
        bucket_size,
        max_iterations: number(MAX_ITERATIONS) as u16,
        expansion: Params::round_expansion(expansion),
        rate: parse_rate(TEXTS[0].get().as_bytes()).unwrap_or(0.01),
        shape: Params::usual_shape(capacity, expansion, fixed_shape()),
        hash: match parse_secret(&TEXTS[2].get()) {
            Some(Secret::Server(key)) => HashKind::SipHash13 { key },
            Some(Secret::EachFilter) => HashKind::SipHash13 { key: call.random_bytes() },
            Some(Secret::None) | None => HashKind::Xxh3 { seed: number(SEED) as u64 },
        },
    }
}

/// The default layout of filters that do not grow.
pub(crate) fn fixed_shape() -> Shape {
    fixed_shape_named(&TEXTS[1].get()).unwrap_or(Shape::Compact)
}

fn fixed_shape_named(name: &str) -> Option<Shape> {
    Shape::named(name.as_bytes()).filter(|shape| *shape != Shape::Growing)
}

/// What this server allows now.
pub(crate) fn limits() -> Limits {
    Limits { bytes: NUMBERS[MAX_BYTES].get() as u64, growth: NUMBERS[MAX_GROWTH].get() as u64 }
}

/// Runs `work` under this server's limits, and again without any if that fails and the call has to be obeyed. (Asking first
/// would cost more than most commands.)
pub(crate) fn within_limits<T, E: IsLimit>(call: &Call, mut work: impl FnMut(&Limits) -> Result<T, E>) -> Result<T, E> {
    match work(&limits()) {
        Err(reason) if reason.is_limit() && call.must_obey() => work(&Limits::NONE),
        outcome => outcome,
    }
}

/// Errors that may say that a limit was the reason.
pub(crate) trait IsLimit {
    fn is_limit(&self) -> bool;
}

impl IsLimit for Refusal {
    fn is_limit(&self) -> bool {
        matches!(self, Refusal::Limit)
    }
}

impl IsLimit for CreateError {
    fn is_limit(&self) -> bool {
        matches!(self, CreateError::TooLarge { .. })
    }
}

impl IsLimit for LoadError {
    fn is_limit(&self) -> bool {
        matches!(self, LoadError::TooLarge { .. })
    }
}

impl IsLimit for MergeError {
    fn is_limit(&self) -> bool {
        matches!(self, MergeError::Limit)
    }
}
