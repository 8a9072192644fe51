//! `CF.EXISTS key item`: whether an item is probably stored.

use super::asked;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Read);
    let found = asked(&mut key)?.is_some_and(|filter| filter.contains(call.arg(2)));
    call.reply_bool(found);
    Ok(())
}
