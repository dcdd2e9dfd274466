/** Hands a file to the browser to keep. */
export function saveFile(content: Blob, name: string) {
  const url = URL.createObjectURL(content);
  saveFrom(url, name);
  URL.revokeObjectURL(url);
}

/** Lets the browser fetch what is at `url`, and keep it. */
export function saveFrom(url: string, name: string) {
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
}
