// Page objects of the interview.
import type { Page } from "@playwright/test";
import type { Model } from "./model";

export const SHEEP =
  "Something that counts sheep, for shepherds in the hills. They count a flock when it leaves and again when it comes home, and it tells which are missing.";

export function interview(page: Page) {
  const log = page.getByRole("log", { name: "Messages" });
  const understood = page.getByRole("complementary", { name: "Answers so far" });
  return {
    log,
    understood,
    messages: log.getByRole("listitem"),
    first: page.getByRole("textbox", { name: "Describe your project" }),
    field: page.getByRole("textbox", { name: "Message" }),
    send: page.getByRole("button", { name: "Send", exact: true }),
    ways: page.getByRole("navigation", { name: "Input mode" }),
    progress: understood.getByRole("progressbar", { name: "Questions answered" }),
  };
}

/** Answers messages about sheep, asks where the program runs, and accepts the reply. */
export function shepherd(model: Model): void {
  model.listen((said) => {
    if (said.includes("counts sheep"))
      return {
        answers: [
          {
            section: "product_intent",
            question: "summary",
            text: "It counts sheep and tells which are missing.",
          },
          { section: "product_intent", question: "users", text: "Shepherds in the hills." },
          {
            section: "product_intent",
            question: "features",
            items: [
              "A shepherd counts a flock that leaves",
              "A shepherd counts it when it is home",
            ],
          },
        ],
        says: "It counts flocks for shepherds, going and coming, and names the missing. What do they see: a web page, a terminal?",
      };
    return {
      answers: [{ section: "ui_requirements", question: "kind", text: "A terminal" }],
      says: "A terminal, then. Everything needed of what people see is there; which programming language shall it be?",
    };
  });
}
