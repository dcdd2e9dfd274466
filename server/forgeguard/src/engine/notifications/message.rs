//! The texts of a notification: the body of a webhook's request, and an email.

use chrono::SecondsFormat;
use serde_json::json;

use crate::{store::notifications::Notification, text};

/// Bytes of a question or reason in a message.
const MAX_TEXT_BYTES: usize = 600;

/// One line, such as "Shelf #3 Due dates has a question".
pub fn title(of: &Notification) -> String {
    of.kind.headline(&of.project_name, &build_name(of), of.decision)
}

/// JSON with a `text` that Slack and compatible services show, and the same as fields.
pub fn webhook_body(of: &Notification, base_url: &str) -> String {
    let link = link(of, base_url);
    let mut text = escape(&title(of));
    if let Some(detail) = detail(of) {
        text = format!("{text}\n> {}", escape(&detail).replace('\n', "\n> "));
    }
    let body = json!({
        "text": format!("{text}\n{link}"),
        "type": of.kind,
        "kind": of.kind,
        "timestamp": of.created_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        "project": { "id": of.project_id, "name": of.project_name },
        "build": { "id": of.build_id, "number": of.build_number, "title": of.build_title },
        "verdict": of.verdict,
        "backlog_item": of.item_number.map(|number| {
            json!({ "number": number, "external_id": of.item_external_id })
        }),
        "decision": of.decision,
        "detail": detail(of),
        "link": link,
    });
    body.to_string()
}

/// Plain text.
pub fn email_text(of: &Notification, base_url: &str) -> String {
    let detail = detail(of).map(|detail| format!("{detail}\n\n")).unwrap_or_default();
    format!(
        "{}.\n\n{detail}{}\n\n-- \nForgeGuard sends this because you chose to receive it by email. \
         To change that, open {base_url}/account\n",
        title(of),
        link(of, base_url)
    )
}

/// The page on which it is handled.
fn link(of: &Notification, base_url: &str) -> String {
    use domain::notification::NotificationKind::Review;
    match (of.kind, of.decision) {
        (Review, None) => format!("{base_url}/reviews/{}", of.build_id),
        _ => format!("{base_url}/projects/{}/builds/{}", of.project_slug, of.build_number),
    }
}

fn build_name(of: &Notification) -> String {
    match &of.build_title {
        Some(title) => format!("#{} {title}", of.build_number),
        None => format!("#{}", of.build_number),
    }
}

fn detail(of: &Notification) -> Option<String> {
    let detail = of.text.as_deref()?.trim();
    (!detail.is_empty()).then(|| text::head(detail, MAX_TEXT_BYTES).to_owned())
}

/// The three characters that Slack gives a meaning to.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{notification::NotificationKind, review::ReviewDecision, verdict::Verdict};
    use serde_json::Value;

    use super::*;
    use crate::store;

    fn notification(
        kind: NotificationKind,
        text: &str,
        decision: Option<ReviewDecision>,
    ) -> Notification {
        Notification {
            id: store::new_id(),
            kind,
            text: Some(text.to_owned()),
            decision,
            actor_id: None,
            created_at: DateTime::UNIX_EPOCH,
            build_id: store::new_id(),
            build_number: 3,
            build_title: Some("Due dates".to_owned()),
            started_by: store::new_id(),
            verdict: None,
            item_number: None,
            item_external_id: None,
            project_id: store::new_id(),
            project_name: "Shelf & Co".to_owned(),
            project_slug: "shelf".to_owned(),
            project_deleted_at: None,
            owner_id: store::new_id(),
        }
    }

    #[test]
    fn body_has_a_text_for_slack_and_the_same_as_fields() {
        let of = notification(NotificationKind::Question, "How <long>?\nReally?", None);
        let body: Value = serde_json::from_str(&webhook_body(&of, "https://forge")).unwrap();
        let link = "https://forge/projects/shelf/builds/3";
        let text = format!(
            "Shelf &amp; Co #3 Due dates has a question\n> How &lt;long&gt;?\n> Really?\n{link}"
        );
        assert_eq!((&body["text"], &body["link"]), (&json!(text), &json!(link)));
        assert_eq!((&body["kind"], &body["decision"]), (&json!("question"), &json!(null)));
        assert_eq!(body["build"]["title"], "Due dates");
        assert_eq!(body["timestamp"], "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn verdict_of_an_item_is_reported_with_the_id_of_the_other_program() {
        let mut sealed = notification(NotificationKind::Review, "", None);
        sealed.verdict = Some(Verdict::Certified);
        (sealed.item_number, sealed.item_external_id) = (Some(7), Some("TRACK-7".to_owned()));
        let body = webhook_body(&sealed, "https://forge");
        let body: Value = serde_json::from_str(&body).expect("it is JSON");
        assert_eq!(body["verdict"], "CERTIFIED");
        assert_eq!(body["backlog_item"], json!({ "number": 7, "external_id": "TRACK-7" }));
    }

    #[test]
    fn build_that_waits_for_a_review_is_linked_to_its_review() {
        let waiting = notification(NotificationKind::Review, "", None);
        let email = email_text(&waiting, "https://forge");
        assert!(email.contains(&format!("https://forge/reviews/{}", waiting.build_id)), "{email}");
        let decision = Some(ReviewDecision::Approved);
        let decided = notification(NotificationKind::Review, "Fine", decision);
        let email = email_text(&decided, "https://forge");
        assert!(email.starts_with("Shelf & Co #3 Due dates was approved.\n\nFine\n\n"), "{email}");
        assert!(email.contains("https://forge/projects/shelf/builds/3"), "{email}");
    }
}
