//! What the server is told when it loads the module.

use crate::callbacks::{self, ENTRY_POINTS};
use crate::config::{NUMBERS, TEXTS};
use crate::server::api;
use crate::table::{Arg, COMMANDS, Command, Keys, Kind};
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;
use valkey_module::raw;

const NAME: &CStr = c"cuculus";

/// Nine characters, as the server wants.
const TYPE_NAME: &CStr = c"cuculusCF";

/// 0.1.0 as major x 10,000 + minor x 100 + patch.
const VERSION: c_int = 100;

/// Lets Valkey 9 migrate slots of this node; unknown to older servers.
const HANDLE_ATOMIC_SLOT_MIGRATION: c_int = 1 << 5;

/// Signals come from [`Call::announce`](crate::server::Call::announce), for real changes only.
const NO_IMPLICIT_SIGNAL_MODIFIED: c_int = 1 << 1;

/// Registers all there is, or `None` if the server refuses something.
///
/// # Safety
/// Called by the server's load callback with its own values.
pub(crate) unsafe fn everything(ctx: *mut raw::RedisModuleCtx, argc: c_int) -> Option<()> {
    // SAFETY: as promised; after this line the server's functions are there.
    let status =
        unsafe { raw::Export_RedisModule_Init(ctx, NAME.as_ptr(), VERSION, raw::REDISMODULE_APIVER_1 as c_int) };
    ok(status)?;
    crate::alloc::find_newer_functions();
    // SAFETY: `ctx` is alive during the load; all texts are static and end with 0.
    unsafe {
        if argc > 0 {
            log(ctx, c"the module takes no arguments: its settings are cuculus.* in the server's configuration");
            return None;
        }
        options(ctx);
        data_type(ctx)?;
        if let Some(add) = raw::RedisModule_AddACLCategory {
            ok(add(ctx, c"cuckoo".as_ptr()))?;
        }
        for (command, entry) in COMMANDS.iter().zip(ENTRY_POINTS) {
            ok(api!(RedisModule_CreateCommand)(
                ctx,
                command.name.as_ptr(),
                Some(entry),
                command.flags.as_ptr(),
                1,
                if command.keys == Keys::WriteReadAll { -1 } else { 1 },
                1,
            ))?;
            describe(ctx, command)?;
        }
        settings(ctx)?;
        ok(api!(RedisModule_RegisterInfoFunc)(ctx, Some(callbacks::info)))
    }
}

fn ok(status: c_int) -> Option<()> {
    (status == raw::REDISMODULE_OK as c_int).then_some(())
}

unsafe fn log(ctx: *mut raw::RedisModuleCtx, text: &CStr) {
    // SAFETY: as in `everything`; the format takes one text.
    unsafe { api!(RedisModule_Log)(ctx, c"warning".as_ptr(), c"%s".as_ptr(), text.as_ptr()) };
}

unsafe fn options(ctx: *mut raw::RedisModuleCtx) {
    // Without the first a damaged RESTORE ends the server.
    let mut options = raw::REDISMODULE_OPTIONS_HANDLE_IO_ERRORS as c_int | NO_IMPLICIT_SIGNAL_MODIFIED;
    // SAFETY: as in `everything`; the server's info is freed here.
    unsafe {
        let info = api!(RedisModule_GetServerInfo)(ctx, c"server".as_ptr());
        if !api!(RedisModule_ServerInfoGetFieldC)(info, c"valkey_version".as_ptr()).is_null() {
            options |= HANDLE_ATOMIC_SLOT_MIGRATION;
        }
        api!(RedisModule_FreeServerInfo)(ctx, info);
        api!(RedisModule_SetModuleOptions)(ctx, options);
    }
}

unsafe fn data_type(ctx: *mut raw::RedisModuleCtx) -> Option<()> {
    let mut methods = callbacks::type_methods();
    // SAFETY: as in `everything`; the server copies the methods.
    let data_type =
        unsafe { api!(RedisModule_CreateDataType)(ctx, TYPE_NAME.as_ptr(), callbacks::RDB_VERSION, &mut methods) };
    callbacks::set_data_type(data_type);
    (!data_type.is_null()).then_some(())
}

/// Arity, keys, arguments and categories. The server copies all of it.
unsafe fn describe(ctx: *mut raw::RedisModuleCtx, command: &Command) -> Option<()> {
    let mut keys = key_specs(command.keys);
    let mut args: Vec<_> = [key_arg()].into_iter().chain(command.args.iter().map(argument)).collect();
    args.push(empty_argument());
    let version = raw::RedisModuleCommandInfoVersion {
        version: 1,
        sizeof_historyentry: size_of::<raw::RedisModuleCommandHistoryEntry>(),
        sizeof_keyspec: size_of::<raw::RedisModuleCommandKeySpec>(),
        sizeof_arg: size_of::<raw::RedisModuleCommandArg>(),
    };
    let info = raw::RedisModuleCommandInfo {
        version: &version,
        summary: command.summary.as_ptr(),
        complexity: command.complexity.as_ptr(),
        since: c"0.1.0".as_ptr(),
        history: ptr::null_mut(),
        tips: ptr::null(),
        arity: command.arity,
        key_specs: keys.as_mut_ptr(),
        args: args.as_mut_ptr(),
    };
    // SAFETY: as in `everything`; lists end with an empty element.
    unsafe {
        let registered = api!(RedisModule_GetCommand)(ctx, command.name.as_ptr());
        ok(api!(RedisModule_SetCommandInfo)(registered, &info))?;
        match raw::RedisModule_SetCommandACLCategories {
            Some(set) => ok(set(registered, command.categories.as_ptr())),
            None => Some(()),
        }
    }
}

