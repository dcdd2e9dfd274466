import { ActionIcon, Anchor, Checkbox, Group, Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useId } from "react";
import { Link } from "react-router";
import type { ChangeSource } from "@/domain/changes/change-source";
import type { DiffFile } from "@/lib/api";
import { ChangeCounts } from "../change-counts";
import type { DiffLayout } from "../code/diff-entry";
import { isGenerated } from "../code/generated-file";
import { CopyIcon } from "../copy-icon";
import { ToneBadge } from "../tone-badge";
import classes from "./changes.module.css";
import { FileLines, type LineSlots } from "./file-lines";

interface FileCardProps extends LineSlots {
  source: ChangeSource;
  file: DiffFile;
  layout: DiffLayout;
  ignoreWhitespace: boolean;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** Null if files cannot be marked as viewed. */
  viewed: boolean | null;
  onViewed: (viewed: boolean) => void;
  /** The line in the page's address. */
  marked: string | null;
  onLine?: (line: string) => void;
  /** The file at this version. */
  link?: string;
}

/** A changed file: a header that stays visible, and its lines. */
export function FileCard(props: FileCardProps) {
  const { file, open, onOpen, viewed, onViewed, link } = props;
  const { path, old_path, content_id, insertions, deletions } = file;
  const body = useId();
  const isMoved = old_path && old_path !== path;
  return (
    <section className={classes.card} data-file={path} aria-label={`Changes in ${path}`}>
      <Group className={classes.header} data-closed={!open || undefined} gap={6} wrap="nowrap">
        <ActionIcon
          className={classes.toggle}
          variant="subtle"
          color="gray"
          aria-label={`${open ? "Collapse" : "Expand"} ${path}`}
          aria-expanded={open}
          aria-controls={body}
          onClick={() => onOpen(!open)}
        >
          <IconChevronRight size={14} aria-hidden />
        </ActionIcon>
        <Text component="h3" ff="monospace" fz="xs" fw={600} m={0} className={classes.path}>
          {isMoved ? `${old_path} → ${path}` : path}
        </Text>
        <CopyIcon value={path} what="path" />
        {isGenerated(path) && <ToneBadge tone="neutral">Generated</ToneBadge>}
        <ChangeCounts insertions={insertions} deletions={deletions} />
        <Group gap="sm" ml="auto" wrap="nowrap" flex="none">
          {link && file.status !== "deleted" && (
            <Anchor component={Link} to={link} fz="xs" aria-label={`View file ${path}`}>
              View file
            </Anchor>
          )}
          {viewed !== null && (
            <Checkbox
              size="xs"
              label="Viewed"
              aria-label={`Viewed ${path}`}
              checked={viewed}
              disabled={content_id === null}
              onChange={(event) => onViewed(event.currentTarget.checked)}
            />
          )}
        </Group>
      </Group>
      <div id={body} hidden={!open} className={classes.body}>
        {open && <FileLines {...props} />}
      </div>
    </section>
  );
}
