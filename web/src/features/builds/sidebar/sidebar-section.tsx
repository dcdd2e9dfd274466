import type { ReactNode } from "react";
import { Disclosure } from "@/components/disclosure";
import classes from "../screen/build-screen.module.css";

export function SidebarSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <Disclosure heading openByDefault className={classes.sectionButton} summary={title}>
        <div className={classes.sectionBody}>{children}</div>
      </Disclosure>
    </section>
  );
}
