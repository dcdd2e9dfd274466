import { Anchor, Box, Flex, Group, Text, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";
import { Link, useNavigationType } from "react-router";
import classes from "./page-header.module.css";

interface PageHeadProps {
  back: { to: string; name: string };
  title: string;
  about: ReactNode;
  children?: ReactNode;
}

/** The header of a page within a project, with a link back and actions. */
export function PageHeader({ back, title, about, children }: PageHeadProps) {
  const moved = useNavigationType() !== "POP";
  // Navigation from a scrolled page starts at the top of this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on arrival, and not with the first tab
  useEffect(() => {
    if (moved) window.scrollTo({ top: 0 });
  }, []);
  return (
    <Flex component="header" gap={16} wrap="wrap" align="flex-end" justify="space-between" mb={24}>
      <Box flex="1 1 20rem" miw={0}>
        <Anchor component={Link} to={back.to} fz="sm" className={classes.back}>
          <IconArrowLeft size={14} aria-hidden />
          <span dir="auto">{back.name}</span>
        </Anchor>
        <Title order={1}>{title}</Title>
        <Text c="dimmed" fz="sm" mt={4}>
          {about}
        </Text>
      </Box>
      <Group gap="xs">{children}</Group>
    </Flex>
  );
}
