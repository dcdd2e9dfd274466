// Cached data and drafts belong to one user and are removed when another one signs in.
import type { QueryClient } from "@tanstack/react-query";
import type { User } from "./api";
import { setDraftOwner } from "./draft-store";
import { keys } from "./query-keys";

/** Follows the signed-in user while the page is open. */
export function clearOnUserChange(client: QueryClient) {
  let userId: string | null | undefined;
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== "updated" || !isSession(query.queryKey)) return;
    const user: User | null | undefined = query.state.data;
    if (user === undefined || (user?.id ?? null) === userId) return;
    const isFirst = userId === undefined;
    userId = user?.id ?? null;
    setDraftOwner(userId ?? "");
    // The session query is kept: the page observes it to redirect after signing out.
    if (!isFirst) client.removeQueries({ predicate: ({ queryKey }) => !isSession(queryKey) });
  });
}

const isSession = (key: readonly unknown[]) => key[0] === keys.session[0];
