import { CloseButton, Group, Modal } from "@mantine/core";
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
    <header className={classes.header}>
      <div className={classes.headline}>
        <div className={classes.name}>
          <Modal.Title component="h2" className={classes.title}>
            {build.project_name}
          </Modal.Title>
          <StatusBadge status={build.status} />
        </div>
        <div className={classes.branchAndActions}>
          <BranchBadge branch={build.branch} status={build.branch_status} />
          <Group gap="xs" wrap="nowrap" flex="none" ml="auto">
            <OwnerOnly>
              <BuildActions build={build} />
            </OwnerOnly>
          </Group>
        </div>
        <div className={classes.close}>
          <SearchButton small />
          <CloseButton aria-label="Close build" onClick={onClose} />
        </div>
      </div>
      <BuildFacts build={build} fetchedAt={fetchedAt} />
    </header>
  );
}
