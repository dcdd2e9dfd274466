import { lazy, Suspense, useLayoutEffect, useRef, useState } from "react";
import { type ActionName, currentActions, useActions, wordsOf } from "@/lib/actions";
import { KeyReader } from "@/lib/key-reader";
import { isBehindDialog, isTyping } from "./heard-by";
import { singleKeysWork } from "./single-keys";
import { useEverywhere } from "./use-everywhere";

const Palette = lazy(() => import("../palette/palette"));
const KeyMap = lazy(() => import("./key-map"));

/** Hears every key of the app, and shows the palette and the map of the keys. */
export function Keyboard() {
  const [shown, setShown] = useState<"palette" | "keys" | null>(null);
  const before = useRef<Element | null>(null);
  const show = (what: "palette" | "keys") => {
    if (shown === null) before.current = document.activeElement;
    setShown(what);
  };

  /** Goes back to where the focus was, unless what was chosen took it. */
  function close() {
    setShown(null);
    requestAnimationFrame(() => {
      const { activeElement: now, body } = document;
      if ((now === null || now === body) && before.current instanceof HTMLElement)
        before.current.focus({ preventScroll: true });
    });
  }

  useEverywhere();
  useActions([
    { name: "find", run: () => show("palette") },
    { name: "keys", run: () => show("keys") },
  ]);
  useKeys(shown !== null, close);

  return (
    <Suspense fallback={null}>
      {shown === "palette" && <Palette onClose={close} />}
      {shown === "keys" && <KeyMap onClose={close} />}
    </Suspense>
  );
}

/** One listener for all keys. It is there before those of dialogs, so that Escape closes one thing only. */
function useKeys(showing: boolean, close: () => void) {
  const latest = useRef({ showing, close });
  latest.current = { showing, close };
  useLayoutEffect(() => {
    const reader = new KeyReader();
    function onKeyDown(event: KeyboardEvent) {
      if (event.isComposing || event.defaultPrevented) return;
      const { showing, close } = latest.current;
      if (showing) {
        const again = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
        if (event.key !== "Escape" && !again) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        close();
        return;
      }
      const target = event.target instanceof Element ? event.target : document.body;
      if (isBehindDialog(target)) return;
      const name = meantBy(reader, event, target);
      if (name === null) return;
      event.preventDefault();
      currentActions()
        .find((action) => action.name === name)
        ?.run();
    }
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => window.removeEventListener("keydown", onKeyDown, { capture: true });
  }, []);
}

function meantBy(reader: KeyReader, event: KeyboardEvent, target: Element): ActionName | null {
  const single = !isTyping(target) && singleKeysWork();
  const bound = currentActions().flatMap(({ name }) => {
    const { keys } = wordsOf(name);
    return keys && (single || keys.startsWith("mod+")) ? [{ name, keys }] : [];
  });
  const read = reader.read(
    event,
    bound.map(({ keys }) => keys),
  );
  return bound.findLast(({ keys }) => keys === read)?.name ?? null;
}
