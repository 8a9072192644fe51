//! One key of the keyspace, open until it is dropped.

use super::api;
use crate::value::Value;
use std::ffi::c_int;
use std::ptr::NonNull;
use valkey_module::raw;

/// How a key is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// An open key.
pub(crate) struct Key {
    key: *mut raw::RedisModuleKey,
    data_type: *mut raw::RedisModuleType,
}

/// What is under a key.
pub(crate) enum Content<'a> {
    Missing,
    WrongType,
    Value(&'a mut Value),
}

impl Key {
    /// # Safety
    /// Context and name are alive, and the key is dropped before the callback ends.
    pub(super) unsafe fn open(
        ctx: *mut raw::RedisModuleCtx,
        name: *mut raw::RedisModuleString,
        access: Access,
        data_type: *mut raw::RedisModuleType,
    ) -> Self {
        let mode = match access {
            Access::Read => raw::REDISMODULE_READ,
            Access::Write => raw::REDISMODULE_READ | raw::REDISMODULE_WRITE,
        };
        // SAFETY: as promised.
        let key = unsafe { api!(RedisModule_OpenKey)(ctx, name, mode as c_int) };
        Key { key: key.cast(), data_type }
    }

    /// What is there. A key that is open for reading only must not be changed.
    pub(crate) fn content(&mut self) -> Content<'_> {
        let Some(key) = NonNull::new(self.key) else { return Content::Missing };
        // SAFETY: the key is open; a value of our type is a `Value` that we put there, and nobody else has it now: the
        // server runs one command at a time, and `self` is borrowed.
        unsafe {
            if api!(RedisModule_ModuleTypeGetType)(key.as_ptr()) == self.data_type
                && let Some(mut value) =
                    NonNull::new(api!(RedisModule_ModuleTypeGetValue)(key.as_ptr()).cast::<Value>())
            {
                return Content::Value(value.as_mut());
            }
            match api!(RedisModule_KeyType)(key.as_ptr()) == raw::REDISMODULE_KEYTYPE_EMPTY as c_int {
                true => Content::Missing,
                false => Content::WrongType,
            }
        }
    }

    /// Puts a value there, in place of what was there.
    pub(crate) fn set(&mut self, value: Value) {
        let value = Box::into_raw(Box::new(value));
        // SAFETY: the key is open for writing; the server owns the value from here on and frees it by our callback.
        unsafe { api!(RedisModule_ModuleTypeSetValue)(self.key, self.data_type, value.cast()) };
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        if !self.key.is_null() {
            // SAFETY: open, and closed once.
            unsafe { api!(RedisModule_CloseKey)(self.key) };
        }
    }
}
