import { notifyDone } from "./notify";

/** Copies a link to this app, or points to the address bar if the browser denies access to the clipboard. */
export async function copyLink(path: string) {
  try {
    await navigator.clipboard.writeText(location.origin + path);
    notifyDone("Link copied");
  } catch {
    notifyDone("The link is in the address bar");
  }
}
