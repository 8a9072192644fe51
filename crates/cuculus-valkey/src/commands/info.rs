//! `CF.INFO key [ALL]`: RedisBloom's eight fields, and with `ALL` what else there is to know.

use super::{filter_in, is};
use crate::server::{Access, Call, Outcome};
use crate::texts::Failure;
use cuculus::HashKind;
use cuculus_cf::Params;
use std::ffi::CStr;

enum Field {
    Integer(u64),
    Double(f64),
    Name(&'static str),
}

pub(crate) fn run(call: &Call) -> Outcome {
    let all = call.argc() > 2;
    if all && (call.argc() > 3 || !is(call.arg(2), "ALL")) {
        return Err(Failure::WrongArity);
    }
    let mut key = call.key(1, Access::Read);
    let filter = &filter_in(&mut key)?.filter;
    let (info, params) = (filter.info(), filter.params());
    let mut fields: Vec<(&CStr, Field)> = vec![
        (c"Size", Field::Integer(info.memory_bytes)),
        (c"Number of buckets", Field::Integer(info.buckets)),
        (c"Number of filters", Field::Integer(info.tables)),
        (c"Number of items inserted", Field::Integer(info.items)),
        (c"Number of items deleted", Field::Integer(info.deleted)),
        (c"Bucket size", Field::Integer(params.bucket_size.into())),
        (c"Expansion rate", Field::Integer(params.expansion.into())),
        (c"Max iterations", Field::Integer(params.max_iterations.into())),
    ];
    if all {
        fields.extend([
            (c"Capacity", Field::Integer(params.capacity)),
            (c"Promised error rate", Field::Double(params.rate)),
            (c"Expected error rate", Field::Double(info.expected_rate)),
            (c"Bits per item", Field::Double(info.bits_per_item())),
            (c"Load factor", Field::Double(info.load_factor())),
            (c"Layout", Field::Name(params.shape.name())),
            (c"Growing", Field::Integer(params.grows().into())),
            (c"Hash", Field::Name(hash_name(params))),
            (c"Copies of an item", Field::Integer(params.most_copies().into())),
            (c"Imported filters", Field::Integer(info.imported_tables)),
            (c"Imported items", Field::Integer(info.imported_items)),
            (c"Imported bytes", Field::Integer(info.imported_bytes)),
        ]);
    }
    call.reply_map(fields.len());
    for (name, field) in fields {
        call.reply_name(name);
        match field {
            Field::Integer(value) => call.reply_integer(value as i64),
            Field::Double(value) => call.reply_double(value),
            Field::Name(value) => call.reply_bytes(value.as_bytes()),
        }
    }
    Ok(())
}

fn hash_name(params: &Params) -> &'static str {
    match params.hash {
        HashKind::SipHash13 { .. } => "secret",
        _ => "seeded",
    }
}
