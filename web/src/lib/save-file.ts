/** Downloads `content` as a file. */
export function saveFile(content: Blob, name: string) {
  const url = URL.createObjectURL(content);
  saveFrom(url, name);
  URL.revokeObjectURL(url);
}

/** Downloads the resource at `url`. */
export function saveFrom(url: string, name: string) {
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
}
