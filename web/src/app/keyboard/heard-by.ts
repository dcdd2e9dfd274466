// Who a key belongs to before it is a shortcut.

/** Whether somebody writes there, so that a letter is a letter. */
export function isTyping(target: Element): boolean {
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button", "submit", "file"].includes(target.type);
  return (
    target.closest("textarea, select, [contenteditable]:not([contenteditable=false])") !== null
  );
}

/** Whether a dialog or a menu is open over the screen. The build is a dialog that is a screen itself. */
export const isBehindDialog = (target: Element) =>
  target.closest("[role=menu], [role=listbox]") !== null ||
  document.querySelector("[role=dialog]:not([data-screen])") !== null;
