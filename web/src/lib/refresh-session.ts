// Renews the session cookie, with at most one request at a time.
let pendingRefresh: Promise<boolean> | null = null;
let signedOut: () => void = () => {};

/** Called when the session cannot be renewed. */
export function onSignedOut(listener: () => void) {
  signedOut = listener;
}

export function refreshSession(): Promise<boolean> {
  pendingRefresh ??= fetch("/api/session/refresh", { method: "POST" })
    .then((response) => {
      if (response.status === 401) signedOut();
      // A conflict means that another tab has just refreshed; its cookie is shared.
      return response.ok || response.status === 409;
    })
    .catch(() => false)
    .finally(() => {
      pendingRefresh = null;
    });
  return pendingRefresh;
}
