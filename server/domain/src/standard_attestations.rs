//! What a seal says, in the predicates that in-toto and SLSA define, so that their tools and policy
//! engines can read it. Everything follows from the journal and the signed statement.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use crate::{
    attestation::{JOURNAL_FILE, STATEMENT_TYPE, Statement, sha256},
    state::{BuildState, GateResult},
    verdict::Verdict,
};

const TEST_RESULT: &str = "https://in-toto.io/attestation/test-result/v0.1";
const VERIFICATION_SUMMARY: &str = "https://slsa.dev/verification_summary/v1";
const PROVENANCE: &str = "https://slsa.dev/provenance/v1";
/// How a branch is built: by agents, under the contracts and gates of its project.
const BUILD_TYPE: &str = "urn:forgeguard:build:v1";
/// The result of a passed verification, as SLSA has no level for it.
const CERTIFIED_LEVEL: &str = "FORGEGUARD_CERTIFIED";

/// A sealed build.
#[derive(Clone, Copy, Debug)]
pub struct SealedBuild<'a> {
    /// The signed statement.
    pub statement: &'a Statement,
    /// The state at the end of the journal that the statement is about.
    pub state: &'a BuildState,
    /// SHA-256 of the exported journal.
    pub journal_sha256: &'a str,
    /// The key that signs for the installation.
    pub key_id: &'a str,
}

impl SealedBuild<'_> {
    /// One statement for each gate that ran tests on the sealed head, in order of their names.
    pub fn test_results(&self) -> Vec<Value> {
        let head = self.state.sealed.as_ref().map(|sealed| &sealed.evidence.head_sha);
        let gates = self.state.final_gates.iter();
        let on_head = gates.filter(|(_, gate)| Some(&gate.head_sha) == head);
        on_head.filter_map(|(name, gate)| self.test_result(name, gate)).collect()
    }

    fn test_result(&self, name: &str, gate: &GateResult) -> Option<Value> {
        let counts = gate.tests?;
        let names = gate.test_names.as_deref().cloned().unwrap_or_default();
        let result = match (gate.passed && counts.failed == 0, counts.skipped, counts.executed()) {
            (false, ..) => "FAILED",
            (true, 0, 1..) => "PASSED",
            (true, ..) => "WARNED",
        };
        let command = gate.command.as_bytes();
        let predicate = json!({
            "result": result,
            "configuration": [{
                "name": name,
                "digest": { "sha256": sha256(command) },
                "content": BASE64_STANDARD.encode(command),
                "mediaType": "text/x-shellscript",
                "annotations": {
                    "commit": gate.head_sha,
                    "tree": gate.tree_sha,
                    "required": gate.required,
                    "exitCode": gate.exit_code,
                    "outputSha256": gate.output_sha256,
                    "sandbox": gate.sandbox,
                    "passed": counts.passed,
                    "skipped": counts.skipped,
                    "failed": counts.failed,
                },
            }],
            "passedTests": names.passed,
            "warnedTests": names.skipped,
            "failedTests": names.failed,
        });
        Some(self.about(TEST_RESULT, predicate))
    }

    /// The verdict as the summary of a verification. `seal` is the file with the signed statement, as
    /// its name and SHA-256.
    pub fn verification_summary(&self, (seal, seal_sha256): (&str, &str)) -> Value {
        let rules = self.state.sealed.as_ref().map_or(0, |sealed| sealed.evidence.rules);
        let said = &self.statement.predicate;
        let (result, level) = match said.verdict {
            Verdict::Certified => ("PASSED", CERTIFIED_LEVEL),
            Verdict::Conditional | Verdict::Flagged => ("FAILED", "FAILED"),
        };
        let predicate = json!({
            "verifier": { "id": self.installation() },
            "timeVerified": said.sealed_at,
            "resourceUri": self.project(),
            "policy": { "uri": format!("urn:forgeguard:seal-rules:v{rules}") },
            "inputAttestations": [{ "uri": seal, "digest": { "sha256": seal_sha256 } }],
            "verificationResult": result,
            "verifiedLevels": [level],
        });
        self.about(VERIFICATION_SUMMARY, predicate)
    }

    /// What the branch was built from, by what, and when.
    pub fn provenance(&self) -> Value {
        let (said, queued) = (&self.statement.predicate, &self.state.queued);
        let branch = self.branch().0;
        let gates = queued.gates.iter().map(|gate| {
            let (name, command, required) = (&gate.name, &gate.command, gate.required);
            json!({ "name": name, "command": command, "required": required })
        });
        let mut parameters = json!({
            "project": self.project(),
            "ref": format!("refs/heads/{branch}"),
            "startedBy": format!("urn:uuid:{}", queued.started_by),
            "gates": gates.collect::<Vec<_>>(),
        });
        if let Some(follows) = &queued.follows {
            parameters["follows"] = format!("urn:uuid:{}", follows.build_id).into();
        }
        let predicate = json!({
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": parameters,
                "resolvedDependencies": self.dependencies(),
            },
            "runDetails": {
                "builder": { "id": self.installation() },
                "metadata": {
                    "invocationId": format!("urn:uuid:{}", said.build_id),
                    "startedOn": self.state.started_at,
                    "finishedOn": said.sealed_at,
                },
            },
        });
        self.about(PROVENANCE, predicate)
    }

    fn dependencies(&self) -> Vec<Value> {
        let said = &self.statement.predicate;
        let mut found = vec![json!({
            "name": "baseline",
            "uri": self.project(),
            "digest": { "gitCommit": said.baseline },
        })];
        found.extend(said.contracts.iter().map(|contract| {
            json!({
                "name": format!("contracts/{}", contract.kind.file_name()),
                "digest": { "sha256": contract.sha256 },
                "annotations": { "version": contract.version },
            })
        }));
        let mut models: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for used in &self.state.usage.models {
            models.entry(&used.model).or_default().insert(used.role.name());
        }
        found.extend(models.into_iter().map(|(model, roles)| {
            let uri = format!("urn:forgeguard:model:{}", escaped(model));
            json!({ "name": model, "uri": uri, "annotations": { "roles": roles } })
        }));
        found.extend(self.state.usage.executors.iter().map(|executor| {
            let uri = format!("urn:forgeguard:executor:{}", executor.name());
            json!({ "name": "executor", "uri": uri })
        }));
        found
    }

    /// The branch by its commit, and the journal by its SHA-256.
    fn about(&self, predicate_type: &str, predicate: Value) -> Value {
        let (branch, commit) = self.branch();
        json!({
            "_type": STATEMENT_TYPE,
            "subject": [
                { "name": branch, "digest": { "gitCommit": commit } },
                { "name": JOURNAL_FILE, "digest": { "sha256": self.journal_sha256 } },
            ],
            "predicateType": predicate_type,
            "predicate": predicate,
        })
    }

    fn branch(&self) -> (&str, &str) {
        self.statement.branch().unwrap_or_default()
    }

    fn installation(&self) -> String {
        format!("urn:forgeguard:installation:{}", self.key_id)
    }

    fn project(&self) -> String {
        format!("urn:forgeguard:project:{}", self.statement.predicate.project_id)
    }
}

