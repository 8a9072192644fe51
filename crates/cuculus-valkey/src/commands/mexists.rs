//! `CF.MEXISTS key item...`: for each item whether it is probably stored.

use super::asked;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Read);
    let items = call.args(2);
    let found = match asked(&mut key)? {
        Some(filter) => filter.contains_many(items),
        None => vec![false; call.argc() - 2],
    };
    call.reply_array(found.len());
    found.into_iter().for_each(|found| call.reply_bool(found));
    Ok(())
}
