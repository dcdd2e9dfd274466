// Which forms have changes that are not saved.
import { useEffect, useLayoutEffect, useRef } from "react";

interface UnsavedForm {
  isDirty: () => boolean;
  /** Forgets the changes that are kept in the browser, if any. */
  discard: () => void;
}

const forms = new Set<{ current: UnsavedForm }>();

/** Guards the changes of a form against loss while the caller is mounted. */
export function useUnsavedChanges(isDirty: () => boolean, discard: () => void = () => {}) {
  const form = useRef({ isDirty, discard });
  useLayoutEffect(() => {
    form.current = { isDirty, discard };
  });
  useEffect(() => {
    forms.add(form);
    return () => void forms.delete(form);
  }, []);
}

export const hasUnsavedChanges = () => [...forms].some(({ current }) => current.isDirty());

export function discardUnsavedChanges() {
  for (const { current } of forms) if (current.isDirty()) current.discard();
}
