import { Box } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./columns.module.css";

interface ColumnsProps {
  /** The widths, as in `grid-template-columns`. */
  widths: string;
  gap?: "md" | "lg";
  children: ReactNode;
}

/** Columns that are stacked on narrow screens. */
export function Columns({ widths, gap = "lg", children }: ColumnsProps) {
  return (
    <Box
      className={classes.columns}
      __vars={{ "--columns": widths, "--columns-gap": `var(--mantine-spacing-${gap})` }}
    >
      {children}
    </Box>
  );
}
