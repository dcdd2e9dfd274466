import { Chip, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { type FieldAttributes, inputAttributes } from "./field-attributes";

interface ChoiceAnswerProps {
  names: FieldAttributes;
  options: string[];
  value: string;
  onChange: (answer: string) => void;
}

/** One of the options, or free text. */
export function ChoiceAnswer({ names, options, value, onChange }: ChoiceAnswerProps) {
  const isOwn = value !== "" && !options.includes(value);
  const [picked, setPicked] = useState(isOwn);
  const [words, setWords] = useState("");
  const own = isOwn || (picked && value === "");
  const { id, "aria-invalid": invalid, ...group } = names;
  const chip = { type: "radio", name: id, size: "sm", radius: "xl", variant: "outline" } as const;
  return (
    <>
      <Group role="radiogroup" {...group} aria-invalid={invalid} gap="xs">
        {options.map((option) => (
          <Chip
            {...chip}
            key={option}
            checked={value === option}
            onChange={() => {
              if (isOwn) setWords(value);
              setPicked(false);
              onChange(option);
            }}
          >
            {option}
          </Chip>
        ))}
        <Chip
          {...chip}
          checked={own}
          onChange={() => {
            setPicked(true);
            onChange(words);
          }}
        >
          Other
        </Chip>
      </Group>
      {own && (
        <TextInput
          mt="xs"
          attributes={inputAttributes({
            "aria-label": "Other",
            "aria-describedby": group["aria-describedby"],
          })}
          error={invalid}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </>
  );
}
