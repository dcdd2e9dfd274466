import { Box, Group, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import { StatusBadge } from "@/components/status-badge";
import { buildName } from "@/domain/build-name";
import type { Build } from "@/lib/api";
import { CompareMenu } from "../compare/compare-menu";
import { BranchBadge } from "./branch-badge";
import { BuildActions } from "./build-actions";
import { BuildFacts } from "./build-facts";
import classes from "./build-screen.module.css";

interface BuildHeaderProps {
  build: Build;
  fetchedAt: number;
  /** Buttons that show or hide panes. */
  paneButtons: React.ReactNode;
}

export function BuildHeader({ build, fetchedAt, paneButtons }: BuildHeaderProps) {
  return (
    <Stack
      component="header"
      role="presentation"
      flex="none"
      gap={10}
      px={{ base: "sm", sm: "md" }}
      py={{ base: 10, sm: "sm" }}
      style={{ borderBottom: "1px solid var(--line)" }}
    >
      <div className={classes.headline}>
        <Group gap="sm" wrap="nowrap" miw={0}>
          <VisuallyHidden component="h1">{build.project_name}</VisuallyHidden>
          <Title order={2} className={classes.title}>
            {buildName(build)}
          </Title>
          <Box flex="none" data-status>
            <StatusBadge build={build} />
          </Box>
        </Group>
        <Group className={classes.branch} gap="sm" wrap="nowrap" miw={0}>
          <BranchBadge branch={build.branch} status={build.branch_status} />
          <Group gap="xs" wrap="nowrap" flex="none" ml="auto">
            <OwnerOnly>
              <BuildActions build={build} />
            </OwnerOnly>
            <CompareMenu build={build} />
            {paneButtons}
          </Group>
        </Group>
      </div>
      {build.description && (
        <Text fz="sm" c="dimmed" title={build.description} lineClamp={1}>
          {build.description}
        </Text>
      )}
      <BuildFacts build={build} fetchedAt={fetchedAt} />
    </Stack>
  );
}
