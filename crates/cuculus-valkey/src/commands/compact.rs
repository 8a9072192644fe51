//! `CF.COMPACT key`: gives back memory that removals left, some of it now, the rest with the changes that follow.

use super::filter_of;
use crate::server::{Access, Call, Outcome};
use crate::texts::NOTHING_TO_COMPACT;

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Write);
    filter_of(&mut key, NOTHING_TO_COMPACT, NOTHING_TO_COMPACT)?.changing().compact();
    call.replicate_verbatim();
    call.announce(1, c"cf.compact");
    call.reply_ok()
}
