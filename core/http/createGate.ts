// Does what happens to each request exactly once, around Elysia.

import type { Clock } from "#core/clock.ts";
import type { Fault } from "#core/fault.ts";
import { type Slots, takeAllowance, untilEnd } from "#core/http/allowance.ts";
import { clientAddress, type ProxyList } from "#core/http/clients.ts";
import { createEncoder, publish } from "#core/http/content.ts";
import type { OriginPolicy } from "#core/http/createOriginPolicy.ts";
import { createQuickLane } from "#core/http/createQuickLane.ts";
import type { RequestObserver } from "#core/http/createRequestObserver.ts";
import { isUpgrade, type RouteMatch, type RouteTable } from "#core/http/createRouteTable.ts";
import { dressResponse } from "#core/http/dressResponse.ts";
import { faultOf, faultOfStatus, httpFault } from "#core/http/faults.ts";
import { problemResponse } from "#core/http/problems.ts";
import {
	jsonTextFlaw,
	type RequestContext,
	readTarget,
	requestContexts,
	requestIdOf,
} from "#core/http/requests.ts";
import type { Limiter } from "#core/limiter.ts";
import type { Log } from "#core/log.ts";

export type Admission = {
	/** The URL that routes get. */
	url: string;
	/** The request's signature is checked later (see `takesSigned`). */
	isSigned?: boolean;
};

export type GateOptions = {
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
	/** Built at the first request, because routes are still being mounted before. */
	table: () => RouteTable;
	socketAddress: (request: Request) => string | null;
	setIdleSeconds: (request: Request, seconds: number) => void;
	/** Limits the costly requests that may be under way. */
	slots: Slots;
};

/** Elysia's handler; it returns undefined after an upgrade. */
type Next = (request: Request) => unknown;

/** A request in the gate. */
type Passing = {
	request: Request;
	context: RequestContext;
	/** The routes of the target's path; undefined where there are none. */
	match: RouteMatch | undefined;
};

const BODY_BYTES_MAX = 1_048_576;
/** Limits a webhook's body: its sender is unknown until all of it was read and hashed. */
const SIGNED_BYTES_MAX = 262_144;

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Bun reads no body for these. */
const BODILESS_METHODS = new Set(["GET", "HEAD"]);

/**
 * Makes the gate: everything that happens to each request exactly once, around Elysia.
 *
 * Not as Elysia hooks: those run twice on a WebSocket upgrade, differ between static and dynamic
 * routes, and miss requests that Elysia refuses itself.
 */
export function createGate(options: GateOptions) {
	const encoder = createEncoder(options);
	const quick = createQuickLane({ ...options, encoder });
	return (next: Next, request: Request): Response | Promise<Response | undefined> =>
		quick.answer(request) ?? passThrough(next, request);

	async function passThrough(next: Next, request: Request): Promise<Response | undefined> {
		const startedMs = options.clock.nowMs();
		const context = contextOf(request, options);
		const { target } = context;
		requestContexts.set(request, context);
		const match = target.path === "" ? undefined : options.table().match(target.path);
		const passing: Passing = { request, context, match };
		judgeOrigin(passing, options.origins);
		const observed = { startedMs, request, context, pattern: patternOf(passing) };
		options.observer.began();
		let response: Response | undefined;
		try {
			response = await pass(next, passing, options);
			if (response && isForEverybody(response, passing)) {
				const { repeat } = context;
				const published = await publish(response, { request, encoder });
				const isKept = repeat && published !== response;
				if (isKept) quick.keep(request, { repeat, target, pattern: observed.pattern });
				response = published;
			}
		} catch (error) {
			context.fault = faultOf(error);
		}
		if (isSigned(passing) && (context.fault !== undefined || (response?.status ?? 0) >= 400)) {
			context.fault = (await allowanceFault(context, options)) ?? context.fault;
		}
		if (context.fault && !context.upgraded) {
			const { requestId } = context;
			const isInWords = match?.isWordy(request.method) === true && !/json/i.test(acceptOf(request));
			const problem = { requestId, publicUrl: options.publicUrl, isInWords };
			response = problemResponse(context.fault, problem);
		}
		if (response) response = await dressResponse(response, { ...options, request, context });
		options.observer.ended({ ...observed, status: response?.status ?? 101 });
		return response;
	}
}

/**
 * Reads a request's body within its limits and returns a request to `url` that holds it.
 *
 * Everything after this (Elysia's parser, a webhook that verifies raw bytes) can read the body
 * without regard to its size. Bun's own limit answers a bare 413 without a problem document, so it
 * is disabled and this one counts; by measurement, Bun discards unread bytes without keeping them.
 */
