import { Box, Skeleton, Stack } from "@mantine/core";
import { Columns } from "@/components/columns";
import { QueryView } from "@/components/query-view";
import { useBuilds } from "@/features/builds/api";
import { BuildList } from "@/features/builds/overview/build-list";
import { FirstBuild } from "@/features/builds/overview/first-build";
import { LatestBuild } from "@/features/builds/overview/latest-build";
import { useContracts } from "@/features/contracts/api";
import { ContractList } from "@/features/contracts/contract-list";
import { CloneCard } from "@/features/projects/clone-card";
import { QuestionnaireCard } from "@/features/questionnaire/questionnaire-card";
import { useUnansweredQuestions } from "./contracts/use-unanswered-questions";

export function ProjectOverview({ projectId, demo }: { projectId: string; demo: boolean }) {
  const builds = useBuilds(projectId);
  const contracts = useContracts(projectId).data;
  const unanswered = useUnansweredQuestions(projectId);
  const latest = builds.data?.[0];
  const describe = !demo && <QuestionnaireCard projectId={projectId} />;
  return (
    <Columns widths="minmax(0, 1.75fr) minmax(0, 1fr)" gap="md">
      <Stack gap="md" miw={0}>
        <QueryView query={builds} what="builds" loading={<Skeleton height={180} radius="lg" />}>
          {(items) =>
            latest ? (
              <>
                <LatestBuild projectId={projectId} build={latest} />
                <BuildList builds={items} />
                {describe}
              </>
            ) : (
              <>
                {describe}
                {contracts && (
                  <FirstBuild
                    projectId={projectId}
                    demo={demo}
                    described={contracts.some(({ source }) => source !== "template")}
                    answered={unanswered.length === 0}
                  />
                )}
              </>
            )
          }
        </QueryView>
        <CloneCard projectId={projectId} branch={latest?.started_at ? latest.branch : null} />
      </Stack>
      <Box miw={0}>
        <ContractList projectId={projectId} />
      </Box>
    </Columns>
  );
}
