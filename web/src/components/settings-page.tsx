import { Box, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { PageHeader } from "./page-header";

interface SettingsPageProps {
  title: string;
  about: ReactNode;
  children: ReactNode;
}

/** A narrow page of cards. */
export function SettingsPage({ title, about, children }: SettingsPageProps) {
  return (
    <Box maw="46rem" mx="auto">
      <PageHeader title={title} about={about} />
      <Stack gap="md">{children}</Stack>
    </Box>
  );
}
