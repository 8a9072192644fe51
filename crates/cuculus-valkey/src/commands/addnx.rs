//! `CF.ADDNX key item`: stores an item unless it is probably there.

use super::{Target, count_refusal, store_new, target};
use crate::config;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Write);
    let mut target = target(call, &mut key, || config::defaults(call))?;
    let filter = target.filter();
    let stored =
        config::within_limits(call, |limits| filter.insert_unique(call.arg(2), limits)).inspect_err(count_refusal)?;
    if let Target::New(filter) = target {
        store_new(call, &mut key, *filter);
    }
    if stored {
        call.replicate_verbatim();
        call.announce(1, c"cf.addnx");
    }
    call.reply_bool(stored);
    Ok(())
}
