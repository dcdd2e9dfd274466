//! Every column of the database: a change that must be detected, or why it is no evidence.

/// A change of one column in one row. `{build}`, `{other}` and so on are ids of the fixture;
/// `LATER(column)` is a time one second later.
pub struct Change {
    pub table: &'static str,
    pub column: &'static str,
    pub value: &'static str,
}

/// The changed row of each table, and a word that the report must contain.
pub const ROWS: [(&str, &str, &str); 14] = [
    ("builds", "id = '{build}'", "build"),
    ("build_phases", "build_id = '{build}' AND number = 0", "build_phases"),
    ("build_events", "build_id = '{build}' AND seq = 5", "event"),
    ("build_errors", "build_id = '{build}' AND resolved = TRUE", "build_errors"),
    ("clarifications", "build_id = '{build}'", "clarifications"),
    ("seals", "build_id = '{build}'", "seal"),
    ("blobs", "sha256 = '{blob}'", "blobs"),
    ("build_checkpoints", "build_id = '{build}'", "build_checkpoints"),
    ("contracts", "id = '{contract}'", "contract"),
    ("contract_snapshots", "contract_id = '{contract}'", "contract_snapshots"),
    ("reviews", "build_id = '{build}' AND number = 1", "reviews"),
    ("review_comments", "build_id = '{build}' AND resolved_at IS NOT NULL", "review_comments"),
    ("audit_log", "seq = {entry}", "audit_log"),
    ("users", "id = '{admin}'", "reviews"),
];

/// Primary keys, for restoring the tables.
pub const KEYS: [(&str, &[&str]); 14] = [
    ("builds", &["id"]),
    ("build_phases", &["build_id", "number"]),
    ("build_events", &["build_id", "seq"]),
    ("build_errors", &["id"]),
    ("clarifications", &["id"]),
    ("seals", &["build_id"]),
    ("blobs", &["sha256"]),
    ("build_checkpoints", &["build_id"]),
    ("contracts", &["id"]),
    ("contract_snapshots", &["id", "contract_id"]),
    ("reviews", &["id"]),
    ("review_comments", &["id"]),
    ("audit_log", &["seq"]),
    ("users", &["id"]),
];

macro_rules! changes {
    ($($table:ident { $($column:ident: $value:literal,)+ })+) => {
        pub const CHANGES: &[Change] = &[$($(
            Change { table: stringify!($table), column: stringify!($column), value: $value },
        )+)+];
    };
}

