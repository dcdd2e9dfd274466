import { Box, type BoxProps } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

export type Fact = [label: string, value: ReactNode];

interface FactsProps extends Pick<BoxProps, "mt"> {
  /** Null is left out. */
  facts: (Fact | null)[];
  size?: "sm" | "lg";
}

/** Labels with their values below them. */
export function Facts({ facts, size = "sm", mt }: FactsProps) {
  const shown = facts.filter((fact) => fact !== null);
  if (shown.length === 0) return null;
  return (
    <Box component="dl" mt={mt} className={classes.facts} data-size={size}>
      {shown.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </Box>
  );
}
