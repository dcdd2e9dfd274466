import { expect, it } from "vitest";
import { ApiError } from "@/lib/api-error";
import { validationErrorOf } from "./validation-error";

it.each([
  ["line 3: no `name`", { line: 3, reason: "no `name`" }],
  ["use at most 200000 characters", { line: null, reason: "use at most 200000 characters" }],
])("reads %j", (content, validationError) => {
  const error = new ApiError({ status: 422, title: "Invalid", fields: { content } });
  expect(validationErrorOf(error)).toEqual(validationError);
});
