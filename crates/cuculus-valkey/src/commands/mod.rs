//! The commands, one file each. What several need is here.

pub(crate) mod add;
pub(crate) mod addnx;
pub(crate) mod card;
pub(crate) mod clear;
pub(crate) mod compact;
pub(crate) mod count;
pub(crate) mod debug;
pub(crate) mod del;
pub(crate) mod exists;
pub(crate) mod info;
pub(crate) mod insert;
pub(crate) mod loadchunk;
pub(crate) mod mdel;
pub(crate) mod merge;
pub(crate) mod mexists;
pub(crate) mod reserve;
pub(crate) mod scandump;

use crate::config::within_limits;
use crate::server::{Call, Content, Key};
use crate::stats;
use crate::texts::{Failure, NOT_FOUND, STILL_LOADING, WRONG_TYPE, error};
use crate::value::{Served, Value};
use cuculus::HashKind;
use cuculus_cf::{CreateError, Filter, Params, Refusal};

/// The filter under a key that has to hold one.
fn filter_of(key: &mut Key, missing: Failure, wrong_type: Failure) -> Result<&mut Served, Failure> {
    match key.content() {
        Content::Missing => Err(missing),
        Content::WrongType => Err(wrong_type),
        Content::Value(Value::Loading(_)) => Err(STILL_LOADING),
        Content::Value(Value::Filter(served)) => Ok(served),
    }
}

/// The same with the common answers.
fn filter_in(key: &mut Key) -> Result<&mut Served, Failure> {
    filter_of(key, NOT_FOUND, WRONG_TYPE)
}

/// The filter under a key for a question; a missing key and another type are an empty filter.
fn asked(key: &mut Key) -> Result<Option<&Filter>, Failure> {
    match key.content() {
        Content::Missing | Content::WrongType => Ok(None),
        Content::Value(Value::Loading(_)) => Err(STILL_LOADING),
        Content::Value(Value::Filter(served)) => Ok(Some(&served.filter)),
    }
}

/// The filter under a key for an insert, or one that is not there yet.
enum Target<'a> {
    There(&'a mut Filter),
    New(Box<Filter>),
}

impl Target<'_> {
    fn filter(&mut self) -> &mut Filter {
        match self {
            Target::There(filter) => filter,
            Target::New(filter) => filter,
        }
    }
}

/// The filter to insert into; made, but not stored, if there is none.
fn target<'a>(call: &Call, key: &'a mut Key, params: impl FnOnce() -> Params) -> Result<Target<'a>, Failure> {
    match key.content() {
        Content::Missing => Ok(Target::New(Box::new(new_filter(call, params())?))),
        Content::WrongType => Err(WRONG_TYPE),
        Content::Value(Value::Loading(_)) => Err(STILL_LOADING),
        Content::Value(Value::Filter(served)) => Ok(Target::There(served.changing())),
    }
}

fn new_filter(call: &Call, params: Params) -> Result<Filter, Failure> {
    within_limits(call, |limits| Filter::new(params, limits)).map_err(|reason| {
        if let CreateError::TooLarge { .. } = reason {
            stats::REFUSED_LIMIT.add(1);
        }
        Failure::from(reason)
    })
}

/// Stores a filter that a command made, and tells replicas and log, with everything explicit.
fn store_new(call: &Call, key: &mut Key, filter: Filter) {
    replicate_creation(call, filter.params());
    key.set(Value::of(filter));
}

fn replicate_creation(call: &Call, params: &Params) {
    let hash = match params.hash {
        HashKind::Xxh3 { seed } => ["SEED".into(), seed.to_string()],
        HashKind::SipHash13 { key } => ["SECRET".into(), key.iter().map(|byte| format!("{byte:02x}")).collect()],
        _ => unreachable!("the library has two hashes"),
    };
    let words: Vec<String> = [
        params.capacity.to_string(),
        "BUCKETSIZE".into(),
        params.bucket_size.to_string(),
        "MAXITERATIONS".into(),
        params.max_iterations.to_string(),
        "EXPANSION".into(),
        params.expansion.to_string(),
        "ERROR".into(),
        params.rate.to_string(),
        "LAYOUT".into(),
        params.shape.name().into(),
    ]
    .into_iter()
    .chain(hash)
    .collect();
    call.replicate(c"CF.RESERVE", std::iter::once(call.arg(1)).chain(words.iter().map(String::as_bytes)));
}

fn count_refusal(refusal: &Refusal) {
    match refusal {
        Refusal::Limit => stats::REFUSED_LIMIT.add(1),
        _ => stats::REFUSED_FULL.add(1),
    }
}

/// A strict decimal integer, as the server's own commands take it: no sign but one minus, no zeros in front.
fn strict_integer(text: &[u8]) -> Option<i64> {
    let value: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (value.to_string().as_bytes() == text).then_some(value)
}

fn is(argument: &[u8], keyword: &str) -> bool {
    argument.eq_ignore_ascii_case(keyword.as_bytes())
}

fn unknown_option(argument: &[u8]) -> Failure {
    error(format!("ERR unknown option '{}'", crate::texts::shown(argument)))
}
