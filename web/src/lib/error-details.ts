// The text that describes a failure of the app in a report.
import { runningScript } from "./app-version";

export function errorDetails(error: unknown, componentStack: string): string {
  const trace = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  return [
    trace,
    componentStack && `Components:${componentStack}`,
    `Page: ${location.pathname}`,
    `App: ${runningScript() ?? "unknown"}`,
    `Browser: ${navigator.userAgent}`,
  ]
    .filter(Boolean)
    .join("\n\n");
}
