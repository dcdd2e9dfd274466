import { Alert, Button, Group, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Link, useNavigate } from "react-router";
import { useActions } from "@/lib/actions";
import type { ContractSummary, Generation } from "@/lib/api";
import { plural } from "@/lib/format";
import { isUnderWay } from "@/lib/generation";
import { paths } from "@/lib/paths";
import { messageOf } from "@/lib/problem";
import { useWriteContracts } from "./api";

interface NextStepProps {
  projectId: string;
  contracts: ContractSummary[];
  generation: Generation | null;
  /** Whether all that is needed is answered, and saved. */
  ready: boolean;
}

/** After the questions: writes the contracts, or leads to them. */
export function NextStep({ projectId, contracts, generation, ready }: NextStepProps) {
  const write = useWriteContracts(projectId);
  const navigate = useNavigate();
  const unwritten = contracts.filter(({ source }) => source === "template").length;
  const writable = unwritten > 0 && ready && !(generation && isUnderWay(generation));
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
  if (generation && isUnderWay(generation))
    return goTo("Watch the contracts being written", "filled");
  if (unwritten === 0) {
    return (
      <>
        <Text fz="sm" mb="sm">
          All nine are written. What you change here counts for a contract once it is written again.
        </Text>
        {goTo("Go to the contracts", "filled")}
      </>
    );
  }
  return (
    <>
      <Text fz="sm" mb="sm">
        {plural(unwritten, "contract")} {unwritten === 1 ? "is" : "are"} not written yet.
        {!ready && " That can begin as soon as everything needed is answered and saved."}
      </Text>
      {write.isError && (
        <Alert color="red" role="alert" mb="sm" p="sm">
          {messageOf(write.error)}
        </Alert>
      )}
      <Group gap="xs">
        <Button disabled={!ready} loading={write.isPending} onClick={begin}>
          Write the contracts
        </Button>
        {goTo("Go to the contracts", "default")}
      </Group>
    </>
  );
}
