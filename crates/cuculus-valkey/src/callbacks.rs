//! Everything that the server calls. Nothing unwinds out of here: a panic is caught, counted and answered.

use crate::config::{NUMBERS, TEXTS, limits};
use crate::server::{AofWriter, Call, InfoSections, RdbReader, RdbWriter, api};
use crate::stats;
use crate::table::COMMANDS;
use crate::texts::{Failure, PANIC};
use crate::value::Value;
use cuculus_cf::{Dump, Limits};
use std::ffi::{CString, c_char, c_int, c_longlong, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use valkey_module::raw;

const OK: c_int = raw::REDISMODULE_OK as c_int;
const ERR: c_int = raw::REDISMODULE_ERR as c_int;

/// Our data type, as the server knows it.
static DATA_TYPE: AtomicPtr<raw::RedisModuleType> = AtomicPtr::new(ptr::null_mut());

pub(crate) fn data_type() -> *mut raw::RedisModuleType {
    DATA_TYPE.load(Relaxed)
}

pub(crate) fn set_data_type(data_type: *mut raw::RedisModuleType) {
    DATA_TYPE.store(data_type, Relaxed);
}

/// `work`'s result, or `otherwise` if it panics.
fn guarded<R>(otherwise: R, work: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        stats::PANICS.add(1);
        otherwise
    })
}

// Commands.

pub(crate) type EntryPoint =
    unsafe extern "C" fn(*mut raw::RedisModuleCtx, *mut *mut raw::RedisModuleString, c_int) -> c_int;

/// The entry point of the command at place `N` of the table: the server passes no other hint.
unsafe extern "C" fn command<const N: usize>(
    ctx: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: the server's own values, used during this call only.
    let call = unsafe { Call::new(ctx, argv, argc) };
    match catch_unwind(AssertUnwindSafe(|| (COMMANDS[N].run)(&call))) {
        Ok(Ok(())) => {}
        Ok(Err(Failure::WrongArity)) => call.reply_wrong_arity(),
        Ok(Err(Failure::Text(text))) => call.reply_error(&text),
        Err(_) => {
            stats::PANICS.add(1);
            call.reply_error(PANIC);
        }
    }
    OK
}

/// One entry point for each line of the table.
pub(crate) const ENTRY_POINTS: [EntryPoint; COMMANDS.len()] = [
    command::<0>,
    command::<1>,
    command::<2>,
    command::<3>,
    command::<4>,
    command::<5>,
    command::<6>,
    command::<7>,
    command::<8>,
    command::<9>,
    command::<10>,
    command::<11>,
    command::<12>,
    command::<13>,
    command::<14>,
    command::<15>,
    command::<16>,
    command::<17>,
];

// The data type.

/// What the server calls for a value.
pub(crate) fn type_methods() -> raw::RedisModuleTypeMethods {
    raw::RedisModuleTypeMethods {
        version: 4,
        rdb_load: Some(rdb_load),
        rdb_save: Some(rdb_save),
        aof_rewrite: Some(aof_rewrite),
        mem_usage: Some(mem_usage),
        digest: Some(digest),
        free: Some(free),
        aux_load: None,
        aux_save: None,
        aux_save_triggers: 0,
        free_effort: Some(free_effort),
        unlink: None,
        copy: Some(copy),
        defrag: Some(defrag),
        mem_usage2: None,
        free_effort2: None,
        unlink2: None,
        copy2: None,
        aux_save2: None,
    }
}

/// The version of what `rdb_save` writes.
pub(crate) const RDB_VERSION: c_int = 1;

/// The most bytes read for a value that has to be obeyed.
const UNLIMITED: u64 = 1 << 46;

/// # Safety
/// `value` is one of ours, and nobody else uses it during the callback.
unsafe fn value_of<'a>(value: *const c_void) -> &'a Value {
    // SAFETY: as promised.
    unsafe { &*value.cast::<Value>() }
}

unsafe extern "C" fn rdb_save(io: *mut raw::RedisModuleIO, value: *mut c_void) {
    // SAFETY: the server gives one of our values.
    let value = unsafe { value_of(value) };
    guarded((), || {
        let (kind, image) = value.to_image();
        let out = RdbWriter(io);
        out.number(kind);
        out.bytes(&image);
    });
}

unsafe extern "C" fn rdb_load(io: *mut raw::RedisModuleIO, version: c_int) -> *mut c_void {
    guarded(ptr::null_mut(), || {
        let input = RdbReader(io);
        if version != RDB_VERSION {
            input.complain("a filter was written by a newer version of the module");
            return ptr::null_mut();
        }
        let limits = if input.must_obey() { Limits::NONE } else { limits() };
        let most = limits.bytes.saturating_mul(2).clamp(1 << 16, UNLIMITED);
        let loaded =
            input.number().zip(input.bytes(most)).map(|(kind, bytes)| Value::from_image(kind, &bytes, &limits));
        match loaded {
            Some(Ok(value)) => Box::into_raw(Box::new(value)).cast(),
            Some(Err(reason)) => {
                input.complain(&format!("a filter was refused: {reason}"));
                ptr::null_mut()
            }
            None => ptr::null_mut(),
        }
    })
}

unsafe extern "C" fn aof_rewrite(io: *mut raw::RedisModuleIO, key: *mut raw::RedisModuleString, value: *mut c_void) {
    // SAFETY: the server gives one of our values.
    let value = unsafe { value_of(value) };
    guarded((), || {
        let out = AofWriter { io, key };
        let emit = |position: u64, bytes: &[u8]| out.chunk(c"CF.LOADCHUNK", position, bytes);
        match value {
            Value::Filter(served) => {
                let dump = Dump::of(&served.filter);
                emit(1, &dump.first());
                let mut place = 0;
                while let Some((chunk, end)) = dump.chunk(place) {
                    emit(end + 1, &chunk);
                    place = end;
                }
            }
            Value::Loading(loading) => {
                emit(1, &loading.first_chunk());
                if !loading.is_new() {
                    emit(loading.position(), &loading.arrived_chunk());
                }
            }
        }
    });
}

