// What the delivery of a build offers and says.
import type { BuildDelivery, PullRequest } from "@/lib/api";
import type { Tone } from "@/lib/tone";

export interface DeliveryView {
  /** A short description of the state; null before the first request. */
  label: string | null;
  tone: Tone;
  /** Whether a step is in progress. */
  busy: boolean;
  /** What a click on the button would do; null if there is nothing to do. */
  action: string | null;
}

const PULL_REQUEST: Record<PullRequest["state"], { label: string; tone: Tone }> = {
  open: { label: "Open", tone: "info" },
  merged: { label: "Merged", tone: "good" },
  closed: { label: "Closed without merging", tone: "neutral" },
};

export function viewOf({ delivery, when }: BuildDelivery): DeliveryView {
  const request = when === "never" ? null : "Open pull request";
  if (!delivery) return { label: null, tone: "neutral", busy: false, action: request };
  const busy = (label: string): DeliveryView => ({ label, tone: "info", busy: true, action: null });
  const ended = (label: string): DeliveryView => ({
    label,
    tone: "bad",
    busy: false,
    action: when === "never" ? null : "Retry",
  });
  switch (delivery.state) {
    case "waiting":
      if (!delivery.failure) return busy("Waiting to start");
      return {
        label: "Waiting for the next attempt",
        tone: "waiting",
        busy: false,
        action: "Retry now",
      };
    case "pushing":
      return busy("Pushing the branch");
    case "opening":
      return busy("Opening the pull request");
    case "no_pr":
      return ended("Branch pushed, no pull request");
    case "failed":
      return ended("Not delivered");
    case "no_remote":
      return ended("The project has no remote repository");
    case "delivered": {
      const pull = delivery.pull_request;
      if (!pull) return ended("Branch pushed, no pull request");
      const { label, tone } = PULL_REQUEST[pull.state];
      const draft = pull.draft && pull.state === "open" ? "Draft" : label;
      return { label: draft, tone, busy: false, action: null };
    }
  }
}

/** Such as "2 passed, 1 failed"; null if there are no checks. */
export function checksText({ passed, failed, pending }: PullRequest["checks"]): string | null {
  const parts = [
    passed > 0 && `${passed} passed`,
    failed > 0 && `${failed} failed`,
    pending > 0 && `${pending} in progress`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : null;
}

/** The host and path of a remote, without the scheme and a user name. */
export function remoteName(url: string): string {
  return url
    .replace(/^[a-z+]+:\/\//, "")
    .replace(/^[^@/]*@/, "")
    .replace(/\.git$/, "");
}
