//! Parses the retry delay from response headers.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// Reads `retry-after-ms`, otherwise `retry-after` in seconds or as a date; `None` if neither is
/// valid.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok();
    if let Some(ms) = text("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(ms / 1_000.0).ok();
    }
    let wait = text("retry-after")?;
    match number(wait) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => {
            let until = httpdate::parse_http_date(wait).ok()?;
            Some(until.duration_since(now).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    #[test]
    fn milliseconds_seconds_and_dates_are_parsed() {
        let now = httpdate::parse_http_date("Sun, 22 Nov 2026 10:00:00 GMT").unwrap();
        let ms = |ms| Some(Duration::from_millis(ms));
        for (headers, wait) in [
            (&[("retry-after", "7")][..], ms(7_000)),
            (&[("retry-after", " 0.5 ")], ms(500)),
            (&[("retry-after-ms", "250"), ("retry-after", "1")], ms(250)),
            (&[("retry-after", "Sun, 22 Nov 2026 10:01:30 GMT")], ms(90_000)),
            (&[("retry-after", "Sun, 22 Nov 2026 09:00:00 GMT")], ms(0)),
            (&[("retry-after", "-3")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], None),
            (&[("retry-after", "soon")], None),
            (&[], None),
        ] {
            let headers: HeaderMap = headers
                .iter()
                .map(|(n, v)| (HeaderName::from_static(n), HeaderValue::from_static(v)))
                .collect();
            assert_eq!(retry_after(&headers, now), wait, "{headers:?}");
        }
    }
}