/// For a URI.
fn escaped(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}

/// Where an attestation differs from the expected one: paths, with both values.
pub fn differences(found: &Value, expected: &Value) -> Vec<String> {
    let mut differing = Vec::new();
    collect("", found, expected, &mut differing);
    differing
}

fn collect(at: &str, found: &Value, expected: &Value, differing: &mut Vec<String>) {
    if found == expected {
        return;
    }
    match (found, expected) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => collect(&at, one, other, differing),
                    (None, _) => differing.push(format!("{at} is missing")),
                    (_, None) => differing.push(format!("{at} does not follow from the bundle")),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                collect(&format!("{at}[{index}]"), one, other, differing);
            }
        }
        _ => differing.push(format!("{at} is {found}, the bundle gives {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_each_path_with_both_values() {
        let one = json!({ "a": { "b": [1, 2], "c": null }, "d": "x", "e": [1] });
        let other = json!({ "a": { "b": [1, 3] }, "d": "x", "e": [1, 2], "f": 1 });
        assert_eq!(differences(&one, &one), Vec::<String>::new());
        let expected = [
            "a.b[1] is 2, the bundle gives 3",
            "a.c does not follow from the bundle",
            "e is [1], the bundle gives [1,2]",
            "f is missing",
        ];
        assert_eq!(differences(&one, &other), expected);
    }

    #[test]
    fn names_of_models_are_escaped_in_uris() {
        assert_eq!(escaped("org/model:1 é"), "org%2Fmodel%3A1%20%C3%A9");
    }
}
