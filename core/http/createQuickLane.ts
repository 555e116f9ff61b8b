import type { Clock } from "#core/clock/Clock.ts";
import { clientAddress } from "#core/http/clientAddress.ts";
import type { OriginPolicy } from "#core/http/createOriginPolicy.ts";
import type { ProxyList } from "#core/http/createProxyList.ts";
import type { ObservedRepeat, RequestObserver } from "#core/http/createRequestObserver.ts";
import { dressResponse } from "#core/http/dressResponse.ts";
import { faultOf } from "#core/http/faultOf.ts";
import { grantAllowance } from "#core/http/grantAllowance.ts";
import { problemResponse } from "#core/http/problemResponse.ts";
import type { Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";
import type { RequestTarget } from "#core/http/readTarget.ts";
import type { RequestContext } from "#core/http/requestContexts.ts";
import { requestIdOf } from "#core/http/requestIdOf.ts";
import { takeAllowance } from "#core/http/takeAllowance.ts";
import { varyWith } from "#core/http/varyWith.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter/Limiter.ts";
import type { Log } from "#core/log/Log.ts";

export type QuickLaneOptions = {
	log: Log;
	clock: Clock;
	limiter: Limiter;
	origins: OriginPolicy;
	observer: RequestObserver;
	trustedProxyHops: number;
	proxies: ProxyList;
	publicUrl?: string | undefined;
	sandbox: boolean;
	newRequestId: () => string;
	draining: () => boolean;
	socketAddress: (request: Request) => string | null;
	setIdleSeconds: (request: Request, seconds: number) => void;
};

export type QuickLane = {
	/** The answer, where the URL is one that can be repeated; undefined for all other requests. */
	answer(request: Request): Response | Promise<Response> | undefined;
	/** Remembers how to answer the request's URL again. */
	keep(request: Request, kept: Kept): void;
};

type Kept = { repeat: Repeat; target: RequestTarget; pattern: string | undefined };

/** A URL with what all of its answers have in common. */
type Lane = Kept & {
	observe: (repeat: ObservedRepeat) => void;
	model: Model | undefined;
};

/** What all who share the newest answer are given, with what the last of them was told. */
type Model = {
	of: RepeatedAnswer;
	/** Has no body: a Response made from another one copies its headers and asks for nothing more. */
	response: Response;
	headers: Headers;
	/** Of the last one told, because most are told the same: setting a header costs 0.1 µs. */
	limit: number | undefined;
	resetSeconds: number | undefined;
};

/** A request that was looked at: its client has paid for it, or is still to be asked. */
type Begun = {
	requestId: string;
	client: string;
	startedMs: number;
	taken: LimiterAnswer | undefined;
	answer: RepeatedAnswer | Promise<RepeatedAnswer> | undefined;
};

/** URLs remembered; the one that came first goes first, and comes again with its next request. */
const URLS_MAX = 1_000;
/** Longer ones take the long way: all stay below a megabyte, beside the newest page of each. */
const URL_CHARS_MAX = 512;

/**
 * Answers in front of the framework for pages that only depend on their URL.
 *
 * Everything that the gate does to a request still happens to it, once and in the same order:
 * request id, allowance, headers, metrics, log. Left out is what the first answer to the same URL
 * has settled: its route, its parameters, its validity.
 *
 * What is ready (the answer of this millisecond, a limiter that asks nobody) is given without a
 * promise, and looked up in a plain map: a library's LRU cost 3 µs (see the README).
 */
export function createQuickLane(options: QuickLaneOptions): QuickLane {
	const { draining } = options;
	const lanes = new Map<string, Lane>();
	return {
		answer(request) {
			if (request.method !== "GET" || draining()) return undefined;
			const lane = lanes.get(request.url);
			// A socket's request is never this page's, and two hosts are nobody's.
			if (!lane || request.headers.has("upgrade") || isTwofold(request)) return undefined;
			const begun = begin(request, lane, options);
			return (
				answerNow(request, { lane, begun, options }) ??
				answerLater(request, { lane, begun, options })
			);
		},
		keep(request, answered) {
			const { method, url } = request;
			// What is found by one text must have been read as that text.
			if (url !== answered.target.url) return;
			// What is encoded is looked at by the gate each time.
			if (method !== "GET" || url.length > URL_CHARS_MAX || url.includes("%")) return;
			const observe = options.observer.repeats(answered);
			if (lanes.size >= URLS_MAX && !lanes.has(url)) lanes.delete(lanes.keys().next().value ?? url);
			lanes.set(url, { ...answered, observe, model: undefined });
		},
	};
}

/** The one thing about a host that the URL does not show: the header was sent twice. */
function isTwofold(request: Request): boolean {
	return request.headers.get("host")?.includes(",") === true;
}

/** In the order of the gate: who asks, may they, and only then the answer. */
function begin(request: Request, lane: Lane, options: QuickLaneOptions): Begun {
	const { clock, limiter, trustedProxyHops, proxies, newRequestId } = options;
	const startedMs = clock.nowMs();
	const requestId = requestIdOf(request, newRequestId);
	const socketAddress = () => options.socketAddress(request);
	const client = clientAddress(request, { socketAddress, trustedProxyHops, proxies });
	const taken = limiter.takeNow?.(client);
	const answer = taken?.allowed ? startAnswer(lane.repeat, startedMs) : undefined;
	return { requestId, client, startedMs, taken, answer };
}

/** What fails at once fails like what fails later. */
function startAnswer(repeat: Repeat, nowMs: number): RepeatedAnswer | Promise<RepeatedAnswer> {
	try {
		return repeat(nowMs);
	} catch (error) {
		return Promise.reject(error);
	}
}

type Answering = { lane: Lane; begun: Begun; options: QuickLaneOptions };

/** The answer where nothing has to be waited for. */
function answerNow(request: Request, { lane, begun, options }: Answering): Response | undefined {
	const { answer, taken, requestId, client, startedMs } = begun;
	if (!answer || !taken || answer instanceof Promise) return undefined;
	const model = modelOf(lane, answer, options);
	model.headers.set("x-request-id", requestId);
	tellAllowance(model, taken);
	lane.observe({ requestId, clientAddress: client, startedMs });
	// Without an origin the policy adds nothing but the `vary` that is there.
	if (!request.headers.has("origin")) return new Response(answer.body, model.response);
	// A copy, so that nobody else is given what is for this origin.
	const headers = new Headers(model.headers);
	addReadHeaders(headers, request, options);
	return new Response(answer.body, { headers });
}

function modelOf(lane: Lane, answer: RepeatedAnswer, { sandbox }: QuickLaneOptions): Model {
	if (lane.model?.of !== answer) {
		const response = new Response(null, { headers: commonHeaders(answer, sandbox) });
		const { headers } = response;
		lane.model = { of: answer, response, headers, limit: undefined, resetSeconds: undefined };
	}
	return lane.model;
}

/** The same as `grantAllowance` writes. */
function tellAllowance(model: Model, taken: LimiterAnswer): void {
	const { headers } = model;
	const resetSeconds = Math.ceil(taken.resetMs / 1000);
	if (model.limit !== taken.limit) headers.set("ratelimit-limit", String(taken.limit));
	headers.set("ratelimit-remaining", String(taken.remaining));
	if (model.resetSeconds !== resetSeconds) headers.set("ratelimit-reset", String(resetSeconds));
	model.limit = taken.limit;
	model.resetSeconds = resetSeconds;
}

async function answerLater(request: Request, answering: Answering): Promise<Response> {
	const { lane, begun, options } = answering;
	const { requestId, taken, startedMs } = begun;
	const context = contextOf(request, answering);
	options.observer.began();
	let response: Response;
	try {
		if (taken) grantAllowance(taken, context.headers);
		else await takeAllowance({ limiter: options.limiter, context, log: options.log });
		const answer = await (begun.answer ?? lane.repeat(options.clock.nowMs()));
		const headers = new Headers(commonHeaders(answer, options.sandbox));
		headers.set("x-request-id", requestId);
		for (const [name, value] of context.headers) headers.set(name, value);
		addReadHeaders(headers, request, options);
		response = new Response(answer.body, { headers });
	} catch (error) {
		context.fault = faultOf(error);
		const problem = problemResponse(context.fault, { requestId, publicUrl: options.publicUrl });
		response = await dressResponse(problem, { ...options, request, context });
	}
	const { pattern } = lane;
	options.observer.ended({ request, context, pattern, startedMs, status: response.status });
	return response;
}

function addReadHeaders(headers: Headers, request: Request, { origins }: QuickLaneOptions): void {
	for (const [name, value] of Object.entries(origins.readHeaders(request))) {
		// It is among the common ones, beside the route's own.
		if (name !== "vary") headers.set(name, value);
	}
}

/** What `dressResponse` adds for everybody. */
function commonHeaders({ headers }: RepeatedAnswer, sandbox: boolean): Record<string, string> {
	return {
		"referrer-policy": "no-referrer",
		...headers,
		vary: varyWith(headers.vary, "Origin"),
		"x-content-type-options": "nosniff",
		...(sandbox && { "x-svc-sandbox": "true" }),
	};
}

function contextOf(request: Request, { lane, begun, options }: Answering): RequestContext {
	return {
		requestId: begun.requestId,
		target: lane.target,
		clientAddress: begun.client,
		headers: new Map(),
		fault: undefined,
		upgraded: false,
		keepOpen: (seconds) => options.setIdleSeconds(request, seconds),
	};
}
