// Actions on the whole journal, beyond the rows that are loaded.
import { useState } from "react";
import type { Feed } from "@/domain/feed/feed-store";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { saveFile } from "@/lib/save-file";
import { readJournal } from "./export-journal";
import { firstError } from "./first-error";

export function useJournalActions(buildId: string, feed: Feed, goTo: (seq: number) => void) {
  const [exporting, setExporting] = useState(false);

  async function jumpToFirstError() {
    try {
      const seq = await firstError(feed, buildId);
      if (seq === null) notifyDone("This build has no errors");
      else goTo(seq);
    } catch (error) {
      notifyFailed("Could not find the first error", error);
    }
  }

  async function exportJournal() {
    setExporting(true);
    try {
      const journal = await readJournal(buildId, feed.store.getState().cursor);
      saveFile(journal, `build-${buildId}.ndjson`);
    } catch (error) {
      notifyFailed("Could not export the journal", error);
    } finally {
      setExporting(false);
    }
  }

  return {
    exporting,
    exportJournal: () => void exportJournal(),
    jumpToFirstError: () => void jumpToFirstError(),
  };
}
