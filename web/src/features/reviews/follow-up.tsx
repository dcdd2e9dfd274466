import { Anchor, Button, Stack, Text } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import { useId } from "react";
import { Link, useNavigate } from "react-router";
import { InlineCode } from "@/components/inline-code";
import type { BuildReviews } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { paths } from "@/lib/paths";
import { useStartFollowUp } from "./api";

interface FollowUpProps {
  buildId: string;
  review: BuildReviews;
  /** The project's owner, who can watch builds. */
  owner: string | "me";
}

/** The follow-up build: starts it, or links to it. */
export function FollowUp({ buildId, review, owner }: FollowUpProps) {
  const hint = useId();
  const navigate = useNavigate();
  const start = useStartFollowUp(buildId, owner === "me" ? "builds" : "reviews");
  if (review.follow_up) return <Started followUp={review.follow_up} owner={owner} />;
  if (review.follow_up_obstacle) {
    return (
      <Text fz="sm" c="dimmed">
        {review.follow_up_obstacle}
      </Text>
    );
  }
  if (!review.may_follow_up) return null;
  const begin = () =>
    start.mutate(undefined, {
      onSuccess: ({ project_slug, number, started_by }) => {
        if (owner === "me" || owner === started_by.id) navigate(paths.build(project_slug, number));
      },
    });
  return (
    <Stack gap={6} align="flex-start">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconGitBranch size={14} aria-hidden />}
        loading={start.isPending}
        aria-describedby={hint}
        onClick={begin}
      >
        Start follow-up build
      </Button>
      <Text id={hint} fz="sm" c="dimmed">
        {review.recorded_request ? (
          <>
            The demo has a second recorded build. It continues from this branch and carries out this
            request: <InlineCode text={review.recorded_request} />
          </>
        ) : (
          "Continues from this branch and addresses the requested changes and open comments. If you start it, someone else has to approve it."
        )}
      </Text>
      <div role="status">
        {start.isError && (
          <Text fz="sm" c="var(--tone-bad-text)">
            Could not start: {messageOf(start.error)}
          </Text>
        )}
      </div>
    </Stack>
  );
}

interface StartedProps {
  followUp: NonNullable<BuildReviews["follow_up"]>;
  owner: string | "me";
}

function Started({ followUp, owner }: StartedProps) {
  const { build_id, project_slug, number, started_by, status } = followUp;
  const sealed = status === "sealed";
  return (
    <Text fz="sm">
      {sealed ? "A follow-up build has addressed this" : "A follow-up build is addressing this"},
      started by {started_by.name}.{" "}
      {owner === "me" ? (
        <Anchor component={Link} to={paths.build(project_slug, number)} fz="sm">
          Open follow-up
        </Anchor>
      ) : sealed ? (
        <Anchor component={Link} to={paths.review(build_id)} fz="sm">
          Review follow-up
        </Anchor>
      ) : (
        "It can be reviewed once it is sealed."
      )}
    </Text>
  );
}
