// Renews the session cookie; however many requests ask, one refresh is under way at a time.
let underWay: Promise<boolean> | null = null;
let signedOut: () => void = () => {};

/** Called when the session cannot be renewed any more. */
export function onSignedOut(listener: () => void) {
  signedOut = listener;
}

export function refreshSession(): Promise<boolean> {
  underWay ??= fetch("/api/session/refresh", { method: "POST" })
    .then((response) => {
      if (response.status === 401) signedOut();
      // A conflict means that another tab has just refreshed: its cookie serves here too.
      return response.ok || response.status === 409;
    })
    .catch(() => false)
    .finally(() => {
      underWay = null;
    });
  return underWay;
}
