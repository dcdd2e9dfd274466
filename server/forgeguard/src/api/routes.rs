//! The route table: one line per endpoint of the API document.

use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    app::Shared, audit_log, build_errors, build_readiness, builds, clarifications, commands,
    commits, contract_snapshots, contract_versions, contracts, detected_gates, diff,
    earlier_reviews, events, follow_ups, forge_keys, gate_log, generation_stream, generations,
    installation_settings, interviews, invitations, notepad, open_items, ops, permissions,
    pictures, project_errors, project_settings, project_viewers, projects, questionnaires, report,
    requirements, review_comments, review_decisions, reviews, session, sessions, setup, usage,
    users, verify, ws,
};

pub fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(setup::get_setup, setup::create_first_account))
        .routes(routes!(session::get_session, session::create_session, session::delete_session))
        .routes(routes!(session::refresh_session))
        .routes(routes!(users::list_users, users::create_user))
        .routes(routes!(users::update_user))
        .routes(routes!(users::invite_user))
        .routes(routes!(invitations::accept_invitation))
        .routes(routes!(sessions::list_sessions, sessions::end_other_sessions))
        .routes(routes!(sessions::end_session))
        .routes(routes!(users::change_password))
        .routes(routes!(forge_keys::list_forge_keys, forge_keys::create_forge_key))
        .routes(routes!(forge_keys::revoke_forge_key))
        .routes(routes!(projects::list_projects, projects::create_project))
        .routes(routes!(projects::get_project, projects::update_project, projects::delete_project))
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
        .routes(routes!(interviews::get_interview, interviews::add_interview_message))
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
        .routes(routes!(build_readiness::get_build_readiness))
        .routes(routes!(clarifications::list_all_clarifications))
        .routes(routes!(clarifications::list_answers))
        .routes(routes!(clarifications::resolve_project_clarification))
        .routes(routes!(builds::get_build))
        .routes(routes!(builds::get_build_cycle))
        .routes(routes!(events::list_events))
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
        .routes(routes!(commits::list_commits))
        .routes(routes!(diff::get_build_diff))
        .routes(routes!(pictures::get_build_picture))
        .routes(routes!(usage::get_build_usage))
        .routes(routes!(verify::verify_build))
        .routes(routes!(verify::export_build))
        .routes(routes!(report::get_build_report))
        .routes(routes!(gate_log::get_gate_log))
        .routes(routes!(requirements::get_build_requirements))
        .routes(routes!(reviews::list_build_reviews))
        .routes(routes!(review_comments::answer_review_comment))
        .routes(routes!(follow_ups::start_follow_up))
        .routes(routes!(follow_ups::start_requested_follow_up))
        .routes(routes!(earlier_reviews::get_earlier_review))
        .routes(routes!(reviews::list_reviews))
        .routes(routes!(reviews::get_review))
        .routes(routes!(reviews::get_review_diff))
        .routes(routes!(pictures::get_review_picture))
        .routes(routes!(reviews::verify_review))
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
        .routes(routes!(audit_log::list_audit_log))
        .routes(routes!(audit_log::verify_audit_log))
        .routes(routes!(ws::open_socket))
        .routes(routes!(ops::get_health))
        .routes(routes!(ops::get_readiness))
}
