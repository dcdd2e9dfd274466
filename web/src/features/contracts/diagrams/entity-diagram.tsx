import { Text } from "@mantine/core";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { plural } from "@/lib/format";
import { readEntities } from "./entities";
import { EntityBox } from "./entity-box";
import classes from "./entity-diagram.module.css";
import { type Line, layLines, type Relation } from "./entity-lines";
import { UnreadableContract } from "./unreadable-contract";
import { useEntityPositions } from "./use-entity-positions";

/** Larger schemas are not drawn. */
const MAX_ENTITIES = 60;

/** The schema contract as a diagram with a line for each reference. */
export default function EntityDiagram({ text }: { text: string }) {
  const all = useMemo(() => readEntities(text), [text]);
  // Remounted for each text, so that boxes are measured again.
  return all.length === 0 ? <UnreadableContract what="entity" /> : <Diagram key={text} all={all} />;
}

function Diagram({ all }: { all: ReturnType<typeof readEntities> }) {
  const entities = useMemo(() => all.slice(0, MAX_ENTITIES), [all]);
  const root = useRef<HTMLDivElement>(null);
  const placed = useEntityPositions(root);
  const [near, setNear] = useState<string | null>(null);
  const relations = useMemo(
    () =>
      entities.flatMap(({ name, fields }) =>
        fields.flatMap(({ to, optional }, field): Relation[] =>
          to === null ? [] : [{ from: name, field, to, optional }],
        ),
      ),
    [entities],
  );
  const lines = useMemo(
    () => (placed ? layLines(placed.entities, relations, placed.width) : []),
    [placed, relations],
  );

  function goTo(name: string) {
    const box = [...(root.current?.querySelectorAll<HTMLElement>("[data-entity]") ?? [])].find(
      ({ dataset }) => dataset.entity === name,
    );
    box?.focus({ preventScroll: true });
    box?.scrollIntoView({ block: "nearest" });
  }

  return (
    <>
      <Text fz="sm" c="dimmed">
        {plural(all.length, "entity", "entities")}
        {relations.length > 0 &&
          ". Lines connect fields with the entities they reference; dashed lines are optional"}
        .
        {all.length > MAX_ENTITIES &&
          ` The first ${MAX_ENTITIES} are shown. See the text for the others.`}
      </Text>
      <div ref={root} className={classes.picture} data-lined={relations.length > 0 || undefined}>
        <ul
          className={`plain-list ${classes.boxes}`}
          aria-label="Entities"
          onMouseLeave={() => setNear(null)}
          onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && setNear(null)}
        >
          {entities.map((entity) => (
            <EntityBox key={entity.name} entity={entity} onNear={setNear} onGoTo={goTo} />
          ))}
        </ul>
        {placed && (
          <svg
            className={classes.lines}
            width={placed.width}
            height={placed.height}
            aria-hidden="true"
          >
            {lines.map((line) => (
              <Relating key={`${line.from} ${line.field}`} line={line} near={near} />
            ))}
          </svg>
        )}
      </div>
    </>
  );
}

function Relating({ line, near }: { line: Line; near: string | null }) {
  const [x, y] = line.end;
  const back = line.rightwards ? -7 : 7;
  const isNear = near === line.from || near === line.to;
  return (
    <g className={classes.line} data-near={near === null ? undefined : isNear}>
      <path d={line.path} strokeDasharray={line.optional ? "4 4" : undefined} />
      <circle cx={line.start[0]} cy={line.start[1]} r={3} />
      <polygon points={`${x},${y} ${x + back},${y - 4} ${x + back},${y + 4}`} />
    </g>
  );
}
