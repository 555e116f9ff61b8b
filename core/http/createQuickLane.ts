// Answers repeated requests without routing, from what was kept.

import type { Clock } from "#core/clock.ts";
import { createBoundedMap, grantAllowance, takeAllowance } from "#core/http/allowance.ts";
import { clientAddress, type ProxyList } from "#core/http/clients.ts";
import { type Encoder, negotiate, type Variant, variantHeaders } from "#core/http/content.ts";
import { type OriginPolicy, PUBLIC_READ_HEADERS, varyWith } from "#core/http/createOriginPolicy.ts";
import type { ObservedRepeat, RequestObserver } from "#core/http/createRequestObserver.ts";
import { dressResponse } from "#core/http/dressResponse.ts";
import { faultOf, httpFault } from "#core/http/faults.ts";
import { problemResponse } from "#core/http/problems.ts";
import type { Repeat, RepeatedAnswer } from "#core/http/repeat.ts";
import { type RequestContext, type RequestTarget, requestIdOf } from "#core/http/requests.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter.ts";
import type { Log } from "#core/log.ts";

export type QuickLaneOptions = {
	log: Log;
	clock: Clock;
	limiter: Limiter;
	origins: OriginPolicy;
	observer: RequestObserver;
	encoder: Encoder;
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
	/** Returns the answer if the URL can be repeated; undefined for all other requests. */
	answer(request: Request): Response | Promise<Response> | undefined;
	/** Remembers how to answer the request's URL again. */
	keep(request: Request, kept: Kept): void;
};

type Kept = { repeat: Repeat; target: RequestTarget; pattern: string | undefined };

/** A URL with what all of its answers share. */
type Lane = Kept & {
	url: string;
	observe: (repeat: ObservedRepeat) => void;
	/** The newest answer, and its ready variants. */
	newest: RepeatedAnswer | undefined;
	models: Map<Variant, Model>;
};

/** The shared answer of one variant, with the allowance headers of its last receiver. */
type Model = {
	body: Blob | null;
	status: 200 | 304;
	/** The response without a body: a Response made from another one copies its headers. */
	response: Response;
	headers: Headers;
	/** The last sent values, because most are equal: setting a header costs 0.1 µs. */
	limit: number | undefined;
	resetSeconds: number | undefined;
};

/** A request in progress: its client was charged, or the limiter has not answered yet. */
type Begun = {
	requestId: string;
	client: string;
	startedMs: number;
	taken: LimiterAnswer | undefined;
	answer: RepeatedAnswer | Promise<RepeatedAnswer> | undefined;
};

/**
 * Limits the URLs that are remembered; the oldest is dropped, and remembered again at its next
 * request.
 */
const URLS_MAX = 1_000;
/** Limits the length of a remembered URL, so that all of them stay below a megabyte. */
const URL_CHARS_MAX = 512;
/** The limit of all newest pages: 50 of 200 events, or 1,900 lists of 50 collections. */
const PAGES_BYTES_MAX = 33_554_432;

/**
 * Makes the quick lane: answers in front of the framework for pages that depend only on their URL.
 *
 * Everything that the gate does to a request still happens, once and in the same order: request id,
 * allowance, headers, metrics, log. Skipped is what the first answer to the same URL has decided:
 * its route, its parameters, its validity.
 *
 * A ready answer (made in this millisecond, with a limiter in memory) is returned without a
 * promise, and looked up in a plain map: a library's LRU cost 3 µs (see the README).
 */
export function createQuickLane(options: QuickLaneOptions): QuickLane {
	const { draining, encoder } = options;
	const lanes = createBoundedMap<Lane>({ countMax: URLS_MAX, bytesMax: PAGES_BYTES_MAX });
	const renew = (lane: Lane, answer: RepeatedAnswer): void => {
		const before = lane.newest;
		lane.newest = answer;
		if (!before || !isDressedAlike(before, answer)) lane.models.clear();
		for (const [variant, model] of lane.models) {
			const body = encoder.ready(answer.content, variant);
			if (body === undefined) lane.models.delete(variant);
			else model.body = body;
		}
		lanes.weigh(lane.url, lane, answer.content.size);
	};
	return {
		answer(request) {
			if (request.method !== "GET" || draining()) return undefined;
			const lane = lanes.get(request.url);
			// A request for a socket never gets this page, and two hosts are refused.
			if (!lane || request.headers.has("upgrade") || isTwofold(request)) return undefined;
			const begun = begin(request, lane, options);
			const answering = { lane, begun, renew, options };
			return answerNow(request, answering) ?? answerLater(request, answering);
		},
		keep(request, answered) {
			const { method, url } = request;
			// The URL must be the text that the target was read from.
			if (url !== answered.target.url) return;
			// The gate checks encoded URLs each time.
			if (method !== "GET" || url.length > URL_CHARS_MAX || url.includes("%")) return;
			const observe = options.observer.repeats(answered);
			lanes.set(url, { ...answered, url, observe, newest: undefined, models: new Map() });
		},
	};
}

