import { Text } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import { ContractsRead } from "@/features/builds/contracts-read";
import { GateList } from "@/features/builds/gate-list";
import { Plan } from "@/features/builds/plan";
import { QuestionHistory } from "@/features/clarifications/question-history";
import { Notepad } from "@/features/notepad/notepad";
import type { Build } from "@/lib/api";
import { SideSection } from "./side-section";

export function IdeSide({ build }: { build: Build }) {
  return (
    <>
      <SideSection title="Plan">
        <Plan build={build} />
      </SideSection>
      <OwnerOnly>
        <SideSection title="Notepad">
          <Notepad projectId={build.project_id} />
          <Text fz="xs" c="dimmed" mt={4}>
            Part of every agent's context.
          </Text>
        </SideSection>
      </OwnerOnly>
      <SideSection title="Questions">
        <QuestionHistory build={build} />
      </SideSection>
      <SideSection title="Gates">
        <GateList build={build} />
      </SideSection>
      <SideSection title="Contracts read">
        <ContractsRead build={build} />
      </SideSection>
    </>
  );
}
