//! `CF.DEL key item`: removes one copy of an item.

use super::filter_of;
use crate::server::{Access, Call, Outcome};
use crate::texts::NOTHING_TO_DELETE;

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Write);
    let removed = filter_of(&mut key, NOTHING_TO_DELETE, NOTHING_TO_DELETE)?.changing().remove(call.arg(2));
    if removed {
        call.replicate_verbatim();
        call.announce(1, c"cf.del");
    }
    call.reply_bool(removed);
    Ok(())
}
