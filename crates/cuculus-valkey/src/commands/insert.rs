//! `CF.INSERT key [CAPACITY c] [ERROR rate] [NOCREATE] ITEMS item...` and `CF.INSERTNX`: store many items, and answer for each.

use super::reserve::bad_rate;
use super::{Target, count_refusal, is, store_new, strict_integer, target, unknown_option};
use crate::config::{self, parse_rate};
use crate::server::{Access, Call, Content, Outcome};
use crate::texts::{BAD_CAPACITY, CAPACITY_RANGE_OF_INSERT, Failure, NOT_FOUND};
use cuculus_cf::{Filter, Limits, MAX_CAPACITY, Params, Refusal};
use std::ffi::CStr;

/// `CF.INSERT`: an item that is there is stored once more. 1, or -1 for a refused item; in RESP3 true and false.
pub(crate) fn run(call: &Call) -> Outcome {
    let answers = insert(call, c"cf.insert", Filter::insert_many)?;
    let resp3 = answers.iter().any(Result::is_err) && call.is_resp3();
    call.reply_array(answers.len());
    for answer in answers {
        match (answer, resp3) {
            (Ok(_), _) => call.reply_bool(true),
            (Err(_), true) => call.reply_bool(false),
            (Err(_), false) => call.reply_integer(-1),
        }
    }
    Ok(())
}

/// `CF.INSERTNX`: 1, 0 for an item that is probably there, -1 for a refused one; integers in RESP3 too.
pub(crate) fn run_unique(call: &Call) -> Outcome {
    let answers = insert(call, c"cf.insertnx", Filter::insert_many_unique)?;
    call.reply_array(answers.len());
    answers.into_iter().for_each(|answer| call.reply_integer(answer.map_or(-1, i64::from)));
    Ok(())
}

type Answer = Result<bool, Refusal>;

/// Stores all items with `store`, and tells everybody but the client.
fn insert(
    call: &Call,
    event: &CStr,
    store: fn(&mut Filter, &[&[u8]], &Limits) -> Vec<Answer>,
) -> Result<Vec<Answer>, Failure> {
    let options = Options::parse(call)?;
    let mut key = call.key(1, Access::Write);
    if options.must_exist && matches!(key.content(), Content::Missing) {
        return Err(NOT_FOUND);
    }
    let mut target = target(call, &mut key, || options.params.unwrap_or_else(|| config::defaults(call)))?;
    let items: Vec<&[u8]> = call.args(options.first_item).collect();
    // Asked before the first item: the order of the items has to be that of the primary.
    let limits = if call.must_obey() { Limits::NONE } else { config::limits() };
    let answers = store(target.filter(), &items, &limits);
    answers.iter().filter_map(|answer| answer.as_ref().err()).for_each(count_refusal);
    let stored = answers.contains(&Ok(true));
    if let Target::New(filter) = target {
        store_new(call, &mut key, *filter);
    }
    if stored && !options.has_capacity && answers.iter().all(Result::is_ok) {
        call.replicate_verbatim();
    } else if stored {
        // A replica has no limits, and a smallest capacity of its own: it is sent what was stored here, and nothing else.
        let kept = items.iter().zip(&answers).filter(|(_, answer)| **answer == Ok(true)).map(|(item, _)| *item);
        let head = [call.arg(1), b"NOCREATE", b"ITEMS"];
        call.replicate(c"CF.INSERT", head.into_iter().chain(kept));
    }
    if stored {
        call.announce(1, event);
    }
    Ok(answers)
}

struct Options {
    /// Where anything was said.
    params: Option<Params>,
    must_exist: bool,
    has_capacity: bool,
    first_item: usize,
}

impl Options {
    fn parse(call: &Call) -> Result<Self, Failure> {
        let (mut capacity, mut rate, mut must_exist, mut next) = (None, None, false, 2);
        loop {
            if next >= call.argc() {
                return Err(Failure::WrongArity);
            }
            let name = call.arg(next);
            let value = || if next + 1 < call.argc() { Ok(call.arg(next + 1)) } else { Err(Failure::WrongArity) };
            if is(name, "ITEMS") {
                break;
            } else if is(name, "NOCREATE") {
                must_exist = true;
                next += 1;
            } else if is(name, "CAPACITY") {
                capacity = Some(strict_integer(value()?).ok_or(BAD_CAPACITY)?);
                next += 2;
            } else if is(name, "ERROR") {
                rate = Some(parse_rate(value()?).ok_or_else(bad_rate)?);
                next += 2;
            } else {
                return Err(unknown_option(name));
            }
        }
        if next + 1 >= call.argc() {
            return Err(Failure::WrongArity);
        }
        let mut params = None;
        if capacity.is_some() || rate.is_some() {
            params = Some(Self::params(config::defaults(call), capacity, rate)?);
        }
        Ok(Options { params, must_exist, has_capacity: capacity.is_some(), first_item: next + 1 })
    }

    fn params(mut params: Params, capacity: Option<i64>, rate: Option<f64>) -> Result<Params, Failure> {
        if let Some(capacity) = capacity {
            if !(2 * i64::from(params.bucket_size)..=MAX_CAPACITY as i64).contains(&capacity) {
                return Err(CAPACITY_RANGE_OF_INSERT);
            }
            params.capacity = capacity as u64;
            params.shape = Params::usual_shape(params.capacity, params.expansion, config::fixed_shape());
        }
        params.rate = rate.unwrap_or(params.rate);
        Ok(params)
    }
}
