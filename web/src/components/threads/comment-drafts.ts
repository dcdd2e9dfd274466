// Unsent comments on a build, kept in the browser until they are sent.
import { useState } from "react";
import { createDraftStore, type DraftStore } from "@/lib/draft-store";
import type { Place } from "./threads";

type Texts = Record<string, string>;

export interface CommentDrafts {
  /** The unsent text, if there is any. */
  textOf: (key: string) => string;
  /** An empty text without `keepOpen` removes the draft. */
  save: (key: string, text: string, keepOpen?: boolean) => void;
  /** Whether a comment is being written there. */
  has: (key: string) => boolean;
}

export const newCommentKey = ({ path, side, number }: Place) => `new:${side}:${number}:${path}`;
/** The first of the lines that a new comment is on. */
export const firstLineKey = (place: Place) => `first:${newCommentKey(place)}`;
export const replyKey = (comment: string) => `reply:${comment}`;

const textsOf = (value: unknown): Texts | null => {
  if (typeof value !== "object" || value === null) return null;
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
};

export function useCommentDrafts(build: string): CommentDrafts {
  const [store] = useState<DraftStore<Texts>>(() => createDraftStore(`comments:${build}`, textsOf));
  const [texts, setTexts] = useState<Texts>(() => store.read() ?? {});
  return {
    textOf: (key) => texts[key] ?? "",
    has: (key) => key in texts,
    save: (key, text, keepOpen = false) => {
      setTexts((before) => {
        const { [key]: _, ...others } = before;
        const next = text !== "" || keepOpen ? { ...others, [key]: text } : others;
        if (Object.keys(next).length > 0) store.write(next);
        else store.clear();
        return next;
      });
    },
  };
}
