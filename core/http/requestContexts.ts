import type { Fault } from "#core/fault/Fault.ts";
import type { Repeat } from "#core/http/Repeat.ts";
import type { RequestTarget } from "#core/http/readTarget.ts";

/** The app's data about a request. */
export type RequestContext = {
	readonly requestId: string;
	/** Host, path and query, read once; no other code reads `request.url`. */
	readonly target: RequestTarget;
	/** One text per client (see clientAddress): a key for limits, not always an address. */
	readonly clientAddress: string;
	/** Headers of every answer to this request, whatever makes it. */
	readonly headers: Map<string, string>;
	/** Set if the answer is a problem. */
	fault: Fault | undefined;
	/** True after an upgrade: there is no answer any more. */
	upgraded: boolean;
	/**
	 * Allows the answer to send nothing for this long. A route may have a copy of the request, which
	 * `server.timeout(request, …)` does not know.
	 */
	keepOpen(seconds: number): void;
	/** Set by a route whose answer the gate may repeat for the same URL. */
	repeat?: Repeat;
};

const contexts = new WeakMap<Request, RequestContext>();

/** Finds a request's context, by the `request` of an Elysia context. */
export const requestContexts = {
	get: (request: Request): RequestContext | undefined => contexts.get(request),
	set: (request: Request, context: RequestContext): void => {
		contexts.set(request, context);
	},
};
