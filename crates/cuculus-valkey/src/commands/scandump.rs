//! `CF.SCANDUMP key position`: a filter in chunks, for `CF.LOADCHUNK`. Begins at 0; each answer has the next position, and
//! ends with 0. While it goes on the filter must not change: the chunks would not fit together, and be refused.

use super::{filter_in, strict_integer};
use crate::server::{Access, Call, Outcome};
use crate::texts::BAD_POSITION;
use cuculus_cf::Dump;

pub(crate) fn run(call: &Call) -> Outcome {
    let position = strict_integer(call.arg(2)).and_then(|position| u64::try_from(position).ok()).ok_or(BAD_POSITION)?;
    let mut key = call.key(1, Access::Read);
    let served = filter_in(&mut key)?;
    if !served.dump.as_ref().is_some_and(|dump| dump.is_current(&served.filter)) {
        served.dump = Some(Dump::of(&served.filter));
    }
    let dump = served.dump.as_ref();
    let (chunk, next) = match position {
        0 => (dump.map(Dump::first), 1),
        _ => dump.and_then(|dump| dump.chunk(position - 1)).map_or((None, 0), |(chunk, end)| (Some(chunk), end + 1)),
    };
    if chunk.is_none() {
        served.dump = None;
    }
    call.reply_array(2);
    call.reply_integer(next as i64);
    match chunk {
        Some(chunk) => call.reply_bytes(&chunk),
        None => call.reply_null(),
    }
    Ok(())
}
