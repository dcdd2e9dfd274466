import { Box, Button, Code, Group, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { OwnerOnly } from "@/components/owner-only";
import { ToneBadge } from "@/components/tone-badge";
import { resolutionOf } from "@/domain/error-resolution";
import { failureOf } from "@/domain/failing-test";
import type { BuildError } from "@/lib/api";
import { formatClock } from "@/lib/format";
import { notifyFailed } from "@/lib/notify";
import { toneLine, toneText } from "@/lib/tone";
import { ReasonDialog } from "../reason-dialog";
import { useChangeError } from "./api";
import { sourceOf } from "./error-labels";
import { FailureMessage } from "./failure-message";
import { FixButton } from "./fix-button";
import { ReopenButton } from "./reopen-button";
import { SeverityIcon } from "./severity-icon";

interface ErrorCardProps {
  error: BuildError;
  onDismissed?: (error: BuildError) => void;
}

export function ErrorCard({ error, onDismissed }: ErrorCardProps) {
  const dismiss = useChangeError(error.build_id);
  const [asking, dialog] = useDisclosure(false);
  const { title } = failureOf(error.message);
  return (
    <Box
      component="li"
      p="sm"
      bd={`1px solid ${error.resolved ? "var(--line)" : toneLine("bad")}`}
      bdrs="md"
    >
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <SeverityIcon severity={error.severity} resolved={error.resolved} />
        <Box flex={1} miw={0}>
          <Group gap={6} wrap="nowrap" align="flex-start">
            <Group gap={6} flex={1} miw={0}>
              <Text fz="xs" c="dimmed">
                {sourceOf(error)}
              </Text>
              {error.file_path && <Code fz="xs">{error.file_path}</Code>}
              {error.severity === "fatal" && <ToneBadge tone="bad">Fatal</ToneBadge>}
              {error.regression && <ToneBadge tone="waiting">Regression</ToneBadge>}
            </Group>
            <Group gap={6} wrap="nowrap">
              {error.occurrence_count > 1 && (
                <ToneBadge tone="bad">
                  <span aria-hidden>×{error.occurrence_count}</span>
                  <VisuallyHidden component="span">
                    seen {error.occurrence_count} times
                  </VisuallyHidden>
                </ToneBadge>
              )}
              <Text fz="xs" c="dimmed" className="tabular">
                {formatClock(error.last_seen)}
              </Text>
            </Group>
          </Group>
          <FailureMessage message={error.message} />
          {error.resolved ? (
            <Text fz="sm" mt={4}>
              <Text span inherit fw={550} c={toneText("good")}>
                {resolutionOf(error.resolution_method)}
              </Text>
              {error.resolution_summary && `: ${error.resolution_summary}`}
              {error.resolution_method === "dismissed" && <ReopenButton error={error} />}
            </Text>
          ) : (
            <>
              <FixButton error={error} />
              {error.severity !== "fatal" && (
                <OwnerOnly>
                  <Button size="compact-xs" variant="default" mt="xs" onClick={dialog.open}>
                    Dismiss<VisuallyHidden component="span"> {title.slice(0, 60)}</VisuallyHidden>
                  </Button>
                  <ReasonDialog
                    opened={asking}
                    title="Dismiss error"
                    label="Why is it acceptable?"
                    send="Dismiss"
                    onSend={(reason) =>
                      dismiss
                        .mutateAsync({ error: error.id, reason })
                        .then(onDismissed, (failure) => {
                          notifyFailed("Could not dismiss the error", failure);
                          throw failure;
                        })
                    }
                    onClose={dialog.close}
                  />
                </OwnerOnly>
              )}
            </>
          )}
        </Box>
      </Group>
    </Box>
  );
}
