// Keys of requests that shall do something once, however often they are sent.

/** Browsers make no UUIDs for pages that came without TLS. */
export const newKey = (): string => crypto.randomUUID?.() ?? String(Math.random());
