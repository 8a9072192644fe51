//! `CF.CLEAR key`: removes everything; the filter stays, with what it was made with.

use super::filter_in;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Write);
    let served = filter_in(&mut key)?;
    served.changing().clear()?;
    call.replicate_verbatim();
    call.announce(1, c"cf.clear");
    call.reply_ok()
}
