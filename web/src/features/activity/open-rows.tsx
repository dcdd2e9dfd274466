import { createContext, useContext, useEffect, useState } from "react";

/** Which rows the reader opened or closed; outlives the rows, which come and go while scrolling. */
export class OpenedRows {
  readonly own = new Map<string, boolean>();
  /** What holds for all others; null where each has its way. */
  constructor(readonly all: boolean | null = null) {}
}

export const OpenRows = createContext(new OpenedRows());

export function useOpenRows(key: string, startsOpen: boolean): [boolean, () => void] {
  const rows = useContext(OpenRows);
  const standing = rows.own.get(key) ?? rows.all ?? startsOpen;
  const [opened, setOpened] = useState(standing);
  useEffect(() => setOpened(rows.own.get(key) ?? rows.all ?? startsOpen), [rows, key, startsOpen]);
  const toggle = () => {
    rows.own.set(key, !opened);
    setOpened(!opened);
  };
  return [opened, toggle];
}
