import { Alert, Button, Group, Text, Textarea } from "@mantine/core";
import { IconCircleCheck, IconMessageExclamation, IconUsers } from "@tabler/icons-react";
import { useId, useState } from "react";
import type { Review, ReviewDecision } from "@/lib/api";
import { isStatus, messageOf } from "@/lib/api-error";
import { createDraftStore } from "@/lib/draft-store";
import { useDecide } from "./api";

const textOf = (value: unknown) => (typeof value === "string" ? value : null);

interface DecisionFormProps {
  review: Review;
  onDecided?: () => void;
}

/** Approves a sealed build or requests changes, which needs a reason. The text is kept until it is accepted. */
export function DecisionForm({ review, onDecided }: DecisionFormProps) {
  const whyNot = useId();
  const decide = useDecide(review.build_id);
  const [drafts] = useState(() => createDraftStore(`review:${review.build_id}`, textOf));
  const [reason, setReason] = useState(() => drafts.read() ?? "");
  const [missing, setMissing] = useState(false);

  function send(decision: ReviewDecision) {
    if (decision === "changes_requested" && reason.trim() === "") {
      setMissing(true);
      return;
    }
    const seen = review.decisions[0]?.id ?? null;
    decide
      .mutateAsync({ decision, reason, seen })
      .then(() => {
        setReason("");
        drafts.clear();
        onDecided?.();
      })
      // Shown below the form.
      .catch(() => {});
  }

  return (
    <div>
      <Textarea
        label="Comment"
        description="Required to request changes. Visible to the owner, and recorded in the audit log."
        autosize
        minRows={2}
        maxRows={10}
        maxLength={4000}
        value={reason}
        error={missing && "Explain which changes are needed"}
        onChange={(event) => {
          setReason(event.currentTarget.value);
          drafts.write(event.currentTarget.value);
          setMissing(false);
        }}
      />
      <Group gap="xs" mt="sm">
        <Button
          leftSection={<IconCircleCheck size={16} aria-hidden />}
          disabled={!review.may_approve || decide.isPending}
          aria-describedby={review.may_approve ? undefined : whyNot}
          onClick={() => send("approved")}
        >
          Approve
        </Button>
        <Button
          variant="default"
          leftSection={<IconMessageExclamation size={16} aria-hidden />}
          disabled={decide.isPending}
          onClick={() => send("changes_requested")}
        >
          Request changes
        </Button>
      </Group>
      {!review.may_approve && (
        <Text id={whyNot} fz="sm" c="dimmed" mt="xs">
          {review.approval_obstacle}
        </Text>
      )}
      <div role="status">
        {isStatus(decide.error, 409) ? (
          <Alert mt="sm" color="yellow" icon={<IconUsers size={18} aria-hidden />}>
            {messageOf(decide.error)}
          </Alert>
        ) : (
          decide.isError && (
            <Text fz="sm" c="var(--tone-bad-text)" mt="xs">
              Could not submit: {messageOf(decide.error)}
            </Text>
          )
        )}
      </div>
    </div>
  );
}
