//! `CF.MERGE destination source...`: stores every item of the sources in the destination too. A missing destination begins as
//! a copy of the first source.

use super::filter_in;
use crate::config;
use crate::server::{Access, Call, Content, Outcome};
use crate::texts::{STILL_LOADING, WRONG_TYPE};
use crate::value::Value;
use cuculus_cf::Filter;

pub(crate) fn run(call: &Call) -> Outcome {
    let mut destination = call.key(1, Access::Write);
    let mut merged: Option<Filter> = match destination.content() {
        Content::Missing => None,
        Content::WrongType => return Err(WRONG_TYPE),
        Content::Value(Value::Loading(_)) => return Err(STILL_LOADING),
        Content::Value(Value::Filter(served)) => Some(served.filter.clone()),
    };
    for index in 2..call.argc() {
        let mut source = call.key(index, Access::Read);
        let source = &filter_in(&mut source)?.filter;
        match &mut merged {
            Some(merged) => config::within_limits(call, |limits| merged.merge(source, limits))?,
            None => merged = Some(source.clone()),
        }
    }
    let Some(merged) = merged else { return call.reply_ok() };
    match destination.content() {
        Content::Value(value) => *value = Value::of(merged),
        _ => destination.set(Value::of(merged)),
    }
    call.replicate_verbatim();
    call.announce(1, c"cf.merge");
    call.reply_ok()
}
