import { Collapse, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import classes from "./build-ide.module.css";

export function SideSection({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  const [opened, { toggle }] = useDisclosure(true);
  return (
    <section className={classes.section}>
      <h3 className={classes.sectionTitle}>
        <UnstyledButton
          className={classes.sectionButton}
          aria-expanded={opened}
          aria-controls={id}
          onClick={toggle}
        >
          {title}
          <IconChevronDown size={16} data-opened={opened || undefined} aria-hidden />
        </UnstyledButton>
      </h3>
      <Collapse expanded={opened} id={id}>
        <div className={classes.sectionBody}>{children}</div>
      </Collapse>
    </section>
  );
}
