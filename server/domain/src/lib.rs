//! The domain model of ForgeGuard: the events and states of a build, and the rules that apply to them.
//!
//! Independent of I/O, async, clocks, databases and HTTP. Ids and times are arguments.
//!
//! - [`ids`], [`validation`]: identifiers, and the error for an invalid field
//! - [`gate`], [`budget`], [`budget_limits`], [`failure`]: gates, limits and retries of a build
//! - [`budget_warnings`], [`estimate`]: limits that are nearly used up, and the expected use of a build
//! - [`gate_failure`]: failures of gates for lack of a program, memory or disk
//! - [`gate_programs`]: the programs of gates
//! - [`gate_rerun`]: runs of the gates of a sealed build for a reviewer
//! - [`detection`]: gates suggested by a repository
//! - [`build_leftovers`]: files of build tools that belong to no commit
//! - [`permission`]: permission rules for agents
//! - [`contract`], [`questionnaire`]: the nine contracts, and the answers that they are written from
//! - [`suggested_answers`]: answers to the questionnaire that a repository suggests
//! - [`interview`]: conversations about the answers
//! - [`generation`]: generations of contracts and answers by a model
//! - [`backlog`]: states, dependencies and scopes of the items of a backlog
//! - [`build_group`]: what is to be done with a build, in lists across projects
//! - [`progress`]: the current step of a build, and the share of its work that is done
//! - [`demo_speed`]: how fast a demo build replays its recording
//! - [`slug`]: names in URLs and branches
//! - [`build_question`]: questions about builds, and the references of their answers
//! - [`stop_code`], [`event`]: the events of a build
//! - [`chain`]: how events are hashed and verified
//! - [`commit_message`]: subjects of commits, and the body of a phase's commit
//! - [`requirement`], [`criterion`]: ids of requirements, and how exit criteria are proven
//! - [`deliverable`]: which path shows a deliverable
//! - [`requirements`], [`requirement_edits`]: the requirements of the blueprint, and edits of them
//! - [`markdown_blocks`], [`markers`], [`phases`]: parsers of Markdown, of
//!   agents' markers and of the phases contract
//! - [`spec`], [`spec_documents`]: specs in Markdown, and which files of a repository are specs
//! - [`sign_off`], [`finding_id`]: an auditor's judgement of a phase, and ids of its findings
//! - [`errors`]: records and fingerprints of errors
//! - [`diagnostics`]: parsers of tools' output
//! - [`test_counts`], [`test_results`]: counts and names of tests in tools' output and reports
//! - [`test_checks`], [`test_files`], [`test_setup`], [`test_origin`]: checks of a build's tests, and
//!   the files and tests that they apply to
//! - [`weakened_tests`], [`weakened_list`], [`audited_weakening`]: tests and checks that a change removes, skips or loosens,
//!   and those of a build
//! - [`usage`]: tokens, cost and contracts read, by role and model
//! - [`state`], [`build_gates`], [`gate_changes`], [`step`], [`next_test_check`], [`decide`]: the state
//!   machine of a build
//! - [`base_comparison`]: comparisons with the base branch before the seal
//! - [`plan_approval`]: plans that users approve
//! - [`assumptions`], [`open_items`]: what users confirm before the work, and settle before the seal
//! - [`before_seal`]: what a build still waits for before its seal
//! - [`run_instructions`]: how to run a project, according to its README
//! - [`tracking`], [`rounds`]: the events that follow from failures and at the end of rounds
//! - [`verdict`], [`seal`]: the evidence of a seal, and the rules for its verdict
//! - [`attestation`]: the signed statement about a seal
//! - [`standard_attestations`]: the same in the formats of in-toto and SLSA
//! - [`review`]: decisions about sealed builds, and who may make them
//! - [`follow_up`], [`suggestion`]: builds that implement requested changes, and suggested edits
//! - [`user_role`], [`key_scope`]: roles of accounts, and what forge keys permit
//! - [`sign_in_provider`]: providers with which users sign in
//! - [`notification`]: what users are notified of
//! - [`model_provider`]: providers of models whose keys can be set in the app
//! - [`remote`]: remote repositories of projects, and credentials for them
//! - [`audit`], [`audit_chain`]: the actions in the audit log, and how it is hashed and verified

pub mod assumptions;
pub mod attestation;
pub mod audit;
pub mod audit_chain;
pub mod audited_weakening;
pub mod backlog;
pub mod base_comparison;
pub mod before_seal;
pub mod branch_delivery;
pub mod budget;
pub mod budget_limits;
pub mod budget_warnings;
pub mod build_gates;
pub mod build_group;
pub mod build_leftovers;
pub mod build_question;
pub mod chain;
pub mod commit_message;
pub mod contract;
pub mod criterion;
pub mod decide;
pub mod deliverable;
pub mod demo_speed;
pub mod detection;
pub mod device_sign_in;
pub mod diagnostics;
pub mod errors;
pub mod estimate;
pub mod event;
pub mod executor;
pub mod failure;
pub mod finding_id;
pub mod follow_up;
pub mod gate;
pub mod gate_changes;
pub mod gate_failure;
pub mod gate_programs;
pub mod gate_rerun;
pub mod generation;
pub mod ids;
pub mod interview;
pub mod key_scope;
pub mod markdown_blocks;
pub mod markers;
pub mod model_provider;
pub mod next_test_check;
pub mod notification;
pub mod open_items;
pub mod permission;
pub mod phases;
pub mod plan_approval;
pub mod progress;
pub mod questionnaire;
pub mod remote;
pub mod requirement;
pub mod requirement_edits;
pub mod requirements;
pub mod review;
pub mod rounds;
pub mod run_instructions;
pub mod seal;
pub mod sign_in_provider;
pub mod sign_off;
pub mod slug;
pub mod spec;
pub mod spec_documents;
pub mod standard_attestations;
pub mod state;
pub mod step;
pub mod stop_code;
pub mod suggested_answers;
pub mod suggestion;
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
