// Errors of API requests and their messages.
import type { components } from "@/generated/api";

export type Problem = components["schemas"]["Problem"];

export class ApiError extends Error {
  readonly status: number;
  readonly fields: Record<string, string>;

  constructor(problem: Partial<Problem>) {
    super(problem.detail || problem.title || "The request failed.");
    this.name = "ApiError";
    this.status = problem.status ?? 0;
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

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