unsafe extern "C" fn mem_usage(value: *const c_void) -> usize {
    // SAFETY: the server gives one of our values.
    let value = unsafe { value_of(value) };
    guarded(0, || value.memory_bytes() as usize)
}

unsafe extern "C" fn digest(digest: *mut raw::RedisModuleDigest, value: *mut c_void) {
    // SAFETY: the server gives one of our values.
    let value = unsafe { value_of(value) };
    guarded((), || {
        let (kind, image) = value.to_image();
        // SAFETY: the server's digest, alive during the callback; pointer and length are a slice's.
        unsafe {
            api!(RedisModule_DigestAddLongLong)(digest, kind as c_longlong);
            api!(RedisModule_DigestAddStringBuffer)(digest, image.as_ptr().cast_mut().cast(), image.len());
            api!(RedisModule_DigestEndSequence)(digest);
        }
    });
}

unsafe extern "C" fn free(value: *mut c_void) {
    // SAFETY: one of our values, given back by the server, once.
    guarded((), || drop(unsafe { Box::from_raw(value.cast::<Value>()) }));
}

/// Pages: freeing more than 64 of them is left to the server's background thread.
unsafe extern "C" fn free_effort(_key: *mut raw::RedisModuleString, value: *const c_void) -> usize {
    // SAFETY: the server gives one of our values.
    let value = unsafe { value_of(value) };
    guarded(1, || 1 + value.memory_bytes() as usize / 4096)
}

unsafe extern "C" fn copy(
    _from: *mut raw::RedisModuleString,
    _to: *mut raw::RedisModuleString,
    value: *const c_void,
) -> *mut c_void {
    // SAFETY: the server gives one of our values.
    let value = unsafe { value_of(value) };
    guarded(ptr::null_mut(), || Box::into_raw(Box::new(value.copy())).cast())
}

/// Moves the value's outer block; tables are large blocks, which do not fragment.
unsafe extern "C" fn defrag(
    ctx: *mut raw::RedisModuleDefragCtx,
    _key: *mut raw::RedisModuleString,
    value: *mut *mut c_void,
) -> c_int {
    // SAFETY: the block came from the server's allocator, and the server gives it back moved or not at all.
    unsafe {
        let moved = api!(RedisModule_DefragAlloc)(ctx, *value);
        if !moved.is_null() {
            *value = moved;
        }
    }
    0
}

// INFO.

pub(crate) unsafe extern "C" fn info(ctx: *mut raw::RedisModuleInfoCtx, _for_crash_report: c_int) {
    guarded((), || {
        let out = InfoSections(ctx);
        out.section(c"filters");
        out.number(c"filters", stats::FILTERS.get());
        out.number(c"refused_full", stats::REFUSED_FULL.get());
        out.number(c"refused_by_limit", stats::REFUSED_LIMIT.get());
        out.number(c"chunks_loaded", stats::CHUNKS_LOADED.get());
        out.number(c"chunks_refused", stats::CHUNKS_REFUSED.get());
        out.number(c"internal_errors", stats::PANICS.get());
    });
}

// Settings: `data` is the setting's place in its table.

pub(crate) unsafe extern "C" fn get_number(_name: *const c_char, data: *mut c_void) -> c_longlong {
    NUMBERS[data as usize].get()
}

pub(crate) unsafe extern "C" fn set_number(
    _name: *const c_char,
    value: c_longlong,
    data: *mut c_void,
    _error: *mut *mut raw::RedisModuleString,
) -> c_int {
    NUMBERS[data as usize].set(value);
    OK
}

/// The strings that [`get_text`] gave the server, which does not free them.
static SHOWN: [AtomicPtr<raw::RedisModuleString>; TEXTS.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; TEXTS.len()];

pub(crate) unsafe extern "C" fn get_text(_name: *const c_char, data: *mut c_void) -> *mut raw::RedisModuleString {
    let text = TEXTS[data as usize].get();
    // SAFETY: strings without a context belong to us; the one before is no longer used when the next is asked for.
    unsafe {
        let string = api!(RedisModule_CreateString)(ptr::null_mut(), text.as_ptr().cast(), text.len());
        let before = SHOWN[data as usize].swap(string, Relaxed);
        if !before.is_null() {
            api!(RedisModule_FreeString)(ptr::null_mut(), before);
        }
        string
    }
}

pub(crate) unsafe extern "C" fn set_text(
    _name: *const c_char,
    value: *mut raw::RedisModuleString,
    data: *mut c_void,
    error: *mut *mut raw::RedisModuleString,
) -> c_int {
    guarded(ERR, || {
        // SAFETY: the server's string, alive during the callback.
        let text = unsafe { crate::server::bytes_of(value) };
        let allowed = match std::str::from_utf8(text) {
            Ok(text) => TEXTS[data as usize].set(text),
            Err(_) => Err(c"text"),
        };
        let Err(allowed) = allowed else { return OK };
        let why = CString::from(allowed).into_bytes();
        let why = [b"allowed is: ".as_slice(), &why].concat();
        // SAFETY: the server frees the string that it is given here.
        unsafe { *error = api!(RedisModule_CreateString)(ptr::null_mut(), why.as_ptr().cast(), why.len()) };
        ERR
    })
}
