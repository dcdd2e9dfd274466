// Fetches all pages of a list.

/** The server's maximum. */
const MAX_PAGE_SIZE = 200;

interface ListPage<T> {
  items: T[];
  next: string | null;
}

/** The items of all pages, in order. */
export async function fetchAllPages<T>(
  fetchPage: (page: { limit: number; after?: string }) => Promise<ListPage<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const page = await fetchPage({ limit: MAX_PAGE_SIZE, ...(after && { after }) });
    items.push(...page.items);
    after = page.next ?? undefined;
  } while (after);
  return items;
}
