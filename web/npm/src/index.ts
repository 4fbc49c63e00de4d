// A client for the HTTP API of ratingd. The types of paths, parameters and answers are in openapi.ts, which is made
// from openapi.json. The client needs fetch, crypto.getRandomValues and performance.now.

import type { components, paths } from "./openapi.js";

export type { components, paths };
type Schemas = components["schemas"];
export type Vote = Schemas["RatingRequest"];
export type Rating = Schemas["RatingAnswer"];
export type Stats = Schemas["StatsAnswer"];

// --- Types of requests ----------------------------------------------------------------------------

export type Path = keyof paths;
type Verb = "get" | "post" | "put" | "patch" | "delete";
/** The methods of a path: `Method<"/rate">` is `"POST" | "DELETE"`. */
export type Method<P extends Path> = { [V in Verb]: paths[P][V] extends object ? Uppercase<V> : never }[Verb];
type Operation<P extends Path, M extends string> = paths[P][Lowercase<M> & Verb];
type Content<C> = C extends { "application/json": infer Json } ? Json : C[keyof C];
// Parameters that change the shape of an answer. With them, the answer would not have its type.
type Reshaping<P extends Path> = "_fields" | (P extends `/analytics/${string}` ? "format" : never);

/**
 * The parts of a request: `params` in the path, `query` and `body`. A part is required if the API requires one of its
 * members.
 */
export type Options<P extends Path, M extends string> = Given<Operation<P, M>, Reshaping<P>> & { signal?: AbortSignal };
type Given<O, Without extends string> = O extends { parameters: infer In }
  ? {
      [K in keyof In as K extends "path" ? "params" : K & "query"]: Omit<Exclude<In[K], undefined>, Without>;
    } & {
      [K in keyof O as K extends "requestBody" ? "body" : never]: O[K] extends { content: infer C } | undefined
        ? Content<C>
        : never;
    }
  : never;

// The type that the client uses internally for values. It ignores the API's types.
type Any = Record<string, unknown>;
type AnyOptions = { params?: Any; query?: Any; body?: unknown; signal?: AbortSignal };

type Success<R> = R[keyof R & (200 | 201)];
/** The result of a successful request: an object, or a text if the answer is not JSON. */
export type Answer<P extends Path, M extends string> =
  Operation<P, M> extends { responses: infer R }
    ? Success<R> extends { content: infer C } ? Content<C> : never
    : never;

// --- The client -----------------------------------------------------------------------------------

/** For example `localStorage`, or `AsyncStorage` in React Native. */
export interface TokenStorage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): unknown;
}

type Ticket = string | null | undefined;

export interface ClientOptions {
  /** For example `https://example.org/wp-json/ratingd/v1`. */
  baseUrl: string;
  /** Sends the requests instead of the global `fetch`. It can add headers or a timeout to each request. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * The `credentials` option of `fetch` for all requests except those to public paths. Browsers reject public responses
   * from other origins if the request has credentials.
   */
  credentials?: "include" | "omit" | "same-origin";
  /** Stores the device token. Without it and without the voter's cookie, each client is a new voter. */
  storage?: TokenStorage;
  /**
   * The visitor's ticket, or a function that fetches a new ticket from your own back end. The ticket is empty if the
   * visitor has none. The function is called before the first request, when a ticket expires, and when a ticket was
   * refused.
   */
  ticket?: string | (() => Ticket | Promise<Ticket>);
}

/**
 * An error that the service reports. `code` is empty if a server in front of the service, such as a proxy, answered.
 */
export class RatingdError extends Error {
  override readonly name = "RatingdError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly data: Schemas["Error"]["data"] & { reason?: Schemas["BadTicketError"]["data"]["reason"] },
  ) {
    super(message);
  }
}

export type Client = ReturnType<typeof createClient>;

/** Creates a client for one visitor. A server creates one client for each visitor. */
export function createClient({ baseUrl, fetch: send = (...request) => fetch(...request), ...options }: ClientOptions) {
  const base = baseUrl.replace(/\/$/, "");
  const tokenFor = deviceTokens(options.storage);
  const currentTicket = tickets(options.ticket);

  /** Throws RatingdError, or the error of `fetch`. */
  async function request<P extends Path, M extends Method<P>>(
    method: M,
    path: P,
    ...[given]: {} extends Options<P, M> ? [Options<P, M>?] : [Options<P, M>]
  ): Promise<Answer<P, M>> {
    const { params = {}, query = {}, body, signal } = (given ?? {}) as AnyOptions;
    // Some hosts block methods other than GET and POST.
    const isPlain = method === "GET" || method === "POST";
    // Ad blockers block addresses with "/stats?object", so another parameter is first.
    const asked = isPlain && !path.endsWith("/stats") ? query : { _method: method, ...query };
    const url = base + path.replace(/\{(\w+)\}/g, (_, name) => segment(name, params[name])) + search(asked);
    // Public responses are the same for everybody, and any cache may store them.
    if (path.startsWith("/public/")) return read(await send(url, { signal }));
    const attempt = async (ticket: string) => {
      const headers: Record<string, string> = {};
      const token = !ticket && (await tokenFor(method === "POST" && path === "/rate"));
      if (ticket) headers["X-Ratingd-Ticket"] = ticket;
      if (token) headers["X-Ratingd-Device"] = token;
      const isText = body === undefined || typeof body === "string";
      if (!isText) headers["Content-Type"] = "application/json";
      const init: RequestInit = { method: isPlain ? method : "POST", headers, body: isText ? body : JSON.stringify(body), signal };
      // A redirect could send the ticket or the token to another host. Cloudflare Workers do not accept "error".
      init.redirect = "manual";
      // Cloudflare Workers reject any value.
      if (options.credentials) init.credentials = options.credentials;
      return send(url, init);
    };
    const ticket = currentTicket();
    const response = await attempt(await ticket);
    if (response.status !== 401 || typeof options.ticket !== "function") return read(response);
    await response.body?.cancel();
    return read(await attempt(await currentTicket(ticket)));
  }

  return {
    request,
    rate: (vote: Vote): Promise<Rating> => request("POST", "/rate", { body: vote }),
    /** Removes the visitor's own rating. */
    withdraw: (query: Options<"/rate", "DELETE">["query"]): Promise<Rating> => request("DELETE", "/rate", { query }),
    /** Returns the counts of an object, and the visitor's own ratings. */
    stats: (object_id: Schemas["ObjectId"], object_type?: string): Promise<Stats> =>
      request("GET", "/stats/{object_id}", { params: { object_id }, query: object_type ? { object_type } : {} }),
  };
}

