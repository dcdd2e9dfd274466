// Labels of the kinds of notifications, for webhooks and email.
import type { Schemas } from "@/lib/api";

export type NotificationKind = Schemas["NotificationKind"];

export const NOTIFICATION_KINDS: Record<NotificationKind, string> = {
  question: "Questions",
  plan: "Plans to approve",
  blocked: "Blocked builds",
  review: "Reviews",
};
