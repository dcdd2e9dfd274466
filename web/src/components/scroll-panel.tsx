import { Box } from "@mantine/core";
import type { ReactNode } from "react";

interface ScrollPanelProps {
  label: string;
  children: ReactNode;
}

/** A scrolling section with the height of its container. */
export function ScrollPanel({ label, children }: ScrollPanelProps) {
  return (
    <Box
      component="section"
      aria-label={label}
      tabIndex={0}
      className="scroll focus-inset"
      h="100%"
      px={{ base: "sm", sm: "lg" }}
      pt={{ base: "md", sm: 20 }}
      pb="xl"
    >
      {children}
    </Box>
  );
}