// Servers decode a path before they split it. Encode values so that no value leads to another path.
function segment(name: string, value: unknown) {
  const text = String(value);
  if (/[/\\]|^\.*$/.test(text)) throw new TypeError(`${name} cannot be "${text}"`);
  return encodeURIComponent(text);
}

// Writes lists as a,b. In React Native, the URLSearchParams constructor ignores pairs.
function search(query: Any) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.map(([name, value]) => encodeURIComponent(name) + "=" + encodeURIComponent(String(value)));
  return pairs.length ? "?" + pairs.join("&") : "";
}

async function read(response: Response) {
  const text = await response.text();
  const isJson = /^application\/json\b/.test(response.headers.get("Content-Type") ?? "");
  const answer = isJson ? JSON.parse(text) : text;
  if (response.ok) return answer;
  const { status } = response;
  if (typeof answer?.code === "string") throw new RatingdError(status, answer.code, answer.message, answer.data);
  // In browsers, the status of a redirect is 0.
  const message = response.type === "opaqueredirect" ? "The server redirects to another URL." : `The server answered ${status}.`;
  throw new RatingdError(status, "", message, { status });
}

// Returns a function that returns the voter's token. The token is created at the first vote. Until then, no request
// identifies the visitor.
function deviceTokens(storage?: TokenStorage) {
  const name = "ratingd-device";
  let token: Promise<string | null> | undefined;
  const draw = async () => {
    const drawn = crypto.getRandomValues(new Uint32Array(5)).join("-"); // plain HTTP does not have randomUUID
    // If the token cannot be stored because the storage is full or blocked, only this client uses it.
    await Promise.resolve(drawn).then((value) => storage?.setItem(name, value)).catch(() => {});
    return drawn;
  };
  return (isVote: boolean) => {
    token ??= Promise.resolve(name).then((key) => storage?.getItem(key) ?? null).catch(() => null);
    if (isVote) token = token.then((kept) => kept ?? draw());
    return token;
  };
}

const margin = 10_000; // ms; a ticket must stay valid this long, because the request takes time
const withoutTicket = 60_000; // ms between two requests for a ticket while the visitor has none

// Returns for how many milliseconds a ticket is valid. The result does not depend on the clock of this machine.
function lifeOf(ticket: string) {
  const claims = ticket.split(".")[1] ?? "";
  const { iat, exp } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/")));
  return 1000 * (exp - iat);
}

// Returns a function that returns the ticket. The ticket is fetched once, even if several requests wait for it. The
// function never returns the ticket "refused".
function tickets(source: ClientOptions["ticket"]) {
  if (typeof source !== "function") return async () => source ?? "";
  let kept: { ticket: Promise<string>; end: number } | undefined;
  const fetched = () => {
    const since = performance.now();
    const one = { ticket: Promise.resolve().then(source).then((ticket) => ticket ?? ""), end: Infinity };
    one.ticket
      .then((ticket) => (one.end = since + (ticket ? lifeOf(ticket) - margin : withoutTicket)))
      .catch(() => (one.end = 0));
    return one;
  };
  return (refused?: Promise<string>) => {
    if (!kept || kept.ticket === refused || performance.now() >= kept.end) kept = fetched();
    return kept.ticket;
  };
}

// --- The widget -----------------------------------------------------------------------------------

/** The attributes of `<ratingd-rating>` for JSX and templates, except for the texts `label-…`. */
export type RatingAttributes = {
  "object-id": number | string;
  "object-type"?: string;
  size?: "small" | "medium" | "large";
  "color-scheme"?: "light" | "dark" | "auto";
  counts?: "true" | "false";
  "hide-result"?: "true" | "false";
  schema?: string;
  stars?: number | string;
} & ({ template: string } | { category: Schemas["Category"] });

type Camel<S> = S extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : S;
type Camelized<T> = T extends unknown ? { [K in keyof T as Camel<K>]: T[K] } : never;
/** The same attributes for Vue. Vue checks the attributes and listeners in its templates by these names. */
export type RatingProps = Camelized<RatingAttributes> & { "onRatingd:updated"?: (event: CustomEvent<Updated>) => void };

/** The `detail` of the widget's event `ratingd:updated`. */
export type Updated = Omit<Stats, "user_ratings"> & Partial<Pick<Stats, "user_ratings">>;
