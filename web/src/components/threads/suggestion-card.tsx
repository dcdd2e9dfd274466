import { Box, Button, Group, Text } from "@mantine/core";
import { IconGitCommit } from "@tabler/icons-react";
import type { ReviewComment } from "@/lib/api";
import { ToneBadge } from "../tone-badge";
import classes from "./suggestion-card.module.css";

interface SuggestionCardProps {
  comment: ReviewComment;
  suggestion: string;
  /** Accepts the suggestion or withdraws the acceptance; without it, only the state is shown. */
  onAccept?: (accepted: boolean) => void;
  accepting?: boolean;
}

/** A suggested edit as a difference, and whether the follow-up applies it. */
export function SuggestionCard(props: SuggestionCardProps) {
  const { comment, suggestion, onAccept, accepting } = props;
  const accepted = comment.suggestion_accepted_at !== null;
  const added = suggestion === "" ? [] : suggestion.split("\n");
  return (
    <Box
      component="section"
      aria-label="Suggested edit"
      bd="1px solid var(--line)"
      bdrs="sm"
      my={6}
    >
      <Group justify="space-between" px="xs" py={4} gap="xs">
        <Text fz="xs" fw={600}>
          Suggested edit
        </Text>
        {accepted && <ToneBadge tone="good">Applied in the follow-up</ToneBadge>}
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard */}
      <pre className={classes.diff} tabIndex={0}>
        {comment.line_text.split("\n").map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a suggestion never move
          <del key={index} className={classes.old}>
            - {line}
          </del>
        ))}
        {added.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a suggestion never move
          <ins key={index} className={classes.new}>
            + {line}
          </ins>
        ))}
      </pre>
      {onAccept && (
        <Group px="xs" py={6} gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconGitCommit size={13} aria-hidden />}
            loading={accepting}
            onClick={() => onAccept(!accepted)}
          >
            {accepted ? "Withdraw suggestion" : "Apply suggestion"}
          </Button>
          <Text fz="xs" c="dimmed">
            The sealed branch is final. The follow-up build commits it first.
          </Text>
        </Group>
      )}
    </Box>
  );
}
