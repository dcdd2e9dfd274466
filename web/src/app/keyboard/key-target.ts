// Decides whether a key press may be a shortcut.

/** Whether the element takes text input. */
export function isTyping(target: Element): boolean {
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button", "submit", "file"].includes(target.type);
  return (
    target.closest("textarea, select, [contenteditable]:not([contenteditable=false])") !== null
  );
}

/** Whether a dialog or menu is open over the page. */
export const isBehindDialog = (target: Element) =>
  target.closest("[role=menu], [role=listbox]") !== null ||
  document.querySelector("[role=dialog]") !== null;
