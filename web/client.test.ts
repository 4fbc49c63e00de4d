// What a client generated from openapi.json may leave out of a request, and what it finds in an answer;
// compiled beside the client's types, not run: "make lint".

import type { operations } from "./openapi";

type Body<Operation extends keyof operations> = operations[Operation] extends {
  requestBody?: { content: { "application/json": infer Schema } };
}
  ? Schema
  : never;
type Answer<Operation extends keyof operations> = operations[Operation] extends {
  responses: { 200: { content: { "application/json": infer Schema } } };
}
  ? Schema
  : never;

export const vote: Body<"castVote"> = { object_id: 1, category: "binary", value: 1 };
export const preview: Body<"preview"> = {};
export const nothing: Body<"changeSettings"> = {};
export const one: Body<"putSettings"> = { enabled: false };
export const inside: Body<"patchSettings"> = { data: { scale_maximum: 5 } };

// All settings are in the answer, and the answer can be sent back.
export function edited(answer: Answer<"getSettings">): Body<"putSettings"> {
  const days: number = answer.data.voter_cookie_days;
  return { data: { ...answer.data, voter_cookie_days: days + 1 } };
}
