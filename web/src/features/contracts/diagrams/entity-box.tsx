import { Box, Text, VisuallyHidden } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useId } from "react";
import type { Entity, EntityField } from "./entities";
import classes from "./entity-diagram.module.css";

interface EntityBoxProps {
  entity: Entity;
  /** Called with the entity under the pointer. */
  onNear: (name: string) => void;
  onGoTo: (name: string) => void;
}

/** An entity with its fields; references are links. */
export function EntityBox({ entity: { name, fields }, onNear, onGoTo }: EntityBoxProps) {
  const id = useId();
  return (
    <li>
      <section
        className={classes.box}
        aria-labelledby={id}
        tabIndex={-1}
        data-entity={name}
        onMouseEnter={() => onNear(name)}
        onFocus={() => onNear(name)}
      >
        <h2 id={id} className={classes.name} data-head>
          {name}
        </h2>
        <Box component="ul" py={4} className="plain-list">
          {fields.map((field, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: fields of a text never move
            <li key={at} className={classes.field} data-field>
              <span className={classes.fieldName}>{field.name}</span>
              <FieldType field={field} onGoTo={onGoTo} />
            </li>
          ))}
        </Box>
      </section>
    </li>
  );
}

function FieldType({ field: { type, to, optional }, onGoTo }: FieldTypeProps) {
  if (to === null) {
    return (
      <Text span ff="monospace" fz="xs" c="dimmed" truncate title={type}>
        {type}
      </Text>
    );
  }
  return (
    <button type="button" className={classes.way} onClick={() => onGoTo(to)}>
      <VisuallyHidden component="span">
        {type}, {optional ? "may reference" : "references"}{" "}
      </VisuallyHidden>
      <IconArrowRight size={12} aria-hidden />
      {to}
    </button>
  );
}

interface FieldTypeProps {
  field: EntityField;
  onGoTo: (name: string) => void;
}
