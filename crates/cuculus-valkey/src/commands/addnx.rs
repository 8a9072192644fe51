//! `CF.ADDNX key item`: stores an item unless it is probably there.

use super::{Target, count_refusal, store_new, target};
use crate::config;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let limits = config::limits_for(call);
    let mut key = call.key(1, Access::Write);
    let mut target = target(&mut key, &limits, || config::defaults(call))?;
    let stored = target.filter().insert_unique(call.arg(2), &limits).inspect_err(|refusal| count_refusal(*refusal))?;
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
