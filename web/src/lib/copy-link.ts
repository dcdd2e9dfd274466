import { notifyDone } from "./notify";

/** Copies an address of this app; where the browser does not let it, says where to take it from. */
export async function copyLink(path: string) {
  try {
    await navigator.clipboard.writeText(location.origin + path);
    notifyDone("Link copied");
  } catch {
    notifyDone("The address bar has the link now");
  }
}
