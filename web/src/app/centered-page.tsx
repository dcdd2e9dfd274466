import { Box, Card, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Logo } from "@/components/logo";
import classes from "./app-layout.module.css";

interface CentredPageProps {
  title: string;
  text: string;
  children: ReactNode;
}

export function CenteredPage({ title, text, children }: CentredPageProps) {
  return (
    <main className={classes.centred}>
      <Box w="min(100%, 24rem)">
        <Stack align="center" gap={6} mb="lg" ta="center">
          <Logo size={44} />
          <Title order={1} mt={6}>
            {title}
          </Title>
          <Text c="dimmed" fz="sm" maw="22rem">
            {text}
          </Text>
        </Stack>
        <Card bg="var(--surface)">{children}</Card>
      </Box>
    </main>
  );
}
