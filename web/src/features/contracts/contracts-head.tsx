import { Anchor, Group, Text, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import classes from "./contracts.module.css";

interface ContractsHeadProps {
  back: { to: string; name: string };
  title: string;
  about: string;
  children?: ReactNode;
}

/** The head of a page about contracts, with the way back and what can be done. */
export function ContractsHead({ back, title, about, children }: ContractsHeadProps) {
  return (
    <header className={classes.head}>
      <div className={classes.title}>
        <Anchor component={Link} to={back.to} fz="sm" className={classes.back}>
          <IconArrowLeft size={14} aria-hidden />
          <span dir="auto">{back.name}</span>
        </Anchor>
        <Title order={1}>{title}</Title>
        <Text c="dimmed" fz="sm" mt={4}>
          {about}
        </Text>
      </div>
      <Group gap="xs">{children}</Group>
    </header>
  );
}
