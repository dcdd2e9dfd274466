//! The route table: one line per endpoint of the API document.

use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    agent_runs, app::Shared, audit_export, audit_log, backlog, branch_deliveries, branch_files,
    branches, build_errors, build_questions, build_readiness, builds, builds_overview,
    clarifications, commands, commits, comparison, contract_snapshots, contract_versions,
    contracts, control, credentials, demo_speed, detected_gates, device_sign_ins, diff,
    earlier_reviews, email_settings, events, follow_ups, forge_keys, gate_changes, gate_log,
    gate_reruns, generation_stream, generations, identities, inbox, installation_settings,
    interviews, invitations, mcp_context, notepad, open_items, ops, permissions, pictures,
    project_errors, project_lifecycle, project_settings, project_viewers, projects, provider_keys,
    provider_sign_in, questionnaires, remote_hooks, remotes, report, requirements, review_comments,
    review_decisions, reviews, run_instructions, seal_key, session, sessions, setup,
    sign_in_providers, spec_documents, specs, suggested_answers, suggestions, transcripts, usage,
    users, verify, viewed_files, webhooks, ws,
};

/// All routes of the API.
pub fn routes() -> OpenApiRouter<Shared> {
    session_routes().merge(other_routes())
}

/// The route by which users sign in with a password and sign out.
pub fn session_routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(
        session::get_session,
        session::create_session,
        session::delete_session
    ))
}

