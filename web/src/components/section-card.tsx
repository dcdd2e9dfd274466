import { Card, Group, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface SectionCardProps {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

/** A titled section of a page, with the role `region`. */
export function SectionCard({ title, description, action, children }: SectionCardProps) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <div style={{ minWidth: 0, flex: "1 1 12rem" }}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {description && (
            <Text c="dimmed" fz="sm" mt={2}>
              {description}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Card>
  );
}
