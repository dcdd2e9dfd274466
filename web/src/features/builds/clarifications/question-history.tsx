import { Anchor, Box, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Build, Clarification } from "@/lib/api";
import { formatDate } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useQuestions } from "./api";
import { askedBy } from "./asked-by";
import { Decision } from "./decision";
import { quotedAnswer } from "./quoted-answer";
import { resolutionLabel } from "./resolution-label";

/** All questions of a build, with their answers. */
export function QuestionHistory({ build }: { build: Build }) {
  const questions = useQuestions(build.id).data ?? [];
  if (questions.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        No questions. Agents ask if the contracts leave something open.
      </Text>
    );
  }
  return (
    <ul className="plain-list lined">
      {questions.map((question) => (
        <Box component="li" key={question.id} py={6}>
          <Asked build={build} question={question} />
        </Box>
      ))}
    </ul>
  );
}

function Asked({ build, question }: { build: Build; question: Clarification }) {
  const { asked_seq: asked, resolved_seq: resolved, resolved_at: at, answer } = question;
  return (
    <>
      <Text fz="sm" fw={550}>
        {question.question}
      </Text>
      {answer && <Text fz="sm">{quotedAnswer(question)}</Text>}
      <Decision build={build.id} question={question} />
      <Text fz="xs" c="dimmed" mt={2}>
        {resolutionLabel(question, false)}
        {at && ` · ${formatDate(at)}`}
      </Text>
      <Text fz="xs" c="dimmed" mt={2}>
        <EventLink build={build} seq={asked}>
          {askedBy(question)} asked
        </EventLink>
        {resolved !== null && " · "}
        {resolved !== null && (
          <EventLink build={build} seq={resolved}>
            settled
          </EventLink>
        )}
      </Text>
    </>
  );
}

interface EventLinkProps {
  build: Build;
  seq: number | null;
  children: React.ReactNode;
}

function EventLink({ build, seq, children }: EventLinkProps) {
  if (seq === null) return children;
  return (
    <Anchor component={Link} to={paths.event(build.project_id, build.number, seq)} fz="xs">
      {children} <span aria-hidden>#{seq}</span>
    </Anchor>
  );
}
