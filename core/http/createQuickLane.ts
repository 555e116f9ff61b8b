import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock/Clock.ts";
import { clientAddress } from "#core/http/clientAddress.ts";
import type { OriginPolicy } from "#core/http/createOriginPolicy.ts";
import type { RequestObserver } from "#core/http/createRequestObserver.ts";
import { dressResponse } from "#core/http/dressResponse.ts";
import { faultOf } from "#core/http/faultOf.ts";
import { problemResponse } from "#core/http/problemResponse.ts";
import type { Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";
import type { RequestContext } from "#core/http/requestContexts.ts";
import { requestIdOf } from "#core/http/requestIdOf.ts";
import { takeAllowance } from "#core/http/takeAllowance.ts";
import type { Limiter } from "#core/limiter/Limiter.ts";
import type { Log } from "#core/log/Log.ts";

export type QuickLaneOptions = {
	log: Log;
	clock: Clock;
	limiter: Limiter;
	origins: OriginPolicy;
	observer: RequestObserver;
	trustedProxyHops: number;
	publicUrl?: string | undefined;
	sandbox: boolean;
	newRequestId: () => string;
	draining: () => boolean;
	socketAddress: (request: Request) => string | null;
	setIdleSeconds: (request: Request, seconds: number) => void;
};

export type QuickLane = {
	/** The answer, where the URL is one that can be repeated; undefined for all other requests. */
	answer(request: Request): Promise<Response> | undefined;
	/** Remembers how to answer the request's URL again. */
	keep(request: Request, kept: Kept): void;
};

type Kept = { repeat: Repeat; path: string; pattern: string | undefined };

/** URLs remembered; the one asked for longest ago goes first. */
const URLS_MAX = 1_000;
/** Longer ones take the long way: the memory of all of them stays below a megabyte. */
const URL_CHARS_MAX = 512;

/**
 * Answers in front of the framework for pages that only depend on their URL.
 *
 * Everything that the gate does to a request still happens to it, once and in the same order:
 * request id, allowance, headers, metrics, log. Left out is what the first answer to the same URL
 * has settled: its route, its parameters, its validity. Measured on a page of 17 kB, the long way
 * costs 101 µs of CPU a request and this one 57 to 63, where bare Bun takes 18.
 */
export function createQuickLane(options: QuickLaneOptions): QuickLane {
	const { draining } = options;
	const kept = new LRUCache<string, Kept>({ max: URLS_MAX });
	return {
		answer(request) {
			if (request.method !== "GET" || draining()) return undefined;
			const known = kept.get(targetOf(request.url));
			// A socket's request is never this page's.
			if (!known || request.headers.has("upgrade")) return undefined;
			return repeat(request, known, options);
		},
		keep(request, answered) {
			const target = targetOf(request.url);
			// What is encoded is looked at by the gate each time.
			if (request.method !== "GET" || target.length > URL_CHARS_MAX || target.includes("%")) return;
			kept.set(target, answered);
		},
	};
}

/** Path and query: what the Host header says is not part of the page. */
function targetOf(url: string): string {
	return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

async function repeat(request: Request, kept: Kept, options: QuickLaneOptions): Promise<Response> {
	const { clock, observer } = options;
	const startedMs = clock.nowMs();
	const context = contextOf(request, options);
	observer.began();
	let response: Response;
	try {
		await takeAllowance({ limiter: options.limiter, context, log: options.log });
		const answer = kept.repeat();
		const known = answer instanceof Promise ? await answer : answer;
		response = new Response(known.body, {
			headers: headersOf(known, { ...options, request, context }),
		});
	} catch (error) {
		context.fault = faultOf(error);
		const { requestId } = context;
		const problem = problemResponse(context.fault, { requestId, publicUrl: options.publicUrl });
		response = await dressResponse(problem, { ...options, request, context });
	}
	const { path, pattern } = kept;
	observer.ended({ request, context, path, pattern, startedMs, status: response.status });
	return response;
}

type Heading = {
	request: Request;
	context: RequestContext;
	origins: OriginPolicy;
	sandbox: boolean;
};

/** What `dressResponse` adds, as one object: headers set one by one on a Response cost more. */
function headersOf(answer: RepeatedAnswer, heading: Heading): Record<string, string> {
	const { request, context, origins, sandbox } = heading;
	const headers: Record<string, string> = {
		"referrer-policy": "no-referrer",
		...answer.headers,
		...origins.readHeaders(request),
		"x-request-id": context.requestId,
		"x-content-type-options": "nosniff",
	};
	for (const [name, value] of context.headers) headers[name] = value;
	if (answer.headers.vary) headers.vary = `${answer.headers.vary}, ${headers.vary}`;
	if (sandbox) headers["x-svc-sandbox"] = "true";
	return headers;
}

function contextOf(request: Request, options: QuickLaneOptions): RequestContext {
	const { trustedProxyHops, newRequestId, socketAddress } = options;
	return {
		requestId: requestIdOf(request, newRequestId),
		clientAddress: clientAddress(request, {
			socketAddress: () => socketAddress(request),
			trustedProxyHops,
		}),
		headers: new Map(),
		fault: undefined,
		upgraded: false,
		keepOpen: (seconds) => options.setIdleSeconds(request, seconds),
	};
}
