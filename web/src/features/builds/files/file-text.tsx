import { Text } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { type MouseEvent, useMemo, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { Virtuoso } from "react-virtuoso";
import { DiffRow } from "@/components/code/diff-row";
import { useHighlighting } from "@/components/code/use-highlighting";
import { linesOfText } from "@/components/code/whole-text";
import { EmptyState } from "@/components/empty-state";
import type { FileDiff, Schemas } from "@/lib/api";
import { copyLink } from "@/lib/copy-link";
import classes from "./file-text.module.css";
import { extendRange, lineRangeHash, parseLineRange } from "./line-range";

/** A file with highlighting; a click on a line number links to the line, with Shift to a range. */
export function FileText({ file }: { file: Schemas["BranchFile"] }) {
  const location = useLocation();
  const navigate = useNavigate();
  const range = parseLineRange(location.hash);
  const [initial] = useState(range);
  const lines = useMemo(() => linesOfText(file.text ?? ""), [file.text]);
  const diff = useMemo(() => asDiff(file.path, lines), [file.path, lines]);
  const whole = useMemo(() => ({ old: [], new: lines }), [lines]);
  const tokensOf = useHighlighting(diff, whole);
  if (file.text === null) {
    return (
      <EmptyState order={2} icon={<IconFile size={22} />} title="This file cannot be displayed">
        {file.binary ? "It is not text. " : "It is too large. "}
        Clone the branch to view it.
      </EmptyState>
    );
  }
  if (lines.length === 0) {
    return (
      <Text c="dimmed" p="md">
        This file is empty.
      </Text>
    );
  }

  function onClick({ target, shiftKey }: MouseEvent) {
    const number = (target as Element).closest<HTMLElement>("[data-line]")?.dataset.line?.slice(1);
    if (!number) return;
    const hash = lineRangeHash(extendRange(range, Number(number), shiftKey));
    navigate(hash, { replace: true, preventScrollReset: true });
    void copyLink(`${location.pathname}${hash}`);
  }

  const [hunk] = diff.hunks;
  return (
    <Virtuoso
      className={`focus-inset ${classes.text}`}
      data={hunk?.lines ?? []}
      fixedItemHeight={undefined}
      initialTopMostItemIndex={initial ? { index: initial.first - 1, align: "center" } : 0}
      onClick={onClick}
      itemContent={(index, line) => {
        const isMarked = range !== null && index + 1 >= range.first && index + 1 <= range.last;
        return (
          <DiffRow
            entry={{ kind: "line", line }}
            marked={isMarked ? `R${index + 1}` : null}
            tokensOf={tokensOf}
          />
        );
      }}
      tabIndex={0}
      role="region"
      aria-label={`Content of ${file.path}`}
    />
  );
}

function asDiff(path: string, lines: string[]): FileDiff {
  return {
    path,
    old_path: null,
    status: "modified",
    binary: false,
    truncated: false,
    hunks: [
      {
        old_start: 1,
        new_start: 1,
        header: "",
        lines: lines.map((text, index) => ({
          kind: "context",
          old_line: null,
          new_line: index + 1,
          spans: text === "" ? [] : [{ text, changed: false }],
        })),
      },
    ],
  };
}