changes! {
    builds {
        // Its number is taken in the other project.
        project_id: "'{other_project}', number = number + 1000",
        started_by: "'{admin}'",
        snapshot_batch: "'{unknown}'",
        follows: "'{other}'",
        number: "number + 1",
        title: "'other'",
        status: "'abandoned'",
        verdict: "CASE verdict WHEN 'FLAGGED' THEN 'CERTIFIED' ELSE 'FLAGGED' END",
        branch: "branch || 'x'",
        baseline_sha: "'{sha}'",
        head_sha: "'{sha}'",
        branch_status: "'active'",
        commit_count: "commit_count + 1",
        model: "'other'",
        sandbox_level: "'strict'",
        node: "'other'",
        attempt: "attempt + 1",
        head_seq: "head_seq + 1",
        head_hash: "'{hash}'",
        phase_count: "phase_count + 1",
        phases_done: "phases_done + 1",
        open_errors: "open_errors + 1",
        open_questions: "open_questions + 1",
        blocked_reason: "'minutes'",
        created_at: "LATER(created_at)",
        started_at: "LATER(started_at)",
        finished_at: "LATER(finished_at)",
    }
    build_phases {
        build_id: "'{unknown}'",
        number: "number + 7",
        title: "title || 'x'",
        status: "'pending'",
        started_at: "LATER(started_at)",
        completed_at: "LATER(completed_at)",
    }
    build_events {
        build_id: "'{unknown}'",
        seq: "seq + 1000000",
        type: "'build_log'",
        at: "LATER(at)",
        body: "replace(body, 'payload', 'payl0ad')",
        hash: "'{hash}'",
    }
    build_errors {
        id: "'{unknown}'",
        build_id: "'{unknown}'",
        fingerprint: "fingerprint || 'x'",
        first_seen: "LATER(first_seen)",
        last_seen: "LATER(last_seen)",
        occurrence_count: "occurrence_count + 1",
        phase: "'Phase 7'",
        file_path: "'other.js'",
        source: "'other'",
        severity: "'fatal'",
        message: "message || 'x'",
        resolved: "NOT resolved",
        resolved_at: "LATER(resolved_at)",
        resolution_method: "'dismissed'",
        resolution_summary: "'other'",
        regression: "NOT regression",
        first_seq: "first_seq + 1",
    }
    clarifications {
        id: "'{unknown}'",
        build_id: "'{unknown}'",
        run_id: "'{unknown}'",
        call_id: "'other'",
        kind: "'permission'",
        question: "question || 'x'",
        context: "'other'",
        options: "'[]'",
        multiple: "NOT multiple",
        asked_by: "'auditor'",
        asked_at: "LATER(asked_at)",
        expires_at: "LATER(asked_at)",
        status: "'skipped'",
        answer: "'other'",
        answered_by: "'{admin}'",
        resolved_at: "LATER(resolved_at)",
        asked_seq: "asked_seq + 1",
        resolved_seq: "resolved_seq + 1",
        contract: "'ui'",
    }
    seals {
        build_id: "'{unknown}'",
        verdict: "CASE verdict WHEN 'FLAGGED' THEN 'CERTIFIED' ELSE 'FLAGGED' END",
        score: "score - 1",
        seal_commit: "'{sha}'",
        journal_head: "'{hash}'",
        evidence: "replace(evidence, 'passed', 'failed')",
        sealed_at: "LATER(sealed_at)",
        envelope: "replace(envelope, 'payload\":\"', 'payload\":\"A')",
    }
    blobs {
        sha256: "'{hash}'",
        size: "size + 1",
        zstd: "BYTES",
    }
    build_checkpoints {
        seq: "5",
        state: "replace(state, '\"attempt\":1', '\"attempt\":2')",
    }
    contracts {
        id: "'{unknown}'",
        project_id: "'{other_project}'",
        type: "'ui'",
        version: "version + 1",
        format: "'json'",
        content: "content || 'x'",
        source: "'imported'",
        author_id: "'{admin}'",
        created_at: "LATER(created_at)",
    }
    contract_snapshots {
        id: "'{unknown}'",
        contract_id: "'{unknown}'",
    }
    reviews {
        id: "'{unknown}'",
        build_id: "'{unknown}'",
        number: "number + 7",
        reviewer_id: "'{owner}'",
        decision: "CASE decision WHEN 'approved' THEN 'changes_requested' ELSE 'approved' END",
        reason: "reason || 'x'",
        created_at: "LATER(created_at)",
    }
    review_comments {
        id: "'{unknown}'",
        build_id: "'{unknown}'",
        author_id: "'{owner}'",
        path: "path || 'x'",
        side: "CASE side WHEN 'old' THEN 'new' ELSE 'old' END",
        first_line: "line",
        line: "line + 1",
        line_text: "line_text || 'x'",
        text: "text || 'x'",
        parent_id: "'{unknown}'",
        created_at: "LATER(created_at)",
        resolved_at: "LATER(resolved_at)",
        resolved_by: "'{owner}'",
    }
    audit_log {
        seq: "seq + 1000000",
        at: "LATER(at)",
        actor_id: "'{owner}'",
        actor_name: "actor_name || 'x'",
        action: "'review_commented'",
        subject: "subject || 'x'",
        detail: "replace(detail, 'approved', 'rejected')",
        hash: "NULL",
    }
    users {
        name: "name || 'x'",
    }
}

/// Changes of whole rows, as statements, each with a word that the report must contain.
pub const STATEMENTS: [(&str, &str, &str); 9] = [
    (
        "seals",
        "UPDATE seals SET envelope = NULL WHERE build_id = '{build}'",
        "signed seal is missing",
    ),
    ("build_errors", "DELETE FROM build_errors WHERE build_id = '{build}'", "build_errors"),
    ("clarifications", "DELETE FROM clarifications WHERE build_id = '{build}'", "clarifications"),
    ("build_phases", "DELETE FROM build_phases WHERE build_id = '{build}'", "build_phases"),
    ("blobs", "DELETE FROM blobs WHERE sha256 = '{blob}'", "blobs"),
    ("reviews", "DELETE FROM reviews WHERE build_id = '{build}'", "reviews"),
    (
        "review_comments",
        "DELETE FROM review_comments WHERE build_id = '{build}'",
        "review_comments",
    ),
    ("audit_log", "DELETE FROM audit_log", "audit_log"),
    ("audit_log", "UPDATE audit_log SET hash = NULL", "audit_log"),
];

