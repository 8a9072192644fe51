//! `CF.RESERVE key capacity [BUCKETSIZE b] [MAXITERATIONS i] [EXPANSION e] [ERROR rate] [LAYOUT name] [SEED n | SECRET key]`:
//! makes an empty filter.

use super::{is, new_filter, store_new, strict_integer, unknown_option};
use crate::config::{self, parse_key, parse_rate};
use crate::server::{Access, Call, Content, Outcome};
use crate::texts::{BAD_CAPACITY, CAPACITY_RANGE, EXISTS, Failure, WRONG_TYPE, error, shown};
use cuculus::HashKind;
use cuculus_cf::{MAX_CAPACITY, Params, Shape};

pub(crate) fn run(call: &Call) -> Outcome {
    let params = parse(call)?;
    let mut key = call.key(1, Access::Write);
    match key.content() {
        Content::Missing => {}
        Content::WrongType => return Err(WRONG_TYPE),
        Content::Value(_) => return Err(EXISTS),
    }
    let filter = new_filter(call, params)?;
    store_new(call, &mut key, filter);
    call.announce(1, c"cf.reserve");
    call.reply_ok()
}

fn parse(call: &Call) -> Result<Params, Failure> {
    if call.argc().is_multiple_of(2) {
        return Err(Failure::WrongArity);
    }
    let capacity = strict_integer(call.arg(2)).ok_or(BAD_CAPACITY)?;
    let defaults = config::defaults(call);
    let (mut bucket_size, mut max_iterations) = (defaults.bucket_size.into(), defaults.max_iterations.into());
    let (mut expansion, mut rate, mut shape, mut hash) =
        (defaults.expansion.into(), defaults.rate, None, defaults.hash);
    for option in (3..call.argc()).step_by(2) {
        let (name, value) = (call.arg(option), call.arg(option + 1));
        if is(name, "BUCKETSIZE") {
            bucket_size = strict_integer(value).ok_or_else(|| error("Couldn't parse BUCKETSIZE"))?;
        } else if is(name, "MAXITERATIONS") {
            max_iterations = strict_integer(value).ok_or_else(|| error("Couldn't parse MAXITERATIONS"))?;
        } else if is(name, "EXPANSION") {
            expansion = strict_integer(value).ok_or_else(|| error("Couldn't parse EXPANSION"))?;
        } else if is(name, "ERROR") {
            rate = parse_rate(value).ok_or_else(bad_rate)?;
        } else if is(name, "LAYOUT") {
            shape = Some(Shape::named(value).ok_or_else(|| {
                error(format!("ERR LAYOUT is compact, packed, semi-sorted or growing, not '{}'", shown(value)))
            })?);
        } else if is(name, "SEED") {
            let seed = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            hash = HashKind::Xxh3 { seed: seed.ok_or_else(|| error("ERR SEED is a whole number below 2^64"))? };
        } else if is(name, "SECRET") {
            let key = parse_key(value).ok_or_else(|| error("ERR SECRET has 32 hexadecimal digits"))?;
            hash = HashKind::SipHash13 { key };
        } else {
            return Err(unknown_option(name));
        }
    }
    let in_range = |name: &str, value: i64, least: i64, most: i64| match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(error(format!("{name}: value must be in the range [{least}, {most}]"))),
    };
    in_range("BUCKETSIZE", bucket_size, 1, 255)?;
    in_range("MAXITERATIONS", max_iterations, 1, 65_535)?;
    in_range("EXPANSION", expansion, 0, 32_768)?;
    if !(2 * bucket_size..=MAX_CAPACITY as i64).contains(&capacity) {
        return Err(CAPACITY_RANGE);
    }
    let expansion = Params::round_expansion(expansion as u16);
    let usual = Params::usual_shape(capacity as u64, expansion, config::fixed_shape());
    let shape = shape.unwrap_or(usual);
    if expansion == 0 && shape == Shape::Growing {
        return Err(error("ERR LAYOUT growing needs an EXPANSION of at least 1"));
    }
    Ok(Params {
        capacity: capacity as u64,
        bucket_size: bucket_size as u8,
        max_iterations: max_iterations as u16,
        expansion,
        rate,
        shape,
        hash,
    })
}

pub(super) fn bad_rate() -> Failure {
    error("ERR ERROR is a rate of false positives: more than 0, less than 1")
}