/// All others.
pub fn other_routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(setup::get_setup, setup::create_first_account))
        .routes(routes!(session::refresh_session))
        .routes(routes!(invitations::accept_invitation))
        .routes(routes!(provider_sign_in::list_sign_in_options))
        .routes(routes!(provider_sign_in::start_sign_in))
        .routes(routes!(provider_sign_in::finish_sign_in))
        .routes(routes!(device_sign_ins::start_device_sign_in))
        .routes(routes!(device_sign_ins::poll_device_sign_in))
        .routes(routes!(users::list_users, users::create_user))
        .routes(routes!(users::update_user))
        .routes(routes!(users::invite_user))
        .routes(routes!(sessions::list_sessions, sessions::end_other_sessions))
        .routes(routes!(sessions::end_session))
        .routes(routes!(users::change_password))
        .routes(routes!(identities::list_identities, identities::link_identity))
        .routes(routes!(identities::unlink_identity))
        .routes(routes!(forge_keys::list_forge_keys, forge_keys::create_forge_key))
        .routes(routes!(forge_keys::revoke_forge_key))
        .routes(routes!(device_sign_ins::get_device_sign_in))
        .routes(routes!(device_sign_ins::approve_device_sign_in))
        .routes(routes!(device_sign_ins::deny_device_sign_in))
        .routes(routes!(projects::list_projects, projects::create_project))
        .routes(routes!(
            projects::get_project,
            projects::update_project,
            project_lifecycle::delete_project
        ))
        .routes(routes!(remotes::import_project))
        .routes(routes!(remotes::test_remote))
        .routes(routes!(
            remotes::get_remote,
            remotes::connect_remote,
            remotes::update_remote,
            remotes::disconnect_remote
        ))
        .routes(routes!(remotes::fetch_remote, remotes::cancel_fetch))
        .routes(routes!(remotes::create_hook_secret))
        .routes(routes!(remote_hooks::receive_hook))
        .routes(routes!(credentials::list_credentials, credentials::create_credential))
        .routes(routes!(credentials::remove_credential))
        .routes(routes!(project_lifecycle::archive_project))
        .routes(routes!(project_lifecycle::unarchive_project))
        .routes(routes!(project_lifecycle::transfer_project))
        .routes(routes!(project_viewers::list_viewers, project_viewers::add_viewer))
        .routes(routes!(project_viewers::remove_viewer))
        .routes(routes!(notepad::get_notepad, notepad::update_notepad))
        .routes(routes!(
            project_settings::get_project_settings,
            project_settings::update_project_settings
        ))
        .routes(routes!(detected_gates::get_detected_gates))
        .routes(routes!(permissions::get_permissions))
        .routes(routes!(permissions::try_permission))
        .routes(routes!(questionnaires::get_questionnaire, questionnaires::update_questionnaire))
        .routes(routes!(suggested_answers::list_suggested_answers))
        .routes(routes!(interviews::get_interview, interviews::add_interview_message))
        .routes(routes!(specs::validate_spec))
        .routes(routes!(specs::get_project_spec, specs::submit_spec))
        .routes(routes!(spec_documents::list_spec_documents))
        .routes(routes!(spec_documents::read_spec_documents))
        .routes(routes!(spec_documents::read_issue))
        .routes(routes!(backlog::list_backlog, backlog::add_backlog_item))
        .routes(routes!(backlog::start_backlog))
        .routes(routes!(
            backlog::get_backlog_item,
            backlog::update_backlog_item,
            backlog::delete_backlog_item
        ))
        .routes(routes!(backlog::move_backlog_item))
        .routes(routes!(backlog::start_backlog_item, backlog::withdraw_backlog_start))
        .routes(routes!(backlog::list_all_backlogs))
        .routes(routes!(contracts::list_contracts, contracts::import_contracts))
        .routes(routes!(generations::generate_contracts))
        .routes(routes!(generations::regenerate_contract))
        .routes(routes!(generations::list_generations))
        .routes(routes!(generation_stream::get_generation))
        .routes(routes!(generations::cancel_generation))
        .routes(routes!(generations::resume_generation))
        .routes(routes!(contracts::list_contract_findings))
        .routes(routes!(contract_snapshots::list_contract_snapshots))
        .routes(routes!(contract_versions::export_contracts))
        .routes(routes!(contract_versions::list_contract_versions))
        .routes(routes!(contract_versions::get_contract_version))
        .routes(routes!(contract_versions::get_contract_diff))
        .routes(routes!(contracts::get_contract, contracts::update_contract))
        .routes(routes!(requirements::list_requirements))
        .routes(routes!(requirements::update_requirement, requirements::remove_requirement))
        .routes(routes!(project_errors::list_project_errors))
        .routes(routes!(builds::list_builds, builds::create_build))
        .routes(routes!(builds::get_project_build))
        .routes(routes!(comparison::compare_builds))
        .routes(routes!(comparison::get_comparison_diff))
        .routes(routes!(build_readiness::get_build_readiness))
        .routes(routes!(branches::list_project_branches))
        .routes(routes!(builds_overview::list_all_builds))
        .routes(routes!(inbox::get_inbox))
        .routes(routes!(inbox::mark_inbox))
        .routes(routes!(clarifications::list_all_clarifications))
        .routes(routes!(clarifications::list_answers))
        .routes(routes!(clarifications::resolve_project_clarification))
        .routes(routes!(builds::get_build))
        .routes(routes!(builds::get_build_cycle))
        .routes(routes!(events::list_events))
        .routes(routes!(build_questions::list_build_questions, build_questions::ask_build_question))
        .routes(routes!(build_questions::get_build_question))
        .routes(routes!(build_errors::list_build_errors))
        .routes(routes!(build_errors::dismiss_build_error))
        .routes(routes!(build_errors::reopen_build_error))
        .routes(routes!(open_items::get_open_items))
        .routes(routes!(open_items::confirm_criterion))
        .routes(routes!(open_items::clear_weakened_test))
        .routes(routes!(open_items::dismiss_finding))
        .routes(routes!(clarifications::list_clarifications))
        .routes(routes!(clarifications::resolve_clarification))
        .routes(routes!(commands::pause_build))
        .routes(routes!(commands::resume_build))
        .routes(routes!(commands::cancel_build))
        .routes(routes!(commands::interject_build))
        .routes(routes!(control::retry_build_phase))
        .routes(routes!(control::skip_build_phase))
        .routes(routes!(control::run_build_gates))
        .routes(routes!(gate_changes::get_gate_changes))
        .routes(routes!(control::fix_build_error))
        .routes(routes!(branch_files::get_build_tree))
        .routes(routes!(branch_files::get_build_file))
        .routes(routes!(viewed_files::list_build_viewed_files, viewed_files::view_build_file))
        .routes(routes!(suggestions::accept_suggestion))
        .routes(routes!(commits::list_commits))
        .routes(routes!(diff::get_build_diff))
        .routes(routes!(pictures::get_build_picture))
        .routes(routes!(demo_speed::get_demo_speed, demo_speed::update_demo_speed))
        .routes(routes!(usage::get_build_usage))
        .routes(routes!(agent_runs::list_build_runs))
        .routes(routes!(transcripts::get_transcript))
        .routes(routes!(transcripts::get_transcript_message))
        .routes(routes!(verify::verify_build))
        .routes(routes!(verify::export_build))
        .routes(routes!(report::get_build_report))
        .routes(routes!(
            branch_deliveries::get_build_delivery,
            branch_deliveries::request_build_delivery
        ))
        .routes(routes!(gate_log::get_gate_log))
        .routes(routes!(run_instructions::get_run_instructions))
        .routes(routes!(requirements::get_build_requirements))
        .routes(routes!(reviews::list_build_reviews))
        .routes(routes!(review_comments::answer_review_comment))
        .routes(routes!(follow_ups::start_follow_up))
        .routes(routes!(follow_ups::start_follow_up_of_comments))
        .routes(routes!(follow_ups::start_requested_follow_up))
        .routes(routes!(earlier_reviews::get_earlier_review))
        .routes(routes!(reviews::list_reviews))
        .routes(routes!(reviews::get_review))
        .routes(routes!(reviews::get_review_diff))
        .routes(routes!(requirements::get_review_requirements))
        .routes(routes!(branch_files::get_review_tree))
        .routes(routes!(branch_files::get_review_file))
        .routes(routes!(viewed_files::list_review_viewed_files, viewed_files::view_review_file))
        .routes(routes!(pictures::get_review_picture))
        .routes(routes!(reviews::verify_review))
        .routes(routes!(gate_reruns::list_reviewed_gate_reruns, gate_reruns::rerun_gates))
        .routes(routes!(gate_reruns::list_gate_reruns))
        .routes(routes!(review_decisions::decide_review))
        .routes(routes!(
            review_comments::list_review_comments,
            review_comments::create_review_comment
        ))
        .routes(routes!(review_comments::resolve_review_comment))
        .routes(routes!(
            installation_settings::get_installation_settings,
            installation_settings::update_installation_settings
        ))
        .routes(routes!(seal_key::get_seal_key))
        .routes(routes!(webhooks::list_webhooks, webhooks::add_webhook))
        .routes(routes!(webhooks::update_webhook, webhooks::remove_webhook))
        .routes(routes!(webhooks::list_webhook_deliveries))
        .routes(routes!(webhooks::send_webhook_delivery))
        .routes(routes!(webhooks::list_installation_webhooks, webhooks::add_installation_webhook))
        .routes(routes!(
            webhooks::update_installation_webhook,
            webhooks::remove_installation_webhook
        ))
        .routes(routes!(webhooks::list_installation_webhook_deliveries))
        .routes(routes!(webhooks::send_installation_webhook_delivery))
        .routes(routes!(
            email_settings::get_email_settings,
            email_settings::update_email_settings,
            email_settings::remove_email_settings
        ))
        .routes(routes!(email_settings::test_email_settings))
        .routes(routes!(
            email_settings::get_email_notifications,
            email_settings::update_email_notifications
        ))
        .routes(routes!(provider_keys::list_provider_keys))
        .routes(routes!(provider_keys::set_provider_key, provider_keys::remove_provider_key))
        .routes(routes!(provider_keys::test_provider_key))
        .routes(routes!(
            sign_in_providers::list_sign_in_providers,
            sign_in_providers::add_sign_in_provider
        ))
        .routes(routes!(
            sign_in_providers::update_sign_in_provider,
            sign_in_providers::remove_sign_in_provider
        ))
        .routes(routes!(sign_in_providers::test_sign_in_provider))
        .routes(routes!(audit_log::list_audit_log))
        .routes(routes!(audit_export::export_audit_log))
        .routes(routes!(audit_log::list_audited_projects))
        .routes(routes!(audit_log::verify_audit_log))
        .routes(routes!(mcp_context::get_mcp_context))
        .routes(routes!(mcp_context::get_mcp_contract))
        .routes(routes!(mcp_context::get_mcp_build_contracts))
        .routes(routes!(ws::open_socket))
        .routes(routes!(ops::get_health))
        .routes(routes!(ops::get_readiness))
}
