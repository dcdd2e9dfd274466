import { Anchor, Box, Group, Text, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { type ReactNode, useEffect } from "react";
import { Link, useNavigationType } from "react-router";

interface PageHeaderProps {
  /** The page above this one. */
  back?: { to: string; name: string };
  title: string;
  about: ReactNode;
  /** Actions. */
  children?: ReactNode;
}

export function PageHeader({ back, title, about, children }: PageHeaderProps) {
  const moved = useNavigationType() !== "POP";
  // Navigation from a scrolled page starts at the top of this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on arrival, and not with the first tab
  useEffect(() => {
    if (moved) window.scrollTo({ top: 0 });
  }, []);
  return (
    <Group component="header" gap="md" align="flex-end" justify="space-between" mb="lg">
      <Box flex="1 1 20rem" miw={0}>
        {back && <BackLink to={back.to}>{back.name}</BackLink>}
        <Title order={1}>{title}</Title>
        <Text c="dimmed" fz="sm" mt={4}>
          {about}
        </Text>
      </Box>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

/** A link to the page above. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={Link} to={to} fz="sm" display="block" w="fit-content" maw="100%" mb={6}>
      <Group component="span" gap={4} wrap="nowrap">
        <IconArrowLeft size={14} aria-hidden />
        <span dir="auto">{children}</span>
      </Group>
    </Anchor>
  );
}
