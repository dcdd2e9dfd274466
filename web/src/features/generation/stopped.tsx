import { Alert, Box, Button, Group, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconPlayerStop } from "@tabler/icons-react";
import { contractName } from "@/domain/contract-names";
import { useResumeGeneration } from "@/domain/feed/generation-commands";
import type { Generation } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { currentOf, resultLabel, usageLabel } from "./generation-labels";
import { Rejections } from "./rejections";
import { ResultIcon } from "./result-icon";

interface StoppedProps {
  generation: Generation;
  onResumed: () => void;
}

/** Why a generation stopped, what was kept, and how to continue. */
export function Stopped({ generation, onResumed }: StoppedProps) {
  const { status, failure, contracts } = generation;
  const resume = useResumeGeneration(generation);
  const failed = status === "failed";
  const current = currentOf(generation);
  const spent = usageLabel(generation);
  return (
    <Group gap="1rem 1.25rem">
      <ResultIcon tone={failed ? "bad" : "neutral"}>
        {failed ? <IconAlertCircle size={22} /> : <IconPlayerStop size={22} />}
      </ResultIcon>
      <Box flex="1 1 16rem" miw={0}>
        <Title order={2}>
          {failed
            ? `Stopped${current ? ` at ${contractName(current.type)}` : ""}`
            : "Generation cancelled"}
        </Title>
        {failure && (
          <Text fz="sm" mt={4}>
            {failure}
          </Text>
        )}
        <Text fz="sm" c="dimmed" mt={4}>
          {resultLabel(generation)} {spent && `So far ${spent}.`}
        </Text>
        <Rejections contracts={contracts} />
        {resume.isError && (
          <Alert color="red" role="alert" mt="sm" p="sm">
            {messageOf(resume.error)}
          </Alert>
        )}
      </Box>
      <Button
        w={{ base: "100%", xs: "auto" }}
        loading={resume.isPending}
        onClick={() => resume.mutate(undefined, { onSuccess: onResumed })}
      >
        Continue
      </Button>
    </Group>
  );
}
