import { Alert, Anchor, Box, Button, Group, List, Text, ThemeIcon, Title } from "@mantine/core";
import { IconPencilBolt, IconPencilQuestion } from "@tabler/icons-react";
import { Link } from "react-router";
import { useActions } from "@/domain/actions";
import { messageOf } from "@/lib/api-error";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useWriteContracts } from "./api";

/** A required question without an answer. */
export interface OpenQuestion {
  section: string;
  question: string;
  label: string;
  /** The section's title. */
  title: string;
}

interface WriteContractsProps {
  projectId: string;
  unwritten: number;
  unanswered: OpenQuestion[];
  onStarted: () => void;
}

/** Starts the generation, or lists the required questions that are open. */
export function GenerateContracts(props: WriteContractsProps) {
  const { projectId, unwritten, unanswered, onStarted } = props;
  const write = useWriteContracts(projectId);
  const [first] = unanswered;
  const begin = () => write.mutate(undefined, { onSuccess: onStarted });
  useActions([!first && !write.isPending && { name: "writeContracts", run: begin }]);
  return (
    <Group gap="1rem 1.25rem">
      <ThemeIcon size={44} radius="lg" variant="light" aria-hidden>
        {first ? <IconPencilQuestion size={24} /> : <IconPencilBolt size={24} />}
      </ThemeIcon>
      <Box flex="1 1 16rem" miw={0}>
        <Title order={2}>
          {unwritten === 9
            ? "The contracts have not been generated yet"
            : `${plural(unwritten, "contract")} ${unwritten === 1 ? "has" : "have"} not been generated yet`}
        </Title>
        <Text fz="sm" c="dimmed" mt={4}>
          {first
            ? `They are generated from your answers. ${plural(unanswered.length, "required answer")} ${unanswered.length === 1 ? "is" : "are"} missing:`
            : "They are generated from your answers, one after the other. You can leave this page in the meantime."}
        </Text>
        {first && <OpenQuestions projectId={projectId} unanswered={unanswered} />}
        {write.isError && (
          <Alert color="red" role="alert" mt="sm" p="sm">
            {messageOf(write.error)}
          </Alert>
        )}
      </Box>
      {first ? (
        <Button
          component={Link}
          to={paths.questionnaire(projectId, first.section, first.question)}
          w={{ base: "100%", xs: "auto" }}
        >
          Answer required questions
        </Button>
      ) : (
        <Button loading={write.isPending} w={{ base: "100%", xs: "auto" }} onClick={begin}>
          Generate contracts
        </Button>
      )}
    </Group>
  );
}

function OpenQuestions({
  projectId,
  unanswered,
}: Pick<WriteContractsProps, "projectId" | "unanswered">) {
  return (
    <List size="sm" spacing={4} mt="xs">
      {unanswered.map(({ section, question, label, title }) => (
        <List.Item key={`${section}.${question}`}>
          <Anchor
            component={Link}
            inherit
            underline="always"
            to={paths.questionnaire(projectId, section, question)}
          >
            {label}
          </Anchor>{" "}
          <Text span inherit c="dimmed">
            {title}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}
