// Requests that are sent before the code of the app has arrived, so that code and data are loaded at the same time.

const answers = new Map<string, Promise<Response>>();

/** Sends a GET request whose answer is kept until the app asks for it. */
export function requestEarly(path: string): Promise<Response> {
  const answer = fetch(path, { headers: { accept: "application/json" } });
  // A failure is handled where the answer is used.
  answer.catch(() => {});
  answers.set(path, answer);
  return answer;
}

/** The answer to a request that has already been sent; `slugOf` returns the slug of a project's id. */
export function takeEarly(
  request: Request,
  slugOf: (project: string) => string,
): Promise<Response> | undefined {
  if (answers.size === 0) return undefined;
  if (request.method !== "GET") {
    // After a change, the answers may be outdated.
    answers.clear();
    return undefined;
  }
  const { pathname, search } = new URL(request.url);
  const named = pathname.replace(/(?<=^\/api\/projects\/)[^/]+/, slugOf);
  for (const path of [pathname + search, named + search]) {
    const answer = answers.get(path);
    answers.delete(path);
    if (answer) return answer;
  }
  return undefined;
}
