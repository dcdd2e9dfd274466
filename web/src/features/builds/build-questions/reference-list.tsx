import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import type { AnswerReference, Build } from "@/lib/api";
import { shortSha } from "@/lib/format";
import { paths } from "@/lib/paths";

interface ReferenceListProps {
  build: Build;
  references: AnswerReference[];
}

/** Links to what an answer is based on. */
export function ReferenceList({ build, references }: ReferenceListProps) {
  if (references.length === 0) return null;
  return (
    <>
      <Text fz="xs" c="dimmed" mt="xs" mb={2}>
        References
      </Text>
      <ul className="plain-list">
        {references.map((reference) => (
          <Text
            component="li"
            fz="sm"
            py={4}
            key={keyOf(reference)}
            style={{ overflowWrap: "anywhere" }}
          >
            <Reference build={build} reference={reference} />
          </Text>
        ))}
      </ul>
    </>
  );
}

function Reference({ build, reference }: { build: Build; reference: AnswerReference }) {
  const { project_id: project, number } = build;
  if (reference.type === "event") {
    return (
      <Anchor component={Link} to={paths.event(project, number, reference.seq)} fz="inherit">
        Event #{reference.seq}
      </Anchor>
    );
  }
  const { path, first_line, commit, changed } = reference;
  const place = linesLabel(reference);
  // Other files are not shown in the app.
  if (!changed) return `${place} at ${shortSha(commit)}, unchanged by the build`;
  return (
    <>
      <Anchor
        component={Link}
        to={paths.changedLine(project, number, path, first_line)}
        fz="inherit"
      >
        {place}
      </Anchor>{" "}
      at {shortSha(commit)}
    </>
  );
}

type Lines = Extract<AnswerReference, { type: "lines" }>;

const linesLabel = ({ path, first_line, last_line }: Lines) =>
  `${path}:${first_line}${last_line > first_line ? `–${last_line}` : ""}`;

const keyOf = (reference: AnswerReference) =>
  reference.type === "event" ? `#${reference.seq}` : linesLabel(reference);
