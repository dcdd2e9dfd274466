//! The domain model of ForgeGuard: the events and states of a build, and the rules that apply to them.
//!
//! Independent of I/O, async, clocks, databases and HTTP. Ids and times are arguments.
//!
//! - [`ids`], [`validation`]: identifiers, and the error for an invalid field
//! - [`gate`], [`budget`], [`budget_limits`], [`failure`]: gates, limits and retries of a build
//! - [`gate_failure`]: failures of gates for lack of a program, memory or disk
//! - [`detection`]: gates suggested by a repository
//! - [`permission`]: permission rules for agents
//! - [`contract`], [`questionnaire`]: the nine contracts, and the answers that they are written from
//! - [`interview`]: conversations about the answers
//! - [`generation`]: generations of contracts and answers by a model
//! - [`stop_code`], [`event`]: the events of a build
//! - [`chain`]: how events are hashed and verified
//! - [`requirement`], [`criterion`]: ids of requirements, and how exit criteria are proven
//! - [`deliverable`]: which path shows a deliverable
//! - [`requirements`], [`requirement_edits`]: the requirements of the blueprint, and edits of them
//! - [`markers`], [`phases`]: parsers of agents' markers and of the phases contract
//! - [`sign_off`], [`finding_id`]: an auditor's judgement of a phase, and ids of its findings
//! - [`errors`]: records and fingerprints of errors
//! - [`diagnostics`]: parsers of tools' output
//! - [`test_counts`], [`test_results`]: counts and names of tests in tools' output and reports
//! - [`test_checks`], [`test_files`], [`test_setup`], [`test_origin`]: checks of a build's tests, and
//!   the files and tests that they apply to
//! - [`weakened_tests`], [`weakened_list`]: tests and checks that a change removes, skips or loosens,
//!   and those of a build
//! - [`usage`]: tokens, cost and contracts read, by role and model
//! - [`state`], [`build_gates`], [`step`], [`next_test_check`], [`decide`]: the state machine of a build
//! - [`assumptions`], [`open_items`]: what users confirm before the work, and settle before the seal
//! - [`tracking`], [`rounds`]: the events that follow from failures and at the end of rounds
//! - [`verdict`], [`seal`]: the evidence of a seal, and the rules for its verdict
//! - [`attestation`]: the signed statement about a seal
//! - [`standard_attestations`]: the same in the formats of in-toto and SLSA
//! - [`review`]: decisions about sealed builds, and who may make them
//! - [`follow_up`]: builds that implement requested changes
//! - [`user_role`]: roles of accounts
//! - [`audit`], [`audit_chain`]: the actions in the audit log, and how it is hashed and verified

pub mod assumptions;
pub mod attestation;
pub mod audit;
pub mod audit_chain;
pub mod budget;
pub mod budget_limits;
pub mod build_gates;
pub mod chain;
pub mod contract;
pub mod criterion;
pub mod decide;
pub mod deliverable;
pub mod detection;
pub mod diagnostics;
pub mod errors;
pub mod event;
pub mod failure;
pub mod finding_id;
pub mod follow_up;
pub mod gate;
pub mod gate_failure;
pub mod generation;
pub mod ids;
pub mod interview;
pub mod markers;
pub mod next_test_check;
pub mod open_items;
pub mod permission;
pub mod phases;
pub mod questionnaire;
pub mod requirement;
pub mod requirement_edits;
pub mod requirements;
pub mod review;
pub mod rounds;
pub mod seal;
pub mod sign_off;
pub mod standard_attestations;
pub mod state;
pub mod step;
pub mod stop_code;
pub mod test_checks;
pub mod test_counts;
pub mod test_files;
pub mod test_origin;
pub mod test_results;
pub mod test_setup;
pub mod tracking;
pub mod usage;
pub mod user_role;
pub mod validation;
pub mod verdict;
pub mod weakened_list;
pub mod weakened_tests;
pub mod working_time;

mod markdown_blocks;
