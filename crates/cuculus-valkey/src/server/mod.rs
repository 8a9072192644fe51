//! The server's API in safe wrappers: the only calls to it, beside registration and callbacks.
//!
//! The function pointers are set before the module's first line runs and never change; `api!` reads them.

mod call;
mod files;
mod key;
mod sections;

pub(crate) use call::{Call, Outcome, bytes_of};
pub(crate) use files::{AofWriter, RdbReader, RdbWriter};
pub(crate) use key::{Access, Content, Key};
pub(crate) use sections::InfoSections;

/// A function of the server. All that are used are in Redis 7.0 and every Valkey. To be used inside `unsafe`: the pointer is
/// read-only after `RedisModule_OnLoad` has set it.
macro_rules! api {
    ($name:ident) => {
        match valkey_module::raw::$name {
            Some(function) => function,
            None => crate::server::missing(stringify!($name)),
        }
    };
}
pub(crate) use api;

#[cold]
pub(crate) fn missing(name: &str) -> ! {
    panic!("the server has no {name}")
}
