//! `CF.ADD key item`: stores an item once more.

use super::{Target, count_refusal, store_new, target};
use crate::config;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Write);
    let mut target = target(call, &mut key, || config::defaults(call))?;
    let filter = target.filter();
    config::within_limits(call, |limits| filter.insert(call.arg(2), limits)).inspect_err(count_refusal)?;
    if let Target::New(filter) = target {
        store_new(call, &mut key, *filter);
    }
    call.replicate_verbatim();
    call.announce(1, c"cf.add");
    call.reply_bool(true);
    Ok(())
}
