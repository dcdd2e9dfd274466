// Keys for requests that must take effect only once.

/** `randomUUID` is unavailable on pages without TLS. */
export const newIdempotencyKey = (): string => crypto.randomUUID?.() ?? String(Math.random());
