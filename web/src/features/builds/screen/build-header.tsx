import { Box, CloseButton, Group, Modal, Stack } from "@mantine/core";
import { SearchButton } from "@/components/keys/search-button";
import { OwnerOnly } from "@/components/owner-only";
import { StatusBadge } from "@/components/status-badge";
import type { Build } from "@/lib/api";
import { BranchBadge } from "./branch-badge";
import { BuildActions } from "./build-actions";
import { BuildFacts } from "./build-facts";
import classes from "./build-screen.module.css";

interface BuildHeaderProps {
  build: Build;
  fetchedAt: number;
  onClose: () => void;
}

export function BuildHeader({ build, fetchedAt, onClose }: BuildHeaderProps) {
  return (
    <Stack
      component="header"
      flex="none"
      gap={10}
      px={{ base: "sm", sm: "md" }}
      py={{ base: 10, sm: "sm" }}
      style={{ borderBottom: "1px solid var(--line)" }}
    >
      <div className={classes.headline}>
        <Group gap="sm" wrap="nowrap" miw={0}>
          <Modal.Title component="h2" className={classes.title}>
            {build.project_name}
          </Modal.Title>
          <Box flex="none">
            <StatusBadge status={build.status} />
          </Box>
        </Group>
        <Group className={classes.branch} gap="sm" wrap="nowrap" miw={0}>
          <BranchBadge branch={build.branch} status={build.branch_status} />
          <Group gap="xs" wrap="nowrap" flex="none" ml="auto">
            <OwnerOnly>
              <BuildActions build={build} />
            </OwnerOnly>
          </Group>
        </Group>
        <Group className={classes.close} gap={4} wrap="nowrap">
          <SearchButton small />
          <CloseButton aria-label="Close build" onClick={onClose} />
        </Group>
      </div>
      <BuildFacts build={build} fetchedAt={fetchedAt} />
    </Stack>
  );
}