/** Returns whether two answers have equal headers: most differ only in their time. */
function isDressedAlike(one: RepeatedAnswer, other: RepeatedAnswer): boolean {
	if (one.content.etag !== other.content.etag) return false;
	const names = Object.keys(one.headers);
	return (
		names.length === Object.keys(other.headers).length &&
		names.every((name) => one.headers[name] === other.headers[name])
	);
}

/** Returns true if the Host header was sent twice, which the URL does not show. */
function isTwofold(request: Request): boolean {
	return request.headers.get("host")?.includes(",") === true;
}

/** Does the gate's steps in its order: client, allowance, then the answer. */
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

/** Turns an error that is thrown at once into a rejection, like a later one. */
function startAnswer(repeat: Repeat, nowMs: number): RepeatedAnswer | Promise<RepeatedAnswer> {
	try {
		return repeat(nowMs);
	} catch (error) {
		return Promise.reject(error);
	}
}

type Answering = {
	lane: Lane;
	begun: Begun;
	renew: (lane: Lane, answer: RepeatedAnswer) => void;
	options: QuickLaneOptions;
};

/** Returns the answer where nothing must be waited for; else undefined. */
function answerNow(request: Request, answering: Answering): Response | undefined {
	const { lane, begun, options } = answering;
	const { answer, taken, requestId, client, startedMs } = begun;
	if (!answer || !taken || answer instanceof Promise) return undefined;
	const variant = negotiate(request, answer.content);
	const model = variant && modelOf(variant, answer, answering);
	if (!model) return undefined;
	const { body, status } = model;
	model.headers.set("x-request-id", requestId);
	tellAllowance(model, taken);
	lane.observe({ requestId, clientAddress: client, startedMs, status });
	// Without an origin the policy adds only what all answers have already.
	if (!request.headers.has("origin")) return new Response(body, model.response);
	// A copy, so that other clients do not get headers of this origin.
	const headers = new Headers(model.headers);
	addReadHeaders(headers, request, options);
	return new Response(body, { status, headers });
}

/** Returns the variant's model; undefined while its body must still be made. */
function modelOf(
	variant: Variant,
	answer: RepeatedAnswer,
	{ lane, renew, options }: Answering,
): Model | undefined {
	if (lane.newest !== answer) renew(lane, answer);
	const known = lane.models.get(variant);
	if (known) return known;
	const body = options.encoder.ready(answer.content, variant);
	if (body === undefined) return undefined;
	const status = statusOf(variant);
	const headers = commonHeaders(answer, { variant, sandbox: options.sandbox });
	const response = new Response(null, { status, headers });
	const told = { limit: undefined, resetSeconds: undefined };
	const model: Model = { body, status, response, headers: response.headers, ...told };
	lane.models.set(variant, model);
	return model;
}

function statusOf(variant: Variant): 200 | 304 {
	return variant === "unchanged" ? 304 : 200;
}

/** Writes the same headers as `grantAllowance`. */
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
	const { lane, begun, renew, options } = answering;
	const { requestId, taken, startedMs } = begun;
	const context = contextOf(request, answering);
	options.observer.began();
	let response: Response;
	try {
		if (taken) grantAllowance(taken, context.headers);
		else await takeAllowance({ limiter: options.limiter, context, log: options.log });
		const answer = await (begun.answer ?? lane.repeat(options.clock.nowMs()));
		if (lane.newest !== answer) renew(lane, answer);
		const variant = negotiate(request, answer.content);
		if (variant === undefined) throw httpFault.notAcceptable();
		const body = await options.encoder.encode(answer.content, variant);
		const headers = new Headers(commonHeaders(answer, { variant, sandbox: options.sandbox }));
		headers.set("x-request-id", requestId);
		for (const [name, value] of context.headers) headers.set(name, value);
		addReadHeaders(headers, request, options);
		response = new Response(body, { status: statusOf(variant), headers });
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
	for (const [name, value] of Object.entries(origins.readHeaders(request, true))) {
		// The common headers have it already, with the route's own.
		if (name !== "vary") headers.set(name, value);
	}
}

/** Returns what `publish` and `dressResponse` add for all callers. */
function commonHeaders(
	{ headers, content: { etag } }: RepeatedAnswer,
	{ variant, sandbox }: { variant: Variant; sandbox: boolean },
): Record<string, string> {
	const told = variantHeaders(headers, { etag, variant });
	return {
		...PUBLIC_READ_HEADERS,
		"referrer-policy": "no-referrer",
		...told,
		vary: varyWith(told.vary, "Origin"),
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
		isPublic: true,
		isForeign: false,
		keepOpen: (seconds) => options.setIdleSeconds(request, seconds),
	};
}
