//! `CF.COUNT key item`: how often an item is stored, at least.

use super::asked;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Read);
    let copies = asked(&mut key)?.map_or(0, |filter| filter.count(call.arg(2)));
    call.reply_integer(copies.into());
    Ok(())
}
