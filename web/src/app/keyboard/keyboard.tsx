import { lazy, Suspense, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { type ActionName, actionLabels, currentActions, useActions } from "@/domain/actions";
import { KeySequenceReader, strokeOf } from "@/lib/key-sequence";
import { isBehindDialog, isTyping } from "./key-target";
import { singleKeysEnabled } from "./single-keys";
import { useGlobalActions } from "./use-global-actions";

const Palette = lazy(() => import("../palette/palette"));
const ShortcutsDialog = lazy(() => import("./shortcuts-dialog"));

/** Handles keyboard shortcuts, and renders the command palette and the list of shortcuts. */
export function Keyboard() {
  const [shown, setShown] = useState<"palette" | "shortcuts" | null>(null);
  const before = useRef<Element | null>(null);
  const show = (what: "palette" | "shortcuts") => {
    if (shown === null) before.current = document.activeElement;
    setShown(what);
  };

  /** Restores the focus, unless the chosen action moved it. */
  function close() {
    setShown(null);
    requestAnimationFrame(() => {
      const { activeElement: now, body } = document;
      if ((now === null || now === body) && before.current instanceof HTMLElement)
        before.current.focus({ preventScroll: true });
    });
  }

  useGlobalActions();
  useActions([
    { name: "find", run: () => show("palette") },
    { name: "keys", run: () => show("shortcuts") },
  ]);
  useKeys(shown !== null, close);

  return (
    <Suspense fallback={null}>
      {shown === "palette" && <Palette onClose={close} />}
      {shown === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}

/** One listener for all keys, added before those of dialogs, so that Escape closes only one thing. */
function useKeys(isOpen: boolean, close: () => void) {
  const [reader] = useState(() => new KeySequenceReader());
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (isOpen) {
      if (event.key !== "Escape" && strokeOf(event) !== "mod+k") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      close();
      return;
    }
    const target = event.target instanceof Element ? event.target : document.body;
    if (isBehindDialog(target)) return;
    const name = actionOf(reader, event, target);
    if (name === null) return;
    event.preventDefault();
    currentActions()
      .find((action) => action.name === name)
      ?.run();
  });
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener("keydown", listener, { capture: true });
    return () => window.removeEventListener("keydown", listener, { capture: true });
  }, []);
}

function actionOf(
  reader: KeySequenceReader,
  event: KeyboardEvent,
  target: Element,
): ActionName | null {
  const single = !isTyping(target) && singleKeysEnabled();
  const bound = currentActions().flatMap(({ name }) => {
    const { keys } = actionLabels(name);
    return keys && (single || keys.startsWith("mod+")) ? [{ name, keys }] : [];
  });
  const read = reader.read(
    event,
    bound.map(({ keys }) => keys),
  );
  const matching = bound.filter(({ keys }) => keys === read);
  // If two panes have an action with the same key, that of the focused pane is meant.
  const screen = target.closest<HTMLElement>("[data-screen]")?.dataset.screen;
  const focused = matching.findLast(({ name }) => actionLabels(name).screen === screen);
  return (focused ?? matching.at(-1))?.name ?? null;
}
