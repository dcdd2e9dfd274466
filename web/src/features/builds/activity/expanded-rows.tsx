import { createContext, useContext, useEffect, useState } from "react";

/** Which rows are open. Kept outside the rows, which unmount while scrolling. */
export class ExpandedRows {
  readonly byKey = new Map<string, boolean>();
  /** Applies to all rows that are not in `byKey`; null means each row's default. */
  constructor(readonly all: boolean | null = null) {}
}

export const ExpandedRowsContext = createContext(new ExpandedRows());

export function useExpandedRow(key: string, isOpenByDefault: boolean): [boolean, () => void] {
  const rows = useContext(ExpandedRowsContext);
  const stored = rows.byKey.get(key) ?? rows.all ?? isOpenByDefault;
  const [opened, setOpened] = useState(stored);
  useEffect(() => setOpened(stored), [stored]);
  const toggle = () => {
    rows.byKey.set(key, !opened);
    setOpened(!opened);
  };
  return [opened, toggle];
}
