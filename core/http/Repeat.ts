/** An answer before what the gate adds to every answer. Its status is 200. */
export type RepeatedAnswer = {
	body: string | Uint8Array<ArrayBuffer> | Blob;
	/** `content-type` and the route's own; in lower case. */
	headers: Readonly<Record<string, string>>;
};

/**
 * Answers a URL that has been answered, without routing, parsing and validating it again. Only for
 * answers that depend on the URL and the time alone: never on a header, a cookie or a session.
 * `nowMs` is the time of the service's clock.
 */
export type Repeat = (nowMs: number) => RepeatedAnswer | Promise<RepeatedAnswer>;
