// Failed requests, in words that a person can act on.
import type { components } from "@/generated/api";

export type Problem = components["schemas"]["Problem"];

export class ApiError extends Error {
  readonly status: number;
  readonly fields: Record<string, string>;

  constructor(problem: Partial<Problem>) {
    super(problem.detail || problem.title || "The server could not do this.");
    this.name = "ApiError";
    this.status = problem.status ?? 0;
    this.fields = (problem.fields as Record<string, string> | null | undefined) ?? {};
  }
}

/** The text to show for whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError)
    return "ForgeGuard does not answer. Check the connection and try again.";
  return error instanceof Error ? error.message : "Something went wrong.";
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
