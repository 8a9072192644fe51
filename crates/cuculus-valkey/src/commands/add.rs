//! `CF.ADD key item`: stores an item once more.

use super::{Target, count_refusal, store_new, target};
use crate::config;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let limits = config::limits_for(call);
    let mut key = call.key(1, Access::Write);
    let mut target = target(&mut key, &limits, || config::defaults(call))?;
    target.filter().insert(call.arg(2), &limits).inspect_err(|refusal| count_refusal(*refusal))?;
    if let Target::New(filter) = target {
        store_new(call, &mut key, *filter);
    }
    call.replicate_verbatim();
    call.announce(1, c"cf.add");
    call.reply_bool(true);
    Ok(())
}
