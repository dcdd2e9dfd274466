import { Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  order?: 1 | 2 | 3;
}

export function EmptyState({ icon, title, children, action, order = 2 }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" maw="30rem" mx="auto" ta="center">
      <ThemeIcon size={44} radius="xl" variant="default" c="dimmed" aria-hidden>
        {icon}
      </ThemeIcon>
      <Title order={order} fz="md" mt={4}>
        {title}
      </Title>
      {children && (
        <Text c="dimmed" fz="sm">
          {children}
        </Text>
      )}
      {action && <div style={{ marginTop: "0.5rem" }}>{action}</div>}
    </Stack>
  );
}