/// Columns that are no evidence about a sealed build, and why.
pub const NO_EVIDENCE: &[(&str, &str, &str)] = &[
    ("builds", "id", "what the build is asked for by: under another id there is no such build"),
    (
        "builds",
        "working_ms",
        "a copy for lists of builds; reports and verification fold the journal",
    ),
    ("builds", "slot", "which unfinished builds a project may have; no part of what was built"),
    ("builds", "tokens", "a copy for lists of builds; reports and verification fold the journal"),
    (
        "builds",
        "usd_micros",
        "a copy for lists of builds; reports and verification fold the journal",
    ),
    (
        "builds",
        "budget_tokens",
        "a copy for lists of builds; reports and verification fold the journal",
    ),
    (
        "builds",
        "budget_usd_micros",
        "a copy for lists of builds; reports and verification fold the journal",
    ),
    (
        "builds",
        "running_agents",
        "a copy for lists of builds; reports and verification fold the journal",
    ),
    ("build_errors", "created_at", "nothing reads it; first_seen is what is shown"),
    ("blobs", "created_at", "nothing reads it; the text is known by its digest"),
    ("build_checkpoints", "build_id", "a cache: without the row the journal is folded instead"),
    ("contract_snapshots", "project_id", "nothing reads it; the contracts name their project"),
    ("contract_snapshots", "created_at", "nothing reads it; the build's time is what is shown"),
    ("users", "id", "references to it are compared, and no report shows it by itself"),
    ("users", "email", "the account as it is now; decisions are recorded under id and name"),
    ("users", "role", "what the account may do now; no report shows it"),
    ("users", "password_hash", "never shown"),
    ("users", "created_at", "the account as it is now; no report shows it"),
    ("users", "disabled_at", "the account as it is now; no report shows it"),
    ("projects", "*", "name, owner and settings may change at any time and are no part of a seal"),
    ("project_notes", "*", "notes of one person; what an agent read of them is in the journal"),
    ("project_slugs", "*", "names in URLs, which may change at any time"),
    ("project_viewers", "*", "who may look now; no report shows it"),
    ("questionnaires", "*", "answers before contracts are written; a build pins contracts"),
    ("interview_messages", "*", "answers before contracts are written; a build pins contracts"),
    ("build_questions", "*", "answers about the build, not part of it; no report shows them"),
    ("interview_runs", "*", "answers before contracts are written; a build pins contracts"),
    ("generations", "*", "how contracts were written; a build pins the contracts themselves"),
    ("generation_drafts", "*", "how contracts were written; a build pins the contracts themselves"),
    ("agent_messages", "*", "working memory to resume a run; what was said is in the journal"),
    ("project_artifacts", "*", "notes of clients; no report shows them"),
    ("artifacts", "*", "working memory of agents; no report shows it"),
    ("users", "granted_by", "decides who may approve later; every grant is in the audit log"),
    ("users", "granted_at", "decides who may approve later; every grant is in the audit log"),
    ("work_items", "*", "the queue; no report shows it"),
    ("installation_settings", "*", "limits and models of later builds; no report shows it"),
    ("node_heartbeats", "*", "proves that the database can be written; no report shows it"),
    ("inbox_reads", "*", "what a user has read; no report shows it"),
    ("notifications", "*", "what is to be sent; no report shows it"),
    ("webhooks", "*", "where it is sent; no report shows it"),
    ("deliveries", "*", "what was sent; no report shows it"),
    ("email_preferences", "*", "what a user receives; no report shows it"),
    ("smtp_settings", "*", "how email is sent; no report shows it"),
    ("demo_speeds", "*", "how fast a demo is replayed; no report shows it"),
    ("credentials", "*", "how remote repositories are reached; no report shows it"),
    ("backlogs", "*", "the queue of what starts items; no report shows it"),
    ("backlog_items", "*", "what is to be built; a build records what it was asked for"),
    ("backlog_dependencies", "*", "the order in which items are built; no report shows it"),
    ("specs", "*", "specs before contracts are written; a build pins contracts"),
    (
        "local_repositories",
        "*",
        "where the command line finds a repository; a build pins its commit",
    ),
    ("remotes", "*", "where the repository comes from; a build pins its commit"),
    (
        "gate_reruns",
        "*",
        "runs after the seal, which change no evidence; the audit log has a digest",
    ),
    ("branch_deliveries", "*", "what is at a remote; no report shows it"),
    ("fetches", "*", "the queue of fetches; no report shows it"),
    ("received_hooks", "*", "which webhooks were received; no report shows it"),
    ("provider_keys", "*", "how models are reached; no report shows it"),
    ("review_comments", "suggestion_accepted_at", "the follow-up records what it applies"),
    ("review_comments", "suggestion_accepted_by", "the follow-up records what it applies"),
    ("viewed_files", "*", "what a user has viewed; no report shows it"),
    ("sessions", "*", "sign-in"),
    ("forge_keys", "*", "sign-in"),
    ("invitations", "*", "sign-in"),
    ("sign_in_providers", "*", "sign-in"),
    ("identities", "*", "sign-in"),
    ("device_sign_ins", "*", "sign-in"),
    ("pending_sign_ins", "*", "sign-in"),
    ("users", "has_password", "sign-in"),
    ("idempotency_keys", "*", "repeated requests"),
];
