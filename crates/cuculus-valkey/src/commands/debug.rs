//! `CF.DEBUG key`: the numbers of `CF.INFO` in one line.

use super::filter_in;
use crate::server::{Access, Call, Outcome};

pub(crate) fn run(call: &Call) -> Outcome {
    let mut key = call.key(1, Access::Read);
    let filter = &filter_in(&mut key)?.filter;
    let (info, params) = (filter.info(), filter.params());
    let line = format!(
        "bktsize:{} buckets:{} items:{} deletes:{} filters:{} max_iterations:{} expansion:{}",
        params.bucket_size,
        info.buckets,
        info.items,
        info.deleted,
        info.tables,
        params.max_iterations,
        params.expansion
    );
    call.reply_bytes(line.as_bytes());
    Ok(())
}
