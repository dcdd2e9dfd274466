import { IconForms, IconMessages } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "@/lib/paths";
import classes from "./questionnaire.module.css";

interface ModeSwitchProps {
  projectId: string;
  talking: boolean;
}

/** Switches between the form and the conversation. */
export function ModeSwitch({ projectId, talking }: ModeSwitchProps) {
  return (
    <nav aria-label="Input mode" className={classes.ways}>
      <Link to={paths.questionnaire(projectId)} aria-current={talking ? undefined : "page"}>
        <IconForms size={16} aria-hidden />
        Form
      </Link>
      <Link to={paths.conversation(projectId)} aria-current={talking ? "page" : undefined}>
        <IconMessages size={16} aria-hidden />
        Conversation
      </Link>
    </nav>
  );
}
