//! `CF.LOADCHUNK key position data`: puts a filter together from the chunks of `CF.SCANDUMP`, ours or RedisBloom's.

use super::strict_integer;
use crate::config;
use crate::server::{Access, Call, Content, Key, Outcome};
use crate::stats;
use crate::texts::{BAD_CHUNK, BAD_POSITION, EXISTS, NOT_FOUND, WRONG_TYPE, header_failure};
use crate::value::Value;
use cuculus_cf::{Header, LoadError, Loading, Params, RedisBloomHeader};

pub(crate) fn run(call: &Call) -> Outcome {
    let position = strict_integer(call.arg(2)).filter(|position| *position != 0).ok_or(BAD_POSITION)?;
    let mut key = call.key(1, Access::Write);
    let outcome = if position == 1 { begin(call, &mut key) } else { go_on(call, &mut key, position) };
    match outcome {
        Ok(()) => stats::CHUNKS_LOADED.add(1),
        Err(failure) => {
            stats::CHUNKS_REFUSED.add(1);
            return Err(failure);
        }
    }
    call.announce(1, c"cf.loadchunk");
    call.reply_ok()
}

/// The first chunk makes the key.
fn begin(call: &Call, key: &mut Key) -> Outcome {
    match key.content() {
        Content::Missing => {}
        Content::WrongType => return Err(WRONG_TYPE),
        Content::Value(_) => return Err(EXISTS),
    }
    let header = Header::parse(call.arg(3)).map_err(header_failure)?;
    let params = if let Header::RedisBloom(header) = &header { Some(params_of(call, header)) } else { None };
    let loading = config::within_limits(call, |limits| match (&header, params) {
        (Header::RedisBloom(header), Some(params)) => Loading::begin_redisbloom(*header, params, limits),
        (Header::Ours(chunk), _) => Loading::begin(chunk, limits),
        _ => Err(LoadError::NotAHeader),
    });
    let loading = loading.map_err(|reason| {
        if let LoadError::TooLarge { .. } = reason {
            stats::REFUSED_LIMIT.add(1);
        }
        header_failure(reason)
    })?;
    // In our own form even where it came in RedisBloom's, so that a replica does not fill in its own defaults.
    call.replicate(c"CF.LOADCHUNK", [call.arg(1), b"1", &loading.first_chunk()].into_iter());
    key.set(Value::Loading(Box::new(loading)));
    Ok(())
}

fn go_on(call: &Call, key: &mut Key, position: i64) -> Outcome {
    let loading = match key.content() {
        Content::Missing => return Err(NOT_FOUND),
        Content::WrongType => return Err(WRONG_TYPE),
        Content::Value(Value::Filter(_)) => return Err(BAD_CHUNK),
        Content::Value(Value::Loading(loading)) => loading,
    };
    let taken = u64::try_from(position)
        .map_err(|_| LoadError::NotAHeader)
        .and_then(|position| config::within_limits(call, |limits| loading.take(position, call.arg(3), limits)));
    let done = taken.map_err(|reason| {
        call.log_notice(&format!("CF.LOADCHUNK refused a chunk: {reason}"));
        BAD_CHUNK
    })?;
    if let (Some(filter), Content::Value(value)) = (done, key.content()) {
        *value = Value::of(filter);
    }
    call.replicate_verbatim();
    Ok(())
}

/// What a filter from RedisBloom goes on with: its own numbers, and our defaults for what it has not got.
fn params_of(call: &Call, header: &RedisBloomHeader) -> Params {
    let slots = header.buckets.saturating_mul(header.bucket_size.into());
    let least = 2 * u64::from(header.bucket_size);
    Params {
        capacity: slots.clamp(least, cuculus_cf::MAX_CAPACITY),
        bucket_size: header.bucket_size,
        max_iterations: header.max_iterations,
        expansion: header.expansion,
        shape: Params::usual_shape(0, header.expansion, config::fixed_shape()),
        ..config::defaults(call)
    }
}
