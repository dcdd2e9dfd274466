import { Button, Code, Group, Text } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import { ToneBadge } from "@/components/tone-badge";
import type { BuildError } from "@/lib/api";
import { formatClock } from "@/lib/format";
import { notifyFailed } from "@/lib/notify";
import { resolutionOf } from "@/lib/resolution";
import { toneText } from "@/lib/tone";
import { useSettleError } from "./api";
import { sourceOf } from "./error-words";
import classes from "./errors.module.css";
import { Reopen } from "./reopen";
import { SeverityIcon } from "./severity-icon";

interface ErrorCardProps {
  error: BuildError;
  /** Told when somebody has dismissed it. */
  onDismissed?: (error: BuildError) => void;
}

export function ErrorCard({ error, onDismissed }: ErrorCardProps) {
  const dismiss = useSettleError(error.build_id, "dismiss");
  const [told, ...quoted] = error.message.split("\n");
  return (
    <li className={classes.card} data-resolved={error.resolved || undefined}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <SeverityIcon severity={error.severity} resolved={error.resolved} />
        <div className={classes.body}>
          <Group gap={6} wrap="nowrap" align="flex-start">
            <Group gap={6} flex={1} miw={0}>
              <Text fz="xs" c="dimmed">
                {sourceOf(error)}
              </Text>
              {error.file_path && <Code fz="xs">{error.file_path}</Code>}
              {error.severity === "fatal" && <ToneBadge tone="bad">Fatal</ToneBadge>}
              {error.regression && <ToneBadge tone="waiting">Came back</ToneBadge>}
            </Group>
            <Group gap={6} wrap="nowrap">
              {error.occurrence_count > 1 && (
                <span className={classes.count}>
                  <span aria-hidden>×{error.occurrence_count}</span>
                  <span className="visually-hidden">seen {error.occurrence_count} times</span>
                </span>
              )}
              <Text fz="xs" c="dimmed" className={classes.time}>
                {formatClock(error.last_seen)}
              </Text>
            </Group>
          </Group>
          <Text className={classes.told}>{told}</Text>
          {quoted.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard
            <pre className={classes.message} tabIndex={0}>
              {quoted.join("\n")}
            </pre>
          )}
          {error.resolved ? (
            <Text fz="sm" mt={4}>
              <Text span inherit fw={550} c={toneText("good")}>
                {resolutionOf(error.resolution_method)}
              </Text>
              {error.resolution_summary && `: ${error.resolution_summary}`}
              {error.resolution_method === "dismissed" && <Reopen error={error} />}
            </Text>
          ) : (
            error.severity !== "fatal" && (
              <OwnerOnly>
                <Button
                  size="compact-xs"
                  variant="default"
                  mt="xs"
                  loading={dismiss.isPending}
                  onClick={() =>
                    dismiss.mutate(error.id, {
                      onSuccess: onDismissed,
                      onError: (failure) => notifyFailed("Not dismissed", failure),
                    })
                  }
                >
                  Dismiss<span className="visually-hidden"> {told?.slice(0, 60)}</span>
                </Button>
              </OwnerOnly>
            )
          )}
        </div>
      </Group>
    </li>
  );
}
