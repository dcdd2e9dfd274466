import { Anchor, Box } from "@mantine/core";
import { Link, useParams } from "react-router";
import { ChangesView } from "@/components/changes/changes-view";
import { QueryView } from "@/components/query-view";
import { useCommentDrafts } from "@/components/threads/comment-drafts";
import { hasOpenThread, ThreadStack } from "@/components/threads/thread-stack";
import { threadsOf } from "@/components/threads/threads";
import { useChangedFiles } from "@/domain/changes/change-source";
import { useAcceptSuggestion, useAnswer, useBuildReviews } from "@/domain/changes/review-threads";
import { useCanEdit } from "@/domain/project-access";
import { paths } from "@/lib/paths";
import { useCommits } from "./api";
import { CommitSelect } from "./commit-select";
import { useDiffLocation } from "./use-diff-location";

const ALL = { value: "all", label: "All changes since the baseline" };

export default function ChangesPanel({ buildId }: { buildId: string }) {
  const { project = "", build = "" } = useParams();
  const [location, setPlace, linkTo] = useDiffLocation();
  const { commit } = location;
  const canEdit = useCanEdit();
  const commits = useCommits(buildId).data ?? [];
  const source = { of: "builds", build: buildId, commit } as const;
  const reviews = useBuildReviews(buildId).data;
  const answer = useAnswer(buildId);
  const accept = useAcceptSuggestion(buildId);
  const drafts = useCommentDrafts(buildId);
  // Comments are on lines of all changes, not on those of a single commit.
  const threads = commit === null && reviews ? threadsOf(reviews.comments) : [];
  const canAccept =
    canEdit &&
    reviews?.follow_up === null &&
    reviews.follow_up_obstacle === null &&
    reviews.recorded_request === null;
  const version = commit ?? commits[0]?.sha;
  return (
    <QueryView query={useChangedFiles(source)} what="changes">
      {(changes) => (
        <ChangesView
          key={commit ?? "all"}
          source={source}
          changes={changes}
          place={{ file: location.file, line: location.line ?? null }}
          onFile={(file) => setPlace({ commit, file })}
          onLine={(file, line) => linkTo({ commit, file, line })}
          canView={canEdit}
          hasThreads={(path) => hasOpenThread(threads, path)}
          linkOf={
            version === undefined
              ? undefined
              : (path) => paths.buildFile(project, build, version, path)
          }
          beneath={(diff, line) => (
            <ThreadStack
              key={`${line.old_line}-${line.new_line}`}
              threads={threads}
              diff={diff}
              line={line}
              drafts={drafts}
              onAnswer={(parent_id, text) => answer.mutateAsync({ text, parent_id })}
              onAccept={
                canAccept ? (comment, accepted) => accept.mutate({ comment, accepted }) : undefined
              }
              accepting={accept.isPending ? accept.variables.comment : undefined}
            />
          )}
          empty={{
            title: "No changes yet",
            text: "Files appear here when an agent changes them.",
          }}
          top={
            <Box pt={8} px={12} pb={6}>
              <CommitSelect
                commits={commits}
                first={ALL}
                value={commit ?? ALL.value}
                onChange={(value) =>
                  setPlace({ commit: value === ALL.value ? null : value, file: location.file })
                }
              />
              {version !== undefined && (
                <Anchor
                  component={Link}
                  to={paths.buildFile(project, build, version)}
                  fz="xs"
                  mt={6}
                  display="inline-block"
                >
                  Browse all files
                </Anchor>
              )}
            </Box>
          }
        />
      )}
    </QueryView>
  );
}
