import { render } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ACTIONS, type Action, currentActions, runAction, useActions, wordsOf } from "./actions";

function Screen({ actions }: { actions: (Action | false)[] }) {
  useActions(actions);
  return null;
}

const names = () => currentActions().map(({ name }) => name);

describe("useActions", () => {
  it("offers what is possible on the screens that are there, the nearest first", () => {
    const pause = vi.fn();
    const layout = <Screen actions={[{ name: "signOut", run() {} }]} />;
    const { rerender } = render(
      <>
        {layout}
        <Screen actions={[{ name: "pause", run: pause }, false]} />
      </>,
    );
    expect(names()).toEqual(["pause", "signOut"]);
    runAction("pause");
    expect(pause).toHaveBeenCalledOnce();
    rerender(
      <>
        {layout}
        <Screen actions={[{ name: "resume", run() {} }]} />
      </>,
    );
    expect(names()).toEqual(["resume", "signOut"]);
    rerender(layout);
    runAction("resume");
    expect(names()).toEqual(["signOut"]);
  });
});

it("gives no key twice on one screen", () => {
  // Activity and Changes are never seen together; what is everywhere is seen with either.
  for (const near of ["Activity", "Changes"]) {
    const other = near === "Activity" ? "Changes" : "Activity";
    const keys = Object.keys(ACTIONS)
      .map((name) => wordsOf(name as keyof typeof ACTIONS))
      .filter(({ screen, keys }) => keys && screen !== other)
      .map(({ keys }) => keys);
    expect(new Set(keys).size).toBe(keys.length);
  }
});
