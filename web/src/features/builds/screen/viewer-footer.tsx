import { IconEye } from "@tabler/icons-react";
import { useOtherOwner } from "@/domain/project-access";
import type { Build } from "@/lib/api";
import { questionsLabel, questionsText } from "../clarifications/questions-label";
import { FooterText } from "../composer/footer-text";

/** Replaces the command line for viewers. */
export function ViewerFooter({ build }: { build: Build }) {
  const owner = useOtherOwner();
  const questions = build.open_clarifications;
  return (
    <FooterText icon={<IconEye size={16} aria-hidden />}>
      {!owner
        ? "This project is archived and read-only."
        : questions.length > 0
          ? `${questionsLabel(questions)} for ${owner}: ${questionsText(questions)}`
          : `You are a viewer. ${owner} owns this project and controls its builds.`}
    </FooterText>
  );
}
