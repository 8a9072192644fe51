//! The `CF.*` commands as a module for Valkey and Redis; `docs/valkey.md` says how to use it.
//!
//! ```text
//!  server     the server's API in safe wrappers     callbacks   everything that the server calls
//!  table      every command, in one place           commands    what they do, one file each
//!  value      what a key holds                      config      settings        texts   refusals in words
//!  alloc      memory from the server                stats       counters
//! ```
//! Nothing but `alloc`, `server`, `callbacks` and this file touches the server's pointers.
#![deny(unsafe_op_in_unsafe_fn)]

mod alloc;
mod callbacks;
mod commands;
mod config;
mod register;
mod server;
mod stats;
mod table;
mod texts;
mod value;

use std::ffi::c_int;
use valkey_module::raw;

#[global_allocator]
static MEMORY: alloc::ServerAlloc = alloc::ServerAlloc;

/// Where the server begins.
///
/// # Safety
/// Called by the server, once, with its own values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RedisModule_OnLoad(
    ctx: *mut raw::RedisModuleCtx,
    _argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: as promised.
    let loaded = unsafe { register::everything(ctx, argc) };
    (if loaded.is_some() { raw::REDISMODULE_OK } else { raw::REDISMODULE_ERR }) as c_int
}
