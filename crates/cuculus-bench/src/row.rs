//! The CSV files: one row a filter, and one row a measurement with its spread.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// One filter of a comparison; speeds in million operations a second, empty where there is no such operation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Row {
    pub filter: String,
    pub items: u64,
    pub memory_bytes: u64,
    pub bits_per_item: f64,
    pub promised_fpr: f64,
    pub measured_fpr: f64,
    pub false_negatives: u64,
    pub insert_mops: Option<f64>,
    pub hit0_mops: Option<f64>,
    pub hit50_mops: Option<f64>,
    pub hit100_mops: Option<f64>,
    pub many_hit0_mops: Option<f64>,
    pub many_hit50_mops: Option<f64>,
    pub many_hit100_mops: Option<f64>,
    pub remove_mops: Option<f64>,
    pub insert_last5_mops: Option<f64>,
    pub churn_mops: Option<f64>,
}

/// One measurement with its spread over the repeats.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Detail {
    pub filter: String,
    pub items: u64,
    pub workload: String,
    pub calls: &'static str,
    pub median_mops: f64,
    pub min_mops: f64,
    pub max_mops: f64,
    pub repeats: usize,
    pub instructions_per_op: Option<f64>,
    pub misses_per_op: Option<f64>,
}

/// What a filter took of the machine's memory, and what went wrong.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct MemoryRow {
    pub filter: String,
    pub items: u64,
    pub table_bytes: u64,
    pub at_rest_bytes: u64,
    pub peak_bytes: u64,
    pub refused_in_fill: u64,
    pub refused_in_churn: u64,
    pub absent_keys_asked: u64,
    pub stored_keys_asked: u64,
}

/// Writes rows to a CSV file with a header.
pub fn write<T: Serialize>(path: &Path, rows: &[T]) -> Result<(), Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_path(path)?;
    for row in rows {
        writer.serialize(row)?;
    }
    writer.flush()?;
    Ok(())
}

/// Rounds for files and print: three significant digits behind the point are more than the machine repeats.
pub fn round(x: f64) -> f64 {
    (x * 1_000.0).round() / 1_000.0
}
