import { Text, Tooltip } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import { CopyIcon } from "@/components/copy-icon";
import { shortBranch } from "@/lib/format";
import classes from "./build-header.module.css";

export function BranchBadge({ branch, status }: { branch: string; status: string | null }) {
  return (
    <span className={classes.branch}>
      <IconGitBranch size={14} aria-hidden />
      <Tooltip label={branch}>
        <Text component="code" truncate c="var(--mantine-color-text)" ff="monospace" fz="xs">
          {shortBranch(branch)}
        </Text>
      </Tooltip>
      {status && <span className={classes.branchStatus}>{status}</span>}
      <CopyIcon value={branch} what="branch name" />
    </span>
  );
}
