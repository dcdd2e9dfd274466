//! Arithmetic on what was measured.

use std::time::Duration;

/// The value in the middle; of none, zero.
pub fn median(values: &[f64]) -> f64 {
    percentile(values, 50.0)
}

/// The value that `percent` of the others do not exceed; of none, zero.
pub fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// A whole number with its thousands apart.
pub fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number.max(0.0));
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// So many a second.
pub fn per_second(count: u64, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}

/// Milliseconds.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values = [5.0, 1.0, 3.0, 2.0, 4.0];
        assert_eq!((median(&values), percentile(&values, 99.0)), (3.0, 5.0));
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!((grouped(999.4), grouped(1_234_567.0)), ("999".into(), "1,234,567".into()));
    }
}
