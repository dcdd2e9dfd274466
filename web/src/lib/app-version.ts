// Detects that the server has another version of the app than the one that is running.

/** The entry script of the running page; its name contains a hash of the app. */
export const runningScript = () =>
  document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.getAttribute("src") ??
  null;

/** False if the server does not respond. */
export async function isOutdated(): Promise<boolean> {
  const script = runningScript();
  if (script === null) return false;
  try {
    const response = await fetch("/", { cache: "no-store", headers: { accept: "text/html" } });
    const page = await response.text();
    // A proxy may respond with its own page.
    return response.ok && page.includes(' type="module" ') && !page.includes(script);
  } catch {
    return false;
  }
}
