import { Box, Card, Center, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Logo } from "@/components/logo";

interface CentredPageProps {
  title: string;
  text: string;
  children: ReactNode;
}

export function CenteredPage({ title, text, children }: CentredPageProps) {
  return (
    <Center component="main" mih="100dvh" pt="lg" px="md" pb="12vh">
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
        <Card>{children}</Card>
      </Box>
    </Center>
  );
}