export async function admitBody(
	request: Request,
	{ url, isSigned = false }: Admission,
): Promise<Request> {
	const bytesMax = isSigned ? SIGNED_BYTES_MAX : BODY_BYTES_MAX;
	const declared = request.headers.get("content-length");
	if (declared !== null && Number(declared) > bytesMax) throw tooLarge(bytesMax);
	if (request.body === null || declared === "0") return request;
	const bytes = await readBytes(request.body, bytesMax);
	const { method, signal } = request;
	// A request without a body may still have a stream: it was read, so it is left out.
	if (bytes.byteLength === 0) {
		return new Request(url, { method, signal, headers: request.headers });
	}
	// Only JSON is accepted: HTML forms can send the other types across origins without a preflight.
	if (mediaType(request) !== "application/json") throw httpFault.unsupportedMediaType();
	const flaw = textFlaw(bytes);
	if (flaw) throw httpFault.malformedBody({ public: flaw });
	const headers = new Headers(request.headers);
	// Elysia compares the letters of the type from the 12th on exactly: so one spelling is set.
	headers.set("content-type", "application/json");
	return new Request(url, { method, signal, headers, body: bytes });
}

function contextOf(request: Request, options: GateOptions): RequestContext {
	const { trustedProxyHops, proxies } = options;
	const socketAddress = () => options.socketAddress(request);
	return {
		requestId: requestIdOf(request, options.newRequestId),
		target: readTarget(request),
		clientAddress: clientAddress(request, { socketAddress, trustedProxyHops, proxies }),
		headers: new Map(),
		fault: undefined,
		upgraded: false,
		isPublic: false,
		isForeign: false,
		keepOpen: (seconds) => options.setIdleSeconds(request, seconds),
	};
}

function acceptOf({ headers }: Request): string {
	return headers.get("accept") ?? "";
}

function patternOf({ match, request }: Passing): string | undefined {
	if (!match) return undefined;
	const { patterns } = match;
	const own = isUpgrade(request) ? patterns.get("WS") : undefined;
	const [first] = patterns.values();
	return own ?? patterns.get(request.method) ?? patterns.get("ALL") ?? first;
}

async function pass(next: Next, passing: Passing, options: GateOptions) {
	const { request, context, match } = passing;
	const { path, flaw } = context.target;
	const preflight = preflightAnswer(passing, options.origins);
	if (preflight) return preflight;
	if (flaw !== undefined || (isMetered(path) && !isSigned(passing))) {
		await takeAllowance({ limiter: options.limiter, context, log: options.log });
	}
	if (flaw !== undefined) throw httpFault.malformedUrl({ public: flaw });
	const described = refuseOrDescribe(passing, options);
	if (described) return described;
	const admitted = await toElysia(passing);
	// After the body: who sends one slowly holds nobody else's slot.
	const isCostly = match?.isCostly(request.method === "HEAD" ? "GET" : request.method) === true;
	if (!isCostly) return answered(await next(admitted), passing);
	const release = options.slots.take(context.clientAddress);
	try {
		return held(answered(await next(admitted), passing), release);
	} catch (error) {
		release();
		throw error;
	}
}

/** Keeps a slot until a stream has ended; all other answers are whole already. */
function held(response: Response | undefined, release: () => void): Response | undefined {
	const isStream = response?.headers.get("content-type")?.startsWith("text/event-stream");
	if (!response?.body || !isStream) {
		release();
		return response;
	}
	const { status, headers } = response;
	return new Response(untilEnd(response.body, release), { status, headers });
}

/** Reads what Elysia answered; undefined after an upgrade. */
function answered(answer: unknown, passing: Passing): Response | undefined {
	const { context } = passing;
	if (tookOver(answer, passing)) {
		context.upgraded = true;
		return undefined;
	}
	if (!(answer instanceof Response)) return new Response(null, { status: 204 });
	const bare = bareError(answer, context.target.path);
	if (bare) context.fault ??= bare;
	return answer;
}

/**
 * Notes whose page asks, and whether any page may read the answer. Public is also the refusal of an
 * address that does not exist. A stranger's page gets nothing by its user's cookies: browsers send
 * them by themselves, so they are dropped where it may read at all.
 */
function judgeOrigin({ request, context, match }: Passing, origins: OriginPolicy): void {
	const asked = request.headers.get("access-control-request-method");
	const method = request.method === "OPTIONS" && asked !== null ? asked : request.method;
	const known = match?.patterns.has(method) ? method : "GET";
	context.isPublic = match?.isPublic(isUpgrade(request) ? "WS" : known) ?? true;
	const { host } = context.target;
	context.isForeign = request.headers.has("origin") && !origins.trusts(request, host);
	if (context.isPublic && context.isForeign) request.headers.delete("cookie");
}

/** Answers a preflight, which costs no allowance: the browser asks it, not the client. */
function preflightAnswer(
	{ request, context }: Passing,
	origins: OriginPolicy,
): Response | undefined {
	if (request.method !== "OPTIONS") return undefined;
	if (!request.headers.has("access-control-request-method")) return undefined;
	if (!request.headers.has("origin")) return undefined;
	const headers = origins.preflightHeaders(request, context.isPublic);
	if (!headers) throw httpFault.originNotAllowed();
	return new Response(null, { status: 204, headers });
}

/**
 * Returns true for everything under /v1, including unknown addresses and upgrades, so that none can
 * be probed without limit.
 */
function isMetered(path: string): boolean {
	return path === "/v1" || path.startsWith("/v1/");
}

