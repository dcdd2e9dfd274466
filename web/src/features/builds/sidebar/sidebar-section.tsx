import { Box } from "@mantine/core";
import type { ReactNode } from "react";
import { Disclosure } from "@/components/disclosure";
import classes from "./sidebar-section.module.css";

export function SidebarSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <Disclosure heading openByDefault className={classes.button} summary={title}>
        <Box px={{ base: "sm", sm: "md" }} pb="md">
          {children}
        </Box>
      </Disclosure>
    </section>
  );
}
