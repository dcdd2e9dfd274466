import { Text } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import type { Build } from "@/lib/api";
import { QuestionHistory } from "../clarifications/question-history";
import { Notepad } from "../notepad/notepad";
import { ContractsRead } from "./contracts-read";
import { GateList } from "./gate-list";
import { Plan } from "./plan";
import { RunGates } from "./run-gates";
import { SidebarSection } from "./sidebar-section";

export function BuildSidebar({ build }: { build: Build }) {
  return (
    <>
      <SidebarSection title="Plan">
        <Plan build={build} />
      </SidebarSection>
      <OwnerOnly>
        <SidebarSection title="Notepad">
          <Notepad projectId={build.project_id} />
          <Text fz="xs" c="dimmed" mt={4}>
            Included in the context of all agents.
          </Text>
        </SidebarSection>
      </OwnerOnly>
      <SidebarSection title="Questions">
        <QuestionHistory build={build} />
      </SidebarSection>
      <SidebarSection title="Gates">
        <GateList build={build} />
        <RunGates build={build} />
      </SidebarSection>
      <SidebarSection title="Contracts read">
        <ContractsRead build={build} />
      </SidebarSection>
    </>
  );
}
