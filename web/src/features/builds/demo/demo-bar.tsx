import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { IconPlayerSkipForward } from "@tabler/icons-react";
import { useId } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { isFinal } from "@/domain/build-status";
import type { Build, DemoSpeed } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { toneBar } from "@/lib/tone";
import { useDemoSpeed, useSetDemoSpeed } from "./api";

const SPEEDS: { value: DemoSpeed; label: string }[] = [
  { value: "normal", label: "Normal" },
  { value: "fast", label: "Fast" },
];

/** Says what is recorded in a running demo build, and controls its speed. */
export function DemoBar({ build }: { build: Build }) {
  if (isFinal(build.status)) return null;
  return (
    <Group
      {...toneBar("accent")}
      justify="space-between"
      gap="xs"
      px={{ base: "sm", sm: "md" }}
      py={6}
    >
      <Text fz="sm" flex="1 1 18rem">
        {build.follows
          ? "This follow-up takes about 30 seconds."
          : "This demo takes about 75 seconds, plus the time for your answer."}{" "}
        The model’s replies are recorded; files, tests and commits are real.
      </Text>
      <OwnerOnly>
        <SpeedControl buildId={build.id} />
      </OwnerOnly>
    </Group>
  );
}

function SpeedControl({ buildId }: { buildId: string }) {
  const label = useId();
  const current = useDemoSpeed(buildId).data?.speed;
  const change = useSetDemoSpeed(buildId);
  const choose = (speed: DemoSpeed) =>
    change.mutate(speed, {
      onError: (error) => notifyFailed("Could not change the speed", error),
    });
  return (
    <Group gap="xs">
      <Text id={label} fz="sm" c="dimmed">
        Speed
      </Text>
      <SegmentedControl
        size="xs"
        aria-labelledby={label}
        data={SPEEDS}
        value={current ?? "normal"}
        onChange={(value) => choose(value as DemoSpeed)}
      />
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlayerSkipForward size={14} aria-hidden />}
        aria-pressed={current === "instant"}
        onClick={() => choose("instant")}
      >
        Skip ahead
      </Button>
    </Group>
  );
}
