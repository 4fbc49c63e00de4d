// Checks which members a request with the npm package may omit, and which members a response contains. "make lint"
// compiles this file but does not run it.

import { createClient, type Answer, type Options, type RatingAttributes, type RatingProps } from "ratingd-client";

const client = createClient({ baseUrl: "https://example.org/wp-json/ratingd/v1" });

export const attributes: RatingAttributes = { "object-id": 1, template: "simple/stars", stars: 10 };
export const props: RatingProps = { objectId: "1", category: "scale", stars: "3" };
export const vote: Options<"/rate", "POST">["body"] = { object_id: 1, category: "binary", value: 1 };
export const preview: Options<"/preview", "POST">["body"] = {};
export const nothing: Options<"/settings", "POST">["body"] = {};
export const one: Options<"/settings", "PUT">["body"] = { enabled: false };
export const inside: Options<"/settings", "PATCH">["body"] = { data: { scale_maximum: 5 } };

// All settings are in the answer, and the answer can be sent back.
export function edited(answer: Answer<"/settings", "GET">): Options<"/settings", "PUT">["body"] {
  const days: number = answer.data.voter_cookie_days;
  return { data: { ...answer.data, voter_cookie_days: days + 1 } };
}

export async function answered() {
  const own: number | undefined = (await client.stats(1)).user_ratings.scale?.value;
  const list = await client.request("GET", "/public/stats", { query: { object_ids: [1, 2] } });
  const total: number | undefined = list.data[0]?.stats.binary.total;
  const templates = await client.request("GET", "/templates");
  const name = { params: { namespace: "mine", name: templates.data[0]?.slug ?? "" } };
  const html: string = (await client.request("GET", "/templates/{namespace}/{name}", name)).data.html;
  const lines: string = await client.request("GET", "/data/export", { query: { format: "csv" } });
  await client.request("POST", "/data/import", { body: lines, query: { format: "csv" } });
  const best = await client.request("GET", "/analytics/top-rated", { query: { metric: "wilson" } });
  return [own, total, html, best.data[0]?.object_id, await client.request("DELETE", "/me")];
}

export async function refused() {
  // @ts-expect-error: another method
  await client.request("PATCH", "/rate", { body: vote });
  // @ts-expect-error: another path
  await client.request("GET", "/ratings");
  // @ts-expect-error: without its parameter
  await client.request("GET", "/stats/{object_id}");
  // @ts-expect-error: without its body
  await client.request("POST", "/rate");
  // @ts-expect-error: a body that the method does not have
  await client.request("GET", "/stats/{object_id}", { params: { object_id: 1 }, body: vote });
  // @ts-expect-error: another category
  await client.rate({ object_id: 1, category: "stars", value: 1 });
  // @ts-expect-error: an answer of another shape
  await client.request("GET", "/analytics/top-rated", { query: { format: "csv" } });
}
