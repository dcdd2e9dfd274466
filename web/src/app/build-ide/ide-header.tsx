import { CloseButton, Group, Modal } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import { StatusBadge } from "@/components/status-badge";
import { BranchBadge } from "@/features/builds/branch-badge";
import { BuildActions } from "@/features/builds/build-actions";
import { BuildFacts } from "@/features/builds/build-facts";
import type { Build } from "@/lib/api";
import { FindButton } from "../keyboard/find-button";
import classes from "./build-ide.module.css";

interface IdeHeaderProps {
  build: Build;
  saidAt: number;
  onClose: () => void;
}

export function IdeHeader({ build, saidAt, onClose }: IdeHeaderProps) {
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
          <Group gap="xs" wrap="nowrap" className={classes.actions}>
            <OwnerOnly>
              <BuildActions build={build} />
            </OwnerOnly>
          </Group>
        </div>
        <div className={classes.close}>
          <FindButton small />
          <CloseButton aria-label="Close the build" onClick={onClose} />
        </div>
      </div>
      <BuildFacts build={build} saidAt={saidAt} />
    </header>
  );
}
