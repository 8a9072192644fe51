//! The comparison: this project's filters beside their rivals, the tables and figures of the cuckoo filter paper, and
//! the limits of the machine, measured in one run.
//!
//! Layers, each using only those before it: [`keys`] and [`meter`] (allocation, counters, the machine), [`adapter`] (one
//! trait, every filter behind it), [`workload`] and [`measure`], the commands, and last [`plots`] and [`report`].

#![deny(unsafe_code)]

pub mod adapter;
pub mod churn;
pub mod cli;
pub mod compare;
pub mod growing;
pub mod growth;
pub mod keys;
pub mod limit;
pub mod measure;
pub mod meter;
pub mod paper;
pub mod plots;
mod prefetch;
pub mod report;
pub mod row;
pub mod threads;
pub mod window;
pub mod workload;
