//! Detects the doom loop: an agent that repeats the same tool call with the same result.

use domain::errors::normalise;

use super::transcript::FinishedCall;

/// The tool of the last `threshold` calls, if all have the same tool, input and result, apart from
/// times, addresses and similar noise. A threshold below 2 disables the check.
pub fn doom_loop<'a>(calls: &[FinishedCall<'a>], threshold: u32) -> Option<&'a str> {
    let threshold = usize::try_from(threshold).ok().filter(|threshold| *threshold >= 2)?;
    let last = &calls[calls.len().checked_sub(threshold)?..];
    let (first, others) = last.split_first()?;
    let is_repeated =
        others.iter().all(|call| call.tool == first.tool && call.input == first.input);
    if !is_repeated {
        return None;
    }
    let result = normalise(first.result);
    others.iter().all(|call| normalise(call.result) == result).then_some(first.tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn only_consecutive_equal_calls_are_repeated() {
        let (one, two) = (json!({"path": "a"}), json!({"path": "b"}));
        let call = |tool, input, result| FinishedCall { tool, input, result, failed: false };
        let read = |input| call("read_file", input, "same");
        let cases: [(Vec<FinishedCall<'_>>, u32, Option<&str>); 9] = [
            (vec![], 3, None),
            (vec![read(&one), read(&one)], 3, None),
            (vec![read(&one), read(&one), read(&one)], 3, Some("read_file")),
            (vec![read(&two), read(&one), read(&one), read(&one)], 3, Some("read_file")),
            (vec![read(&one), read(&one), read(&two)], 3, None),
            (vec![read(&one), call("search_code", &one, "same"), read(&one)], 3, None),
            (vec![read(&one), call("read_file", &one, "other"), read(&one)], 3, None),
            (vec![read(&one), read(&one)], 2, Some("read_file")),
            (vec![read(&one), read(&one)], 0, None),
        ];
        for (calls, threshold, expected) in cases {
            assert_eq!(doom_loop(&calls, threshold), expected, "{calls:?}");
        }
    }

    #[test]
    fn results_that_differ_in_noise_are_equal() {
        let input = Value::Null;
        let calls: Vec<FinishedCall<'_>> =
            ["failed after 12 ms", "failed after 7 ms", "failed after 1 ms"]
                .into_iter()
                .map(|result| FinishedCall {
                    tool: "run_tests",
                    input: &input,
                    result,
                    failed: true,
                })
                .collect();
        assert_eq!(doom_loop(&calls, 3), Some("run_tests"));
    }
}
