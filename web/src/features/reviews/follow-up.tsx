import { Anchor, Button, Text } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import { useId } from "react";
import { Link, useNavigate } from "react-router";
import type { BuildReviews } from "@/lib/api";
import { paths } from "@/lib/paths";
import { messageOf } from "@/lib/problem";
import { useStartFollowUp } from "./api";
import classes from "./reviews.module.css";

interface FollowUpProps {
  buildId: string;
  said: BuildReviews;
  /** The project's owner, on whose pages a build can be watched. */
  owner: string | "me";
}

/** The build that carries out what was requested: started here, or where it is. */
export function FollowUp({ buildId, said, owner }: FollowUpProps) {
  const hint = useId();
  const navigate = useNavigate();
  const start = useStartFollowUp(buildId, owner === "me" ? "builds" : "reviews");
  if (said.follow_up) return <Started followUp={said.follow_up} owner={owner} />;
  if (!said.may_follow_up) return null;
  const begin = () =>
    start.mutate(undefined, {
      onSuccess: ({ project_id, build_id, started_by }) => {
        if (owner === "me" || owner === started_by.id) navigate(paths.build(project_id, build_id));
      },
    });
  return (
    <div className={classes.followUp}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconGitBranch size={14} aria-hidden />}
        loading={start.isPending}
        aria-describedby={hint}
        onClick={begin}
      >
        Start a follow-up build
      </Button>
      <Text id={hint} fz="sm" c="dimmed">
        It goes on from the end of this branch and does what the reason and the open comments ask
        for. If you start it, somebody else has to approve it.
      </Text>
      <div role="status">
        {start.isError && (
          <Text fz="sm" c="var(--tone-bad-text)">
            Not started: {messageOf(start.error)}
          </Text>
        )}
      </div>
    </div>
  );
}

interface StartedProps {
  followUp: NonNullable<BuildReviews["follow_up"]>;
  owner: string | "me";
}

function Started({ followUp, owner }: StartedProps) {
  const { build_id, project_id, started_by, status } = followUp;
  const sealed = status === "sealed";
  return (
    <Text fz="sm" className={classes.followUp}>
      {sealed ? "A follow-up build has carried this out" : "A follow-up build works on this"},
      started by {started_by.name}.{" "}
      {owner === "me" ? (
        <Anchor component={Link} to={paths.build(project_id, build_id)} fz="sm">
          Open the follow-up
        </Anchor>
      ) : sealed ? (
        <Anchor component={Link} to={paths.review(build_id)} fz="sm">
          Review the follow-up
        </Anchor>
      ) : (
        "It can be reviewed once it is sealed."
      )}
    </Text>
  );
}
