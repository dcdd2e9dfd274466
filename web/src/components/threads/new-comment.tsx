import { NativeSelect } from "@mantine/core";
import { type CommentDrafts, firstLineKey, newCommentKey } from "./comment-drafts";
import { CommentForm } from "./comment-form";
import { type CommentPlace, lineRange, type Place } from "./threads";

const MAX_OPTION_CHARS = 60;

interface NewCommentProps {
  place: Place;
  /** What the comment can be on, up to its own line. */
  lines: { number: number; text: string }[];
  drafts: CommentDrafts;
  onComment: (place: CommentPlace, text: string) => Promise<unknown>;
}

/** A comment that is being written, on a line or on several lines up to it. */
export function NewComment({ place, lines, drafts, onComment }: NewCommentProps) {
  const [textKey, firstKey] = [newCommentKey(place), firstLineKey(place)];
  const text = drafts.textOf(textKey);
  const first = lines.find(({ number }) => `${number}` === drafts.textOf(firstKey))?.number;
  const first_number = first === undefined || first === place.number ? null : first;
  const chosen = lines.filter(({ number }) => number >= (first_number ?? place.number));

  return (
    <CommentForm
      autoFocus={text === ""}
      label={`Comment on ${lineRange(first_number, place.number)}`}
      send="Comment"
      text={text}
      onChange={(text) => drafts.save(textKey, text, true)}
      onSend={(text) => onComment({ ...place, first_number }, text)}
      onClose={() => {
        drafts.save(textKey, "");
        drafts.save(firstKey, "");
      }}
      suggestFor={place.side === "new" ? chosen.map(({ text }) => text).join("\n") : undefined}
      top={
        lines.length > 1 && (
          <NativeSelect
            label="First line"
            size="xs"
            mb="xs"
            maw="30rem"
            data={lines.map(({ number, text }) => ({
              value: `${number}`,
              label: `${number}: ${text.trim().slice(0, MAX_OPTION_CHARS)}`,
            }))}
            value={`${first_number ?? place.number}`}
            onChange={(event) => drafts.save(firstKey, event.currentTarget.value)}
          />
        )
      }
    />
  );
}
