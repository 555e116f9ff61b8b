import type { Fault } from "#core/fault/Fault.ts";
import type { Repeat } from "#core/http/Repeat.ts";
import type { RequestTarget } from "#core/http/readTarget.ts";

/** What the app knows of a request beside the request. */
export type RequestContext = {
	readonly requestId: string;
	/** Host, path and query, read once for everybody: nobody reads `request.url` again. */
	readonly target: RequestTarget;
	/** One text per client (see clientAddress): a key for limits, not always an address. */
	readonly clientAddress: string;
	/** Headers that every answer to this request carries, whoever makes it. */
	readonly headers: Map<string, string>;
	/** Set where the answer is a problem. */
	fault: Fault | undefined;
	/** The socket took over: there is no answer any more. */
	upgraded: boolean;
	/**
	 * Lets the answer be silent for so long. A request with a body is a copy by the time a route sees
	 * it, which `server.timeout(request, …)` does not know.
	 */
	keepOpen(seconds: number): void;
	/** Set by a route whose answer the gate may repeat by itself when the same URL is asked for. */
	repeat?: Repeat;
};

const contexts = new WeakMap<Request, RequestContext>();

/**
 * Finds a request's context: a route that logs or limits by itself asks for it with the
 * `request` of its own Elysia context.
 */
export const requestContexts = {
	get: (request: Request): RequestContext | undefined => contexts.get(request),
	set: (request: Request, context: RequestContext): void => {
		contexts.set(request, context);
	},
};
