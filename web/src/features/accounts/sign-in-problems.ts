// Why a sign-in with a provider failed, as the server writes it into the address.

interface SignInProblem {
  title: string;
  text: string;
}

const PROBLEMS: Record<string, (provider: string) => SignInProblem> = {
  denied: (provider) => ({
    title: "Sign-in cancelled",
    text: `${provider} did not allow the sign-in. Try again, or sign in another way.`,
  }),
  expired: () => ({
    title: "This sign-in has expired",
    text: "It took longer than ten minutes, or was finished before. Start it again.",
  }),
  "other-browser": () => ({
    title: "This sign-in was started in another browser",
    text: "Start it again here, and check that cookies are allowed.",
  }),
  failed: (provider) => ({
    title: "The sign-in failed",
    text: `The reply of ${provider} is not valid, or it cannot be reached. Try again. If it happens again, ask an administrator: the audit log has the reason.`,
  }),
  "unverified-email": (provider) => ({
    title: "Your email address is not verified",
    text: `Verify your primary address at ${provider}, then sign in again.`,
  }),
  "not-invited": (provider) => ({
    title: "There is no account for you yet",
    text: `Ask an administrator for an invitation and open its link, or sign in with your password and link ${provider} in your account settings.`,
  }),
  deactivated: () => ({
    title: "Your account is deactivated",
    text: "Ask an administrator to reactivate it.",
  }),
  "link-required": (provider) => ({
    title: "An account with your email address exists",
    text: `Sign in with your password, then link ${provider} in your account settings.`,
  }),
  "already-linked": (provider) => ({
    title: "This sign-in belongs to another account",
    text: `Your account at ${provider} is linked to another account here. Unlink it there first.`,
  }),
  "invitation-expired": () => ({
    title: "This invitation was already used or has expired",
    text: "Ask an administrator for a new one.",
  }),
  "session-ended": () => ({
    title: "Your session has ended",
    text: "Sign in again, then link the provider.",
  }),
};

/** Null if the address names none. */
export function signInProblem(code: string | null, provider?: string): SignInProblem | null {
  if (!code) return null;
  const describe = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : PROBLEMS.failed;
  return describe?.(provider ?? "the provider") ?? null;
}