fn key_specs(keys: Keys) -> Vec<raw::RedisModuleCommandKeySpec> {
    let (ro, rw) = (raw::REDISMODULE_CMD_KEY_RO, raw::REDISMODULE_CMD_KEY_RW);
    let (access, update) = (raw::REDISMODULE_CMD_KEY_ACCESS, raw::REDISMODULE_CMD_KEY_UPDATE);
    let spec = |flags: u64, first: c_int, last: c_int| raw::RedisModuleCommandKeySpec {
        notes: ptr::null(),
        flags,
        begin_search_type: raw::RedisModuleKeySpecBeginSearchType_REDISMODULE_KSPEC_BS_INDEX,
        bs: raw::RedisModuleCommandKeySpec__bindgen_ty_1 {
            index: raw::RedisModuleCommandKeySpec__bindgen_ty_1__bindgen_ty_1 { pos: first },
        },
        find_keys_type: raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_RANGE,
        fk: raw::RedisModuleCommandKeySpec__bindgen_ty_2 {
            range: raw::RedisModuleCommandKeySpec__bindgen_ty_2__bindgen_ty_1 { lastkey: last, keystep: 1, limit: 0 },
        },
    };
    // SAFETY: all zero is the end of the list, made of integers and null pointers.
    let end = unsafe { std::mem::zeroed() };
    match keys {
        Keys::Read => vec![spec((ro | access).into(), 1, 0), end],
        Keys::Write => vec![spec((rw | access | update).into(), 1, 0), end],
        Keys::WriteReadAll => {
            vec![spec((rw | access | update).into(), 1, 0), spec((ro | access).into(), 2, -1), end]
        }
    }
}

fn empty_argument() -> raw::RedisModuleCommandArg {
    // SAFETY: made of integers and null pointers.
    unsafe { std::mem::zeroed() }
}

fn key_arg() -> raw::RedisModuleCommandArg {
    raw::RedisModuleCommandArg {
        name: c"key".as_ptr(),
        type_: raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_KEY,
        key_spec_index: 0,
        ..empty_argument()
    }
}

fn argument(arg: &Arg) -> raw::RedisModuleCommandArg {
    let flag = |on: bool, flag: u32| if on { flag as c_int } else { 0 };
    let type_ = match arg.kind {
        Kind::String => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_STRING,
        Kind::Integer => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_INTEGER,
        Kind::Double => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_DOUBLE,
        Kind::Token => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_PURE_TOKEN,
        Kind::Source => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_KEY,
    };
    raw::RedisModuleCommandArg {
        name: arg.name.as_ptr(),
        type_,
        key_spec_index: if matches!(arg.kind, Kind::Source) { 1 } else { -1 },
        token: arg.token.map_or(ptr::null(), CStr::as_ptr),
        flags: flag(arg.is_optional, raw::REDISMODULE_CMD_ARG_OPTIONAL)
            | flag(arg.is_multiple, raw::REDISMODULE_CMD_ARG_MULTIPLE),
        ..empty_argument()
    }
}

unsafe fn settings(ctx: *mut raw::RedisModuleCtx) -> Option<()> {
    // SAFETY: as in `everything`; the place in the table travels as the private pointer, which is never followed.
    unsafe {
        for (place, number) in NUMBERS.iter().enumerate() {
            ok(api!(RedisModule_RegisterNumericConfig)(
                ctx,
                number.name.as_ptr(),
                number.default,
                if number.is_memory { raw::REDISMODULE_CONFIG_MEMORY as c_uint } else { 0 },
                number.least,
                number.most,
                Some(callbacks::get_number),
                Some(callbacks::set_number),
                None,
                place as *mut c_void,
            ))?;
        }
        for (place, text) in TEXTS.iter().enumerate() {
            ok(api!(RedisModule_RegisterStringConfig)(
                ctx,
                text.name.as_ptr(),
                text.default.as_ptr(),
                if text.is_secret { raw::REDISMODULE_CONFIG_SENSITIVE as c_uint } else { 0 },
                Some(callbacks::get_text),
                Some(callbacks::set_text),
                None,
                place as *mut c_void,
            ))?;
        }
        ok(api!(RedisModule_LoadConfigs)(ctx))
    }
}
