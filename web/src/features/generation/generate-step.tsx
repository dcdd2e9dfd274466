import { Alert, Button, Group, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link, useNavigate } from "react-router";
import { useActions } from "@/domain/actions";
import { isRunning } from "@/domain/generation";
import type { ContractSummary, Generation } from "@/lib/api";
import { messageOf } from "@/lib/api-error";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useWriteContracts } from "./api";

interface NextStepProps {
  projectId: string;
  contracts: ContractSummary[];
  generation: Generation | null;
  /** Whether all required questions are answered and saved. */
  ready: boolean;
}

/** The step after the questionnaire: generates the contracts, or links to them. */
export function GenerateStep({ projectId, contracts, generation, ready }: NextStepProps) {
  const write = useWriteContracts(projectId);
  const navigate = useNavigate();
  const unwritten = contracts.filter(({ source }) => source === "template").length;
  const writable = unwritten > 0 && ready && !(generation && isRunning(generation));
  const begin = () =>
    write.mutate(undefined, { onSuccess: () => navigate(paths.contracts(projectId)) });
  useActions([writable && !write.isPending && { name: "writeContracts", run: begin }]);
  const goTo = (label: string, variant: "filled" | "default") => (
    <Button
      component={Link}
      to={paths.contracts(projectId)}
      variant={variant}
      rightSection={<IconArrowRight size={16} aria-hidden />}
    >
      {label}
    </Button>
  );
  if (generation && isRunning(generation)) return goTo("Show progress", "filled");
  if (unwritten === 0) {
    return (
      <>
        <Text fz="sm" mb="sm">
          All contracts are generated. Changed answers apply to a contract when it is regenerated.
        </Text>
        {goTo("Go to contracts", "filled")}
      </>
    );
  }
  return (
    <>
      <Text fz="sm" mb="sm">
        {plural(unwritten, "contract")} {unwritten === 1 ? "is" : "are"} not generated yet.
        {!ready && " They can be generated when all required questions are answered."}
      </Text>
      {write.isError && (
        <Alert color="red" role="alert" mb="sm" p="sm">
          {messageOf(write.error)}
        </Alert>
      )}
      <Group gap="xs">
        <Button disabled={!ready} loading={write.isPending} onClick={begin}>
          Generate contracts
        </Button>
        {goTo("Go to contracts", "default")}
      </Group>
    </>
  );
}
