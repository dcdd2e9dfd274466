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

/** The message to display for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError)
    return "ForgeGuard is not responding. Check your connection and try again.";
  return error instanceof Error ? error.message : "Something went wrong.";
}

/** Whether the request has to be repeated with `confirm`. */
export function needsConfirmation(error: unknown): error is ApiError {
  return error instanceof ApiError && error.type === "urn:forgeguard:problem:confirmation_required";
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
