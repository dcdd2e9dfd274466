import { Text } from "@mantine/core";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { plural } from "@/lib/format";
import { readEntities } from "./entities";
import { EntityBox } from "./entity-box";
import classes from "./entity-diagram.module.css";
import { type Line, layLines, type Relation } from "./entity-lines";
import { Unreadable } from "./unreadable";
import { usePlaced } from "./use-placed";

/** More boxes than these are no picture any more. */
const MOST = 60;

/** The schema contract as boxes, with a line from each field to the entity that it leads to. */
export default function EntityDiagram({ text }: { text: string }) {
  const all = useMemo(() => readEntities(text), [text]);
  // Measured anew for another text.
  return all.length === 0 ? <Unreadable what="entity" /> : <Diagram key={text} all={all} />;
}

function Diagram({ all }: { all: ReturnType<typeof readEntities> }) {
  const entities = useMemo(() => all.slice(0, MOST), [all]);
  const root = useRef<HTMLDivElement>(null);
  const placed = usePlaced(root);
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
          ". A line leads from a field to the entity that it names; it is broken where the field may be empty"}
        .{all.length > MOST && ` The first ${MOST} are shown; the others are in the text.`}
      </Text>
      <div ref={root} className={classes.picture} data-lined={relations.length > 0 || undefined}>
        <ul
          className={classes.boxes}
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
