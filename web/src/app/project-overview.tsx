import { Anchor, Box, Skeleton, Stack } from "@mantine/core";
import { Link } from "react-router";
import { Columns } from "@/components/columns";
import { PanelBoundary } from "@/components/panel-boundary";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { unfinished } from "@/domain/build-status";
import { currentStep, projectSteps } from "@/domain/project-steps";
import { useBuilds } from "@/features/builds/api";
import { BuildList } from "@/features/builds/overview/build-list";
import { FirstBuild } from "@/features/builds/overview/first-build";
import { LatestBuild } from "@/features/builds/overview/latest-build";
import { ProjectStepper } from "@/features/builds/overview/project-stepper";
import { useContracts } from "@/features/contracts/api";
import { ContractList } from "@/features/contracts/contract-list";
import { CloneCard } from "@/features/projects/clone-card";
import { useQuestionnaire } from "@/features/questionnaire/api";
import { QuestionnaireCard } from "@/features/questionnaire/questionnaire-card";
import { useAcceptsPushedHistory, useRemote } from "@/features/remotes/api";
import { RemoteCard } from "@/features/remotes/remote-card";
import { isFirstRead } from "@/lib/is-first-read";
import { paths } from "@/lib/paths";
import { useUnansweredQuestions } from "./contracts/use-unanswered-questions";

/** Builds shown besides the latest one. */
const MAX_EARLIER = 5;

interface ProjectOverviewProps {
  projectId: string;
  defaultBranch: string;
  demo: boolean;
  /** Whether the user owns the project. */
  owner: boolean;
  /** Builds that may be unfinished at a time. */
  maxConcurrent: number;
}

export function ProjectOverview(props: ProjectOverviewProps) {
  const { projectId, defaultBranch, demo, owner, maxConcurrent } = props;
  const builds = useBuilds(projectId);
  const contractList = useContracts(projectId);
  const contracts = contractList.data;
  const pushable = useAcceptsPushedHistory(projectId);
  const unanswered = useUnansweredQuestions(projectId);
  const parts = [builds, contractList, useQuestionnaire(projectId), useRemote(projectId)];
  const latest = builds.data?.[0];
  const facts = builds.data &&
    contracts &&
    (demo || unanswered) && {
      answered: demo || unanswered?.length === 0,
      described: contracts.some(({ source }) => source !== "template"),
      latest,
    };
  const step = facts && currentStep(facts);
  const describe = !demo && (
    <PanelBoundary what="the questionnaire">
      <QuestionnaireCard projectId={projectId} primary={step === "describe"} />
    </PanelBoundary>
  );
  return (
    <Columns widths="minmax(0, 1.75fr) minmax(0, 1fr)" gap="md">
      {isFirstRead(parts) ? (
        <Skeleton height={180} radius="lg" />
      ) : (
        <Stack gap="md" miw={0}>
          {facts && (
            <ProjectStepper
              steps={projectSteps(facts)}
              to={{
                ...(!demo && { describe: paths.questionnaire(projectId) }),
                contracts: paths.contracts(projectId),
                build: paths.builds(projectId),
              }}
            />
          )}
          {!demo && (
            <PanelBoundary what="the connected repository">
              <RemoteCard projectId={projectId} owner={owner} />
            </PanelBoundary>
          )}
          <QueryView query={builds} what="builds">
            {(items) =>
              latest ? (
                <>
                  <PanelBoundary what="the latest build">
                    <LatestBuild
                      projectId={projectId}
                      build={latest}
                      mayStart={unfinished(items).length < maxConcurrent}
                    />
                  </PanelBoundary>
                  {items.length > 1 && (
                    <SectionCard
                      title={
                        unfinished(items.slice(1)).length > 0 ? "Other builds" : "Earlier builds"
                      }
                      action={
                        <Anchor component={Link} to={paths.builds(projectId)} fz="sm">
                          All {items.length} builds
                        </Anchor>
                      }
                    >
                      <PanelBoundary what="earlier builds">
                        <BuildList builds={items.slice(1, 1 + MAX_EARLIER)} />
                      </PanelBoundary>
                    </SectionCard>
                  )}
                  {describe}
                </>
              ) : (
                <>
                  {step && step !== "describe" && (
                    <FirstBuild projectId={projectId} demo={demo} step={step} />
                  )}
                  {describe}
                </>
              )
            }
          </QueryView>
          <PanelBoundary what="how to clone">
            <CloneCard
              projectId={projectId}
              branch={latest?.started_at ? latest.branch : null}
              defaultBranch={defaultBranch}
              pushable={pushable && owner}
            />
          </PanelBoundary>
        </Stack>
      )}
      <Box miw={0}>
        <PanelBoundary what="the contracts">
          <ContractList projectId={projectId} />
        </PanelBoundary>
      </Box>
    </Columns>
  );
}
