// Errors of API requests and their messages.
import type { components } from "@/generated/api";

export type Problem = components["schemas"]["Problem"];

export class ApiError extends Error {
  readonly status: number;
  /** Machine-readable error type; empty if the response has none. */
  readonly type: string;
  readonly fields: Record<string, string>;

  constructor(problem: Partial<Problem>) {
    super(problem.detail || problem.title || "The request failed.");
    this.name = "ApiError";
    this.status = problem.status ?? 0;
    this.type = problem.type ?? "";
    this.fields = problem.fields ?? {};
  }
}

/** The request got no response. */
export class ConnectionError extends Error {
  constructor(cause: unknown) {
    super("ForgeGuard is not responding. Check your connection and try again.", { cause });
    this.name = "ConnectionError";
  }
}

/** No response, or a proxy without a server behind it. */
export const isUnavailable = (error: unknown) =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && [502, 503, 504].includes(error.status));

/** Whether a part of the app's own code could not be loaded. Browsers word it differently. */
export const isChunkError = (error: unknown) =>
  error instanceof Error &&
  /dynamically imported module|importing a module script|Unable to preload/i.test(error.message);

/** The message to display for any thrown value. */
export function messageOf(error: unknown): string {
  if (isChunkError(error)) return "A part of the page could not be loaded.";
  return error instanceof Error && error.message !== "" ? error.message : "Something went wrong.";
}

/** Whether the request has to be repeated with `confirm`. */
export function needsConfirmation(error: unknown): error is ApiError {
  return error instanceof ApiError && error.type === "urn:forgeguard:problem:confirmation_required";
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
