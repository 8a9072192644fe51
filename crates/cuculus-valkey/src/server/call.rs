//! One call of a command: its arguments, its reply, what is replicated and announced.

use super::{Access, Key, api};
use crate::callbacks::data_type;
use crate::texts::Failure;
use std::ffi::{CStr, CString, c_int, c_long};
use valkey_module::raw;

/// What a command ends with: its reply is sent, or an error is.
pub(crate) type Outcome = Result<(), Failure>;

/// A call in progress.
pub(crate) struct Call {
    ctx: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: usize,
}

impl Call {
    /// # Safety
    /// What the server gave to a command's callback, during that callback.
    pub(crate) unsafe fn new(
        ctx: *mut raw::RedisModuleCtx,
        argv: *mut *mut raw::RedisModuleString,
        argc: c_int,
    ) -> Self {
        Call { ctx, argv, argc: argc as usize }
    }

    /// The number of arguments, the command's name included.
    pub(crate) fn argc(&self) -> usize {
        self.argc
    }

    fn raw_arg(&self, index: usize) -> *mut raw::RedisModuleString {
        assert!(index < self.argc);
        // SAFETY: `argv` has `argc` strings.
        unsafe { *self.argv.add(index) }
    }

    /// An argument's bytes. They live as long as the call.
    pub(crate) fn arg(&self, index: usize) -> &[u8] {
        // SAFETY: the server owns the string until the callback ends.
        unsafe { bytes_of(self.raw_arg(index)) }
    }

    /// The arguments from `first` on.
    pub(crate) fn args(&self, first: usize) -> impl Iterator<Item = &[u8]> + Clone {
        (first..self.argc).map(|index| self.arg(index))
    }

    /// The key that an argument names.
    pub(crate) fn key(&self, index: usize, access: Access) -> Key {
        // SAFETY: context and string are alive; the key is closed when it is dropped, before the callback ends.
        unsafe { Key::open(self.ctx, self.raw_arg(index), access, data_type()) }
    }

    /// Not cheap: the server looks at its memory too.
    fn has(&self, flags: u32) -> bool {
        // SAFETY: `ctx` is alive during the callback.
        unsafe { api!(RedisModule_GetContextFlags)(self.ctx) as u32 & flags != 0 }
    }

    /// Whether the client speaks RESP3.
    pub(crate) fn is_resp3(&self) -> bool {
        self.has(raw::REDISMODULE_CTX_FLAGS_RESP3)
    }

    /// Whether the command comes from a primary or a log: then it was allowed there, and is obeyed.
    pub(crate) fn must_obey(&self) -> bool {
        self.has(raw::REDISMODULE_CTX_FLAGS_REPLICATED | raw::REDISMODULE_CTX_FLAGS_LOADING)
    }

    // Replies. The server copies what it is given.

    pub(crate) fn reply_ok(&self) -> Outcome {
        // SAFETY: `ctx` is alive, the text ends with 0.
        unsafe { api!(RedisModule_ReplyWithSimpleString)(self.ctx, c"OK".as_ptr()) };
        Ok(())
    }

    pub(crate) fn reply_name(&self, name: &CStr) {
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplyWithSimpleString)(self.ctx, name.as_ptr()) };
    }

    pub(crate) fn reply_integer(&self, value: i64) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_ReplyWithLongLong)(self.ctx, value) };
    }

    /// 1 or 0 in RESP2, true or false in RESP3.
    pub(crate) fn reply_bool(&self, value: bool) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_ReplyWithBool)(self.ctx, value.into()) };
    }

    /// A double in RESP3, its digits in RESP2.
    pub(crate) fn reply_double(&self, value: f64) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_ReplyWithDouble)(self.ctx, value) };
    }

    pub(crate) fn reply_bytes(&self, bytes: &[u8]) {
        // SAFETY: `ctx` is alive, pointer and length are a slice's.
        unsafe { api!(RedisModule_ReplyWithStringBuffer)(self.ctx, bytes.as_ptr().cast(), bytes.len()) };
    }

    pub(crate) fn reply_null(&self) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_ReplyWithNull)(self.ctx) };
    }

    /// The head of an array, whose elements follow.
    pub(crate) fn reply_array(&self, len: usize) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_ReplyWithArray)(self.ctx, len as c_long) };
    }

    /// The head of a map, whose keys and values follow in turn; in RESP2 a flat array.
    pub(crate) fn reply_map(&self, len: usize) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_ReplyWithMap)(self.ctx, len as c_long) };
    }

    pub(crate) fn reply_error(&self, text: &CStr) {
        // SAFETY: `ctx` is alive, the text ends with 0.
        unsafe { api!(RedisModule_ReplyWithError)(self.ctx, text.as_ptr()) };
    }

    /// The server's own text for a wrong number of arguments.
    pub(crate) fn reply_wrong_arity(&self) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_WrongArity)(self.ctx) };
    }

    // What others learn of a change.

    /// Sends the call as it came to replicas and log.
    pub(crate) fn replicate_verbatim(&self) {
        // SAFETY: `ctx` is alive.
        unsafe { api!(RedisModule_ReplicateVerbatim)(self.ctx) };
    }

    /// Sends another call to replicas and log.
    pub(crate) fn replicate<'a>(&self, command: &CStr, args: impl Iterator<Item = &'a [u8]>) {
        // SAFETY: the strings are made here, used by one call and freed after it.
        unsafe {
            let create = api!(RedisModule_CreateString);
            let mut strings: Vec<_> = args.map(|arg| create(self.ctx, arg.as_ptr().cast(), arg.len())).collect();
            api!(RedisModule_Replicate)(self.ctx, command.as_ptr(), c"v".as_ptr(), strings.as_mut_ptr(), strings.len());
            strings.into_iter().for_each(|string| api!(RedisModule_FreeString)(self.ctx, string));
        }
    }

    /// Tells watchers, tracking clients and subscribers that the key of argument `index` has changed.
    pub(crate) fn announce(&self, index: usize, event: &CStr) {
        let (key, module) = (self.raw_arg(index), raw::REDISMODULE_NOTIFY_MODULE as c_int);
        // SAFETY: context, key and text are alive.
        unsafe {
            api!(RedisModule_SignalModifiedKey)(self.ctx, key);
            api!(RedisModule_NotifyKeyspaceEvent)(self.ctx, module, event.as_ptr(), key);
        }
    }

    /// A line in the server's log.
    pub(crate) fn log_notice(&self, text: &str) {
        let Ok(text) = CString::new(text) else { return };
        // SAFETY: context and text are alive; the format takes one text.
        unsafe { api!(RedisModule_Log)(self.ctx, c"notice".as_ptr(), c"%s".as_ptr(), text.as_ptr()) };
    }

    /// Bytes that nobody can guess.
    pub(crate) fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0u8; N];
        // SAFETY: the server fills `N` bytes.
        unsafe { api!(RedisModule_GetRandomBytes)(bytes.as_mut_ptr(), N) };
        bytes
    }
}

/// The bytes of a server's string.
///
/// # Safety
/// The string has to outlive the slice.
pub(crate) unsafe fn bytes_of<'a>(string: *const raw::RedisModuleString) -> &'a [u8] {
    let mut len = 0;
    // SAFETY: the string is alive; the server gives its buffer and length.
    unsafe {
        let start = api!(RedisModule_StringPtrLen)(string, &mut len);
        std::slice::from_raw_parts(start.cast(), len)
    }
}
