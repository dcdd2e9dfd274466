import { createContext, useContext, useState } from "react";

/** Which rows the reader opened or closed; outlives the rows, which come and go while scrolling. */
export const OpenRows = createContext<Map<string, boolean>>(new Map());

export function useOpenRows(key: string, startsOpen: boolean): [boolean, () => void] {
  const rows = useContext(OpenRows);
  const [opened, setOpened] = useState(rows.get(key) ?? startsOpen);
  const toggle = () => {
    rows.set(key, !opened);
    setOpened(!opened);
  };
  return [opened, toggle];
}