/** Returns true for a webhook's delivery: it costs allowance only where it is refused. */
function isSigned({ request, match, context }: Passing): boolean {
	// A malformed URL reaches no route, and has cost its allowance by then.
	if (context.target.flaw !== undefined) return false;
	return match?.isSigned === true && request.method === "POST";
}

/** Throws the reason why a request cannot reach its route; answers OPTIONS itself. */
function refuseOrDescribe(passing: Passing, options: GateOptions): Response | undefined {
	const { request, match, context } = passing;
	if (isUpgrade(request)) {
		if (options.draining()) throw httpFault.draining();
		if (context.isForeign && !context.isPublic) throw httpFault.originNotAllowed();
	}
	if (!SAFE_METHODS.has(request.method) && request.headers.has("cookie")) {
		if (!options.origins.trusts(request, context.target.host)) throw httpFault.originNotAllowed();
	}
	// Not left to Elysia: a path that our table lacks has no limits, so it must have no route.
	if (!match) throw httpFault.notFound();
	if (knows(match, request)) return undefined;
	const allow = allowedMethods(match);
	if (allow === "") {
		context.headers.set("upgrade", "websocket");
		throw httpFault.upgradeRequired();
	}
	context.headers.set("allow", allow);
	if (request.method === "OPTIONS") return new Response(null, { status: 204 });
	throw httpFault.methodNotAllowed({ public: `This address knows ${allow}.` });
}

function knows(match: RouteMatch, request: Request): boolean {
	const { patterns } = match;
	if (patterns.has("ALL") || patterns.has(request.method)) return true;
	if (request.method === "HEAD") return patterns.has("GET");
	return request.method === "GET" && patterns.has("WS") && isUpgrade(request);
}

function allowedMethods(match: RouteMatch): string {
	const methods = new Set([...match.patterns.keys()].filter((method) => method !== "WS"));
	if (methods.size === 0) return "";
	if (methods.has("GET")) methods.add("HEAD");
	methods.add("OPTIONS");
	return [...methods].sort().join(", ");
}

/** Returns the request for Elysia: the URL that we read, its body within limits, HEAD as a GET. */
async function toElysia(passing: Passing): Promise<Request> {
	const { request, match, context } = passing;
	const { url } = context.target;
	const { headers, signal } = request;
	const isGet = request.method === "HEAD" && match?.patterns.has("HEAD") === false;
	let admitted = request;
	if (!BODILESS_METHODS.has(request.method)) {
		admitted = await admitBody(request, { url, isSigned: isSigned(passing) });
	}
	if (isGet) admitted = new Request(url, { method: "GET", headers, signal });
	// A request of HTTP/1.0 without a host, or of another scheme.
	else if (admitted.url !== url) admitted = new Request(url, admitted);
	requestContexts.set(admitted, context);
	return admitted;
}

/**
 * Returns true after an upgrade: Elysia still makes an empty 200, which Bun ignores; the answer was
 * the 101.
 */
function tookOver(answer: unknown, { request, match }: Passing): boolean {
	if (!isUpgrade(request) || !match?.patterns.has("WS")) return false;
	return !(answer instanceof Response) || answer.status === 200;
}

/**
 * Returns the Fault for a text error: Elysia's own refusals and a route's bare `status(404)`. Under
 * /v1 they become problems; JSON stays, because protocols with their own errors (MCP) are there
 * too.
 */
function bareError(answer: Response, path: string): Fault | undefined {
	if (answer.status < 400 || !isMetered(path)) return undefined;
	const type = answer.headers.get("content-type") ?? "";
	return /json|html|event-stream/.test(type) ? undefined : faultOfStatus(answer.status);
}

/** Returns true for a successful read whose answer is the same for all callers. */
function isForEverybody(response: Response, { request, match, context }: Passing): boolean {
	if (response.status !== 200 || context.fault) return false;
	return match?.isCached === true && BODILESS_METHODS.has(request.method);
}

async function allowanceFault(context: RequestContext, options: GateOptions) {
	try {
		await takeAllowance({ limiter: options.limiter, context, log: options.log });
		return undefined;
	} catch (error) {
		return faultOf(error);
	}
}

function tooLarge(bytesMax: number) {
	if (bytesMax === BODY_BYTES_MAX) return httpFault.bodyTooLarge();
	return httpFault.bodyTooLarge({ public: `The body is larger than ${bytesMax / 1_024} KiB.` });
}

async function readBytes(
	body: ReadableStream<Uint8Array>,
	bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.byteLength;
		if (length > bytesMax) throw tooLarge(bytesMax);
		chunks.push(chunk);
	}
	const bytes = new Uint8Array(length);
	let offset = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, offset);
		offset += chunk.byteLength;
	}
	return bytes;
}

function mediaType(request: Request): string {
	const type = request.headers.get("content-type") ?? "";
	return (type.split(";")[0] ?? "").trim().toLowerCase();
}

function textFlaw(bytes: Uint8Array): string | undefined {
	try {
		return jsonTextFlaw(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		return "The body is not valid UTF-8.";
	}
}
