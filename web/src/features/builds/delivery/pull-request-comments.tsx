import { Anchor, Button, Checkbox, Stack, Text, Title } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { Link, useNavigate } from "react-router";
import { OwnerOnly } from "@/components/owner-only";
import type { BuildDelivery, PullRequestComment } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useFollowUpOfComments } from "./api";
import classes from "./pull-request-comments.module.css";

const Markdown = lazy(() => import("@/components/markdown"));

interface PullRequestCommentsProps {
  buildId: string;
  comments: PullRequestComment[];
  followUp: BuildDelivery["follow_up"];
}

/** What reviewers wrote at the forge. The owner selects what a follow-up build implements. */
export function PullRequestComments({ buildId, comments, followUp }: PullRequestCommentsProps) {
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const selected = comments.filter((comment) => !skipped.has(comment.id));
  const toggle = (id: string) => {
    const next = new Set(skipped);
    if (!next.delete(id)) next.add(id);
    setSkipped(next);
  };
  return (
    <section aria-labelledby="pull-request-comments" className={classes.section}>
      <Title order={4} fz="sm" id="pull-request-comments" mb={6}>
        Review comments ({formatCount(comments.length)})
      </Title>
      <ul className={classes.list}>
        {comments.map((comment) => (
          <li key={comment.id} className={classes.comment}>
            {!followUp && (
              <OwnerOnly>
                <Checkbox
                  size="xs"
                  mt={3}
                  checked={!skipped.has(comment.id)}
                  onChange={() => toggle(comment.id)}
                  aria-label={`Include the comment by ${comment.author}, ${placeOf(comment)}`}
                />
              </OwnerOnly>
            )}
            <div className={classes.text}>
              <Text fz="xs" c="dimmed">
                {comment.author} · {placeOf(comment)}
              </Text>
              <Suspense fallback={<Text fz="sm">{comment.text}</Text>}>
                <Markdown text={comment.text} size="sm" plainHeadings />
              </Suspense>
            </div>
          </li>
        ))}
      </ul>
      {followUp ? (
        <Text fz="sm">
          Build #{followUp.number} follows up on this one.{" "}
          <Anchor component={Link} to={paths.build(followUp.project_slug, followUp.number)} fz="sm">
            Open follow-up
          </Anchor>
        </Text>
      ) : (
        <OwnerOnly>
          <Start buildId={buildId} comments={selected.map((comment) => comment.id)} />
        </OwnerOnly>
      )}
    </section>
  );
}

function Start({ buildId, comments }: { buildId: string; comments: string[] }) {
  const navigate = useNavigate();
  const start = useFollowUpOfComments(buildId);
  const begin = () =>
    start.mutate(comments, {
      onSuccess: ({ project_slug, number }) => navigate(paths.build(project_slug, number)),
    });
  return (
    <Stack gap={6} align="flex-start">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconGitBranch size={14} aria-hidden />}
        loading={start.isPending}
        disabled={comments.length === 0}
        onClick={begin}
      >
        Start follow-up build
      </Button>
      <Text fz="sm" c="dimmed">
        {comments.length === 0
          ? "Select the comments to implement."
          : "Continues from this branch and implements the selected comments, with what a review here requests."}
      </Text>
      {start.isError && (
        <Text fz="sm" role="alert" c="var(--tone-bad-text)">
          Could not start: {messageOf(start.error)}
        </Text>
      )}
    </Stack>
  );
}

function placeOf({ path, line }: PullRequestComment): string {
  if (!path) return "on the pull request";
  return line ? `${path}:${line}` : path;
}
