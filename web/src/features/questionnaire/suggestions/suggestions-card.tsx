import { Box, Button, Card, Group, Modal, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFileSearch } from "@tabler/icons-react";
import { useId, useRef } from "react";
import type { SuggestedAnswer } from "@/lib/api";
import { plural, shortSha } from "@/lib/format";
import { notifyDone } from "@/lib/notify";
import type { AnswersForm } from "../answers/use-answers";
import { useSuggestedAnswers } from "../api";
import { offersOf, openCount, withAccepted } from "./offers";
import { SuggestionList } from "./suggestion-list";

const TITLE = "Found in your repository";

/** Offers answers that the repository suggests, while there are any for unanswered questions. */
export function SuggestionsCard({ form }: { form: AnswersForm }) {
  const { data: found } = useSuggestedAnswers(form.projectId);
  const [opened, { open, close }] = useDisclosure(false);
  const title = useId();
  const start = useRef<HTMLDivElement>(null);
  const { saver, state } = form;
  const offers = offersOf(state.saved.sections, state.draft.answers, found?.items ?? []);
  const count = openCount(offers);

  const accept = (accepted: SuggestedAnswer[]) => {
    const { draft } = saver.store.getState();
    saver.type({ ...draft, answers: withAccepted(draft.answers, accepted, offers) });
    void saver.flush();
    close();
    // The button that opened the dialog may be gone.
    start.current?.focus();
    notifyDone(`${plural(accepted.length, "suggestion")} added to the form.`);
  };

  return (
    <div ref={start} tabIndex={-1} style={{ outline: "none" }}>
      {count > 0 && (
        <Card component="section" aria-labelledby={title} mb="md" p="md">
          <Group gap="sm">
            <IconFileSearch size={20} aria-hidden />
            <Box flex="1 1 14rem" miw={0}>
              <Title order={2} fz="md" id={title}>
                {TITLE}
              </Title>
              <Text fz="sm" c="dimmed">
                {plural(count, "suggestion")} for unanswered questions
              </Text>
            </Box>
            <Button variant="default" onClick={open}>
              Review suggestions
            </Button>
          </Group>
        </Card>
      )}
      <Modal opened={opened} onClose={close} title={TITLE} size="lg">
        <Text fz="sm" c="dimmed">
          From {found?.branch}
          {found?.sha && <> at {shortSha(found.sha)}</>}. You can edit answers after adding them.
        </Text>
        <SuggestionList offers={offers} onAccept={accept} onCancel={close} />
      </Modal>
    </div>
  );
}
