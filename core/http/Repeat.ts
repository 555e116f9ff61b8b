import type { Content } from "#core/http/content/contentOf.ts";

/** The answer's own headers, in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>> & { readonly "content-type": string };

/** An answer without the headers that the gate adds to every answer. Its status is 200. */
export type RepeatedAnswer = { content: Content; headers: AnswerHeaders };

/**
 * Answers a URL that was answered before, without routing, parsing and validating it again. Only
 * for routes whose answers are the same for all callers (`canBeCached`): they depend on the URL and
 * the time alone, never on a header, a cookie or a session. `nowMs` is the time of the service's
 * clock.
 *
 * A repeated answer is the same object, so that its compressed forms are found by it.
 */
export type Repeat = (nowMs: number) => RepeatedAnswer | Promise<RepeatedAnswer>;

/** An answer as its route makes it. */
export type MadeAnswer = { body: string; headers: AnswerHeaders };
