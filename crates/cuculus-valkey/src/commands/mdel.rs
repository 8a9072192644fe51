//! `CF.MDEL key item...`: removes one copy of each item.

use super::filter_of;
use crate::server::{Access, Call, Outcome};
use crate::texts::NOTHING_TO_DELETE;

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Write);
    let filter = filter_of(&mut key, NOTHING_TO_DELETE, NOTHING_TO_DELETE)?.changing();
    let removed: Vec<bool> = call.args(2).map(|item| filter.remove(item)).collect();
    if removed.contains(&true) {
        call.replicate_verbatim();
        call.announce(1, c"cf.mdel");
    }
    call.reply_array(removed.len());
    removed.into_iter().for_each(|removed| call.reply_bool(removed));
    Ok(())
}
