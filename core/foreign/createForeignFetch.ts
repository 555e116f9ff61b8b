import { assert } from "#core/fault/assert.ts";
import { createPublicResolve } from "#core/foreign/createPublicResolve.ts";
import { createSlots, type SlotShare, type Slots } from "#core/foreign/createSlots.ts";
import type { ForeignAnswer, ForeignFetch, ForeignRequest } from "#core/foreign/ForeignFetch.ts";
import { foreignFault } from "#core/foreign/faults.ts";
import { findAddresses } from "#core/foreign/findAddresses.ts";
import { inflateBody } from "#core/foreign/inflateBody.ts";
import {
	BODY_BYTES_MAX,
	FETCHES_FOREIGN_MAX,
	FETCHES_MAX,
	FETCHES_PER_ALLOWED_MAX,
	FETCHES_PER_HOST_MAX,
	FETCHES_PER_SITE_MAX,
	FETCHES_WAITING_MAX,
	PORTS,
	REDIRECTS_MAX,
	TIMEOUT_MAX_MS,
} from "#core/foreign/limits.ts";
import { type ForeignUrl, parseForeignUrl } from "#core/foreign/parseForeignUrl.ts";
import type { Resolve } from "#core/foreign/Resolve.ts";
import { type OneAnswer, requestOnce } from "#core/foreign/requestOnce.ts";
import { siteOf } from "#core/foreign/siteOf.ts";
import { systemResolve } from "#core/foreign/systemResolve.ts";

export type ForeignFetchOptions = {
	/** For names that strangers chose. */
	resolve?: Resolve;
	/** For hosts that the operator named: they may stand in a hosts file. */
	resolveAllowed?: Resolve;
	/** Nothing is reached but what a request allows: for sandboxes and tests. */
	isOffline?: boolean;
	/** Ports of the public network that are reached. */
	ports?: readonly number[];
	/** One exchange with addresses that were checked. */
	exchange?: typeof requestOnce;
};

type Parts = Required<ForeignFetchOptions> & { slots: Slots };

/** The one way out to servers that strangers name; see ForeignFetch for what it promises. */
export function createForeignFetch(options: ForeignFetchOptions = {}): ForeignFetch {
	const parts: Parts = {
		resolve: createPublicResolve(),
		resolveAllowed: systemResolve,
		isOffline: false,
		ports: PORTS,
		exchange: requestOnce,
		...options,
		slots: createSlots({ placesMax: FETCHES_MAX, waitingMax: FETCHES_WAITING_MAX }),
	};
	return async (request) => {
		const { bytesMax, timeoutMs } = request;
		assert(bytesMax > 0 && bytesMax <= BODY_BYTES_MAX, "a foreign body has a sane limit");
		assert(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS, "a foreign fetch has a sane limit");
		const late = new AbortController();
		const giveUp = () => late.abort();
		const timer = setTimeout(giveUp, timeoutMs);
		request.signal?.addEventListener("abort", giveUp, { once: true });
		if (request.signal?.aborted) giveUp();
		try {
			return await follow(request, parts, late.signal);
		} finally {
			clearTimeout(timer);
			request.signal?.removeEventListener("abort", giveUp);
		}
	};
}

/** Redirects are followed by hand: each hop is as foreign as the first. */
async function follow(
	request: ForeignRequest,
	parts: Parts,
	signal: AbortSignal,
): Promise<ForeignAnswer> {
	const { ports } = parts;
	let target = parseForeignUrl(request.url, {
		allowedOrigins: request.allowedOrigins ?? [],
		ports,
	});
	for (let redirects = 0; ; redirects++) {
		if (parts.isOffline && !target.isAllowed) {
			throw foreignFault.unreachable({ detail: "the public network is switched off" });
		}
		const answer = await visit(target, request, parts, signal);
		if (answer.location === null) {
			const { status, contentType, contentEncoding, retryAfterMs = null } = answer;
			const body = await inflateBody(answer.body, contentEncoding, request.bytesMax);
			return { status, contentType, retryAfterMs, body };
		}
		if (request.json !== undefined) {
			throw foreignFault.refused({ detail: "a redirect of what carries a body" });
		}
		if (redirects === REDIRECTS_MAX) {
			throw foreignFault.refused({ detail: `more than ${REDIRECTS_MAX} redirects` });
		}
		// An allowed origin may lead on within itself; nobody else may lead there.
		const allowedOrigins = target.isAllowed ? [target.url.origin] : [];
		target = nextHop(target, answer.location, { allowedOrigins, ports });
	}
}

function nextHop(
	from: ForeignUrl,
	location: string,
	bounds: Parameters<typeof parseForeignUrl>[1],
): ForeignUrl {
	const url = URL.parse(location, from.url);
	// Credentials, blanks and the like are judged as they were written.
	const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(location);
	const next = parseForeignUrl(isAbsolute ? location : (url?.href ?? location), bounds);
	if (from.url.protocol === "https:" && next.url.protocol === "http:") {
		throw foreignFault.refused({ detail: "a redirect from https to http" });
	}
	return next;
}

async function visit(
	target: ForeignUrl,
	{ accept = "*/*", bytesMax, json }: ForeignRequest,
	{ resolve, resolveAllowed, slots, exchange }: Parts,
	signal: AbortSignal,
): Promise<OneAnswer> {
	const release = await slots.take(sharesOf(target), signal);
	try {
		const lookUp = target.isAllowed ? resolveAllowed : resolve;
		const addresses = await unlessLate(findAddresses(target, lookUp, signal), signal);
		// A stranger's server is left as soon as it has answered.
		const { url, isAllowed: isKept } = target;
		const body = json === undefined ? {} : { json };
		return await exchange({ url, addresses, accept, bytesMax, signal, isKept, ...body });
	} finally {
		release();
	}
}

/** However many hosts strangers own, what the operator named always has places left. */
function sharesOf({ host, isAllowed }: ForeignUrl): SlotShare[] {
	if (isAllowed) return [{ key: `allowed ${host}`, max: FETCHES_PER_ALLOWED_MAX }];
	return [
		{ key: `host ${host}`, max: FETCHES_PER_HOST_MAX },
		{ key: `site ${siteOf(host)}`, max: FETCHES_PER_SITE_MAX },
		{ key: "strangers", max: FETCHES_FOREIGN_MAX },
	];
}

/** Not every look-up can be called off: its answer is left unheard. */
function unlessLate<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
	return new Promise((resolve, reject) => {
		const giveUp = () => reject(foreignFault.unreachable({ detail: "no answer in time" }));
		if (signal.aborted) giveUp();
		signal.addEventListener("abort", giveUp, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
	});
}
