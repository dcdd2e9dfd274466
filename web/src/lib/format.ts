// Formats numbers and times.
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const minute = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const plain = new Intl.NumberFormat("en");
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export const formatClock = (at: string) => clock.format(new Date(at));
export const formatMinute = (at: string) => minute.format(new Date(at));
export const formatDate = (at: string) => day.format(new Date(at));
export const formatCount = (n: number) => plain.format(n);
export const formatCompact = (n: number) => compact.format(n);

/** `42s`, `3m 05s`, `1h 12m` */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}

/** Durations of tool calls and gates: `8 ms`, `1.4s`, `2m 10s` */
export function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)}s` : formatDuration(ms);
}

export function formatUsd(micros: number): string {
  const usd = micros / 1_000_000;
  return usd > 0 && usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** Powers of 1000: `0 B`, `340 MB`, `1.2 GB` */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const amount = bytes / 1000 ** power;
  return `${amount < 10 && power > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`;
}

export function formatAgo(at: string, now = Date.now()): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ];
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return "just now";
}

/** `now`, `5m ago`, `3h ago`, `2d ago` */
export function formatAgoShort(at: string, now = Date.now()): string {
  const seconds = Math.round((now - new Date(at).getTime()) / 1000);
  if (seconds >= 86_400) return `${Math.trunc(seconds / 86_400)}d ago`;
  if (seconds >= 3_600) return `${Math.trunc(seconds / 3_600)}h ago`;
  return seconds >= 60 ? `${Math.trunc(seconds / 60)}m ago` : "now";
}

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const shortSha = (sha: string) => sha.slice(0, 8);

export const plural = (n: number, one: string, many = `${one}s`) =>
  `${formatCount(n)} ${n === 1 ? one : many}`;

/** `forge/build-12-import-t…s-of-the-mailbox`: the start and the end distinguish branches. */
export const shortBranch = (branch: string) =>
  branch.length <= 40 ? branch : `${branch.slice(0, 23)}…${branch.slice(-16)}`;
