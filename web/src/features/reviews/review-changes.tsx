import { ActionIcon, Box, Center, Loader, Stack } from "@mantine/core";
import { IconFileDiff, IconMessage, IconMessagePlus } from "@tabler/icons-react";
import { useState } from "react";
import { lineName } from "@/components/code/diff-entry";
import { DiffFrame } from "@/components/code/diff-frame";
import { DiffView } from "@/components/code/diff-view";
import { FileList } from "@/components/code/file-list";
import { treeRows } from "@/components/code/file-tree";
import { TruncatedNote } from "@/components/code/truncated-note";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import type { DiffLine, ReviewComment } from "@/lib/api";
import { paths } from "@/lib/paths";
import { type Place, useComment, useResolve, useReviewFile, useReviewFiles } from "./api";
import { CommentForm } from "./comment-form";
import { ThreadView } from "./thread-view";
import { isOn, placeOf, type Thread, threadsOf } from "./threads";

interface ReviewChangesProps {
  buildId: string;
  comments: ReviewComment[];
}

/** The diff of the build with comment threads on its lines. */
export function ReviewChanges({ buildId, comments }: ReviewChangesProps) {
  const [picked, setPicked] = useState<string | null>(null);
  const threads = threadsOf(comments);
  return (
    <QueryView query={useReviewFiles(buildId)} what="changes">
      {({ files, truncated }) => {
        const selected = picked ?? treeRows(files).find((row) => row.kind === "file")?.key;
        if (!selected) {
          return (
            <EmptyState icon={<IconFileDiff size={22} />} title="No changes">
              The sealed branch is identical to its baseline.
            </EmptyState>
          );
        }
        return (
          <Box
            h="max(24rem, 75vh)"
            bd="1px solid var(--line)"
            bdrs="md"
            style={{ overflow: "hidden" }}
          >
            <DiffFrame
              files={
                <>
                  {truncated && <TruncatedNote />}
                  <FileList
                    files={files}
                    selected={selected}
                    onSelect={setPicked}
                    note={(path) => hasOpen(threads, path) && <IconMessage size={14} aria-hidden />}
                  />
                </>
              }
            >
              <ReviewFile key={selected} buildId={buildId} path={selected} threads={threads} />
            </DiffFrame>
          </Box>
        );
      }}
    </QueryView>
  );
}

const hasOpen = (threads: Thread[], path: string) =>
  threads.some(({ first }) => first.path === path && first.resolved_at === null);

interface ReviewFileProps {
  buildId: string;
  path: string;
  threads: Thread[];
}

function ReviewFile({ buildId, path, threads }: ReviewFileProps) {
  const query = useReviewFile(buildId, path);
  const comment = useComment(buildId);
  const resolve = useResolve(buildId);
  const [writing, setWriting] = useState<Place | null>(null);

  const isWriting = (line: DiffLine) => {
    const location = placeOf(path, line);
    return (
      location !== null && location.side === writing?.side && location.number === writing.number
    );
  };

  function beneath(line: DiffLine) {
    const here = threads.filter((thread) => isOn(thread, path, line));
    if (here.length === 0 && !isWriting(line)) return null;
    return (
      <Stack
        key={lineName(line)}
        gap="xs"
        px="sm"
        py="xs"
        bg="var(--surface-sunken)"
        style={{ borderBlock: "1px solid var(--line)" }}
      >
        {here.map((thread) => (
          <ThreadView
            key={thread.first.id}
            thread={thread}
            onAnswer={(text) => comment.mutateAsync({ text, parent_id: thread.first.id })}
            onResolve={() => resolve.mutate(thread.first.id)}
            resolving={resolve.isPending && resolve.variables === thread.first.id}
          />
        ))}
        {writing && isWriting(line) && (
          <CommentForm
            autoFocus
            label={`Comment on line ${writing.number}`}
            send="Comment"
            onSend={(text) => comment.mutateAsync({ text, line: writing })}
            onClose={() => setWriting(null)}
          />
        )}
      </Stack>
    );
  }

  function action(line: DiffLine) {
    const location = placeOf(path, line);
    if (!location) return null;
    const which = location.side === "old" ? "removed line" : "line";
    return (
      <ActionIcon
        key={lineName(line)}
        size={20}
        aria-label={`Comment on ${which} ${location.number}`}
        onClick={() => setWriting(location)}
      >
        <IconMessagePlus size={14} aria-hidden />
      </ActionIcon>
    );
  }

  return (
    <QueryView
      query={query}
      what="diff"
      loading={
        <Center h="100%">
          <Loader aria-label="Loading diff" />
        </Center>
      }
    >
      {(diff) => (
        <DiffView
          diff={diff}
          action={action}
          beneath={beneath}
          pictureOf={(side, path) => paths.picture("reviews", buildId, side, path)}
        />
      )}
    </QueryView>
  );
}
