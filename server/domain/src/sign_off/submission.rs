//! A judgement as the auditor submitted it.

use super::citation::Citation;
use crate::{
    event::{
        agents::{Finding, FindingStatus},
        gates::CriterionResult,
    },
    finding_id::FindingId,
};

/// A judgement as the auditor submitted it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignOff {
    pub passed: bool,
    /// In the order of submission.
    pub criteria: Vec<CriterionLine>,
    pub deliverables: Vec<DeliverableLine>,
    /// Answers about findings of earlier audits.
    pub earlier_findings: Vec<AnsweredFinding>,
    /// New ones.
    pub findings: Vec<Finding>,
    pub weakened_tests: Vec<JustifiedWeakening>,
}

/// The result of one exit criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionLine {
    /// From 1.
    pub index: u32,
    pub result: CriterionResult,
    pub evidence: String,
    pub citations: Vec<Citation>,
}

/// What shows one deliverable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliverableLine {
    /// From 1.
    pub index: u32,
    /// A path; `None` if the deliverable is missing.
    pub shown_by: Option<String>,
}

/// Why a weakened test is justified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JustifiedWeakening {
    /// From 1.
    pub number: u32,
    pub reason: String,
    pub citations: Vec<Citation>,
}

/// What became of a finding of an earlier audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredFinding {
    pub id: FindingId,
    pub status: FindingStatus,
    pub evidence: String,
    pub citations: Vec<Citation>,
}
