//! `CF.CARD key`: how many items are stored; 0 for a missing key.

use super::filter_in;
use crate::server::{Access, Call, Content, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Read);
    let items = match key.content() {
        Content::Missing => 0,
        _ => filter_in(&mut key)?.filter.len(),
    };
    call.reply_integer(items as i64);
    Ok(())
}
