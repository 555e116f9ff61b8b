// Fetches URLs that strangers chose, from the public network only.

import type { CoreConfig } from "#core/config/coreConfig.ts";
import { assert } from "#core/fault.ts";
import {
	BODY_BYTES_MAX,
	FETCHES_FOREIGN_MAX,
	FETCHES_FOREIGN_URGENT_MAX,
	FETCHES_MAX,
	FETCHES_PER_ALLOWED_MAX,
	FETCHES_PER_HOST_MAX,
	FETCHES_PER_SITE_MAX,
	FETCHES_URGENT_FACTOR,
	FETCHES_WAITING_MAX,
	type ForeignUrl,
	foreignFault,
	PORTS,
	parseForeignUrl,
	REDIRECTS_MAX,
	siteOf,
	TIMEOUT_MAX_MS,
} from "#core/foreign/addresses.ts";
import { inflateBody, type OneAnswer, requestOnce } from "#core/foreign/requestOnce.ts";
import {
	createPublicResolve,
	findAddresses,
	type Resolve,
	systemResolve,
} from "#core/foreign/resolve.ts";

/** Holds a request to a server that a stranger named. */
export type ForeignRequest = {
	/** `http` or `https`, as the stranger wrote it. */
	url: string;
	/** Refused above this, counted after decompression. */
	bytesMax: number;
	/** Limits the whole fetch, from the first name lookup to the last byte, redirects included. */
	timeoutMs: number;
	accept?: string;
	/** A JSON body, which makes it a POST. It is sent to the URL itself: a redirect is refused. */
	json?: string;
	/**
	 * Exact origins that the operator named and that this URL may begin with: they may be private and
	 * have any port. Where a stranger wrote the URL, only what the operator meant for strangers.
	 */
	allowedOrigins?: readonly string[];
	/**
	 * True for what is worth more than many others of its host: it has places beyond theirs, so that
	 * a host that answers none of them does not hold it up.
	 */
	isUrgent?: boolean;
	/** True for what is next where a place becomes free, in front of whatever can wait. */
	isSoon?: boolean;
	signal?: AbortSignal | undefined;
};

export type ForeignAnswer = {
	status: number;
	/** Lower case and without parameters; null where none was sent. */
	contentType: string | null;
	/** The wait that the server asks for (`retry-after`); null where it names none. */
	retryAfterMs?: number | null;
	body: Uint8Array;
};

/**
 * Fetches a URL that a stranger chose, and never reaches anything that is not public: no private,
 * loopback, link-local or otherwise special address, in any notation, directly, through a redirect
 * or through a name that changes between the look and the call. Sends no cookie, key or referrer.
 *
 * Throws the Faults `foreign_refused` (a URL or an address that is not to be reached),
 * `foreign_unreachable` (no answer: worth asking again later) and `foreign_too_large`.
 */
export type ForeignFetch = (request: ForeignRequest) => Promise<ForeignAnswer>;

/** Limits the parallel fetches of all requests with the same key. */
export type SlotShare = { key: string; max: number };

export type Slots = {
	/**
	 * Waits for a place in all and in each share; what it answers gives the place back. `isFirst`: in
	 * front of whoever waits without it.
	 */
	take(
		shares: readonly SlotShare[],
		signal: AbortSignal,
		options?: { isFirst?: boolean },
	): Promise<() => void>;
};

export type ForeignFetchOptions = {
	/** Resolves names that strangers chose. */
	resolve?: Resolve;
	/** Resolves hosts that the operator named: they may be in a hosts file. */
	resolveAllowed?: Resolve;
	/** Nothing is reached but what a request allows: for sandboxes and tests. */
	isOffline?: boolean;
	/** Ports of the public network that are reached. */
	ports?: readonly number[];
	/** Makes one exchange with addresses that were checked. */
	exchange?: typeof requestOnce;
};

type Waiter = { shares: readonly SlotShare[]; isFirst: boolean; admit: () => void };

type Parts = Required<ForeignFetchOptions> & { slots: Slots };

/** Makes the one way out to servers that strangers name; `ForeignFetch` says what it promises. */
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

/** Makes the process's way out; none in a sandbox, whose chain names nothing real. */
export function openForeignFetch(
	config: Pick<CoreConfig, "SANDBOX" | "FOREIGN_FETCH_ENABLED">,
): ForeignFetch {
	return createForeignFetch({ isOffline: config.SANDBOX || !config.FOREIGN_FETCH_ENABLED });
}

/**
 * Makes places for work that strangers may make slow, given in the order of asking: so many in all,
 * so many in each share, and only so many who wait. Who waits behind a full share lets others pass.
 */
export function createSlots(options: { placesMax: number; waitingMax: number }): Slots {
	const { placesMax, waitingMax } = options;
	const taken = new Map<string, number>();
	const waiting = new Set<Waiter>();
	let total = 0;

	const hasRoom = (shares: readonly SlotShare[]) =>
		total < placesMax && shares.every(({ key, max }) => (taken.get(key) ?? 0) < max);

	function count(shares: readonly SlotShare[], change: 1 | -1): void {
		total += change;
		for (const { key } of shares) {
			const held = (taken.get(key) ?? 0) + change;
			if (held > 0) taken.set(key, held);
			else taken.delete(key);
		}
	}

	function occupy(shares: readonly SlotShare[]): () => void {
		count(shares, 1);
		let isHeld = true;
		return () => {
			if (!isHeld) return;
			isHeld = false;
			count(shares, -1);
			admitWaiting();
		};
	}

	function admitWaiting(): void {
		for (const isFirst of [true, false]) {
			for (const waiter of waiting) {
				if (total >= placesMax) return;
				if (waiter.isFirst === isFirst && hasRoom(waiter.shares)) waiter.admit();
			}
		}
	}

	return {
		take(shares, signal, { isFirst = false } = {}) {
			if (signal.aborted) return Promise.reject(tooLate());
			if (hasRoom(shares)) return Promise.resolve(occupy(shares));
			if (waiting.size >= waitingMax) {
				return Promise.reject(foreignFault.unreachable({ detail: "too many fetches wait" }));
			}
			return new Promise((resolve, reject) => {
				const leave = () => {
					waiting.delete(waiter);
					signal.removeEventListener("abort", giveUp);
				};
				const giveUp = () => {
					leave();
					reject(tooLate());
				};
				const admit = () => {
					leave();
					resolve(occupy(shares));
				};
				const waiter: Waiter = { shares, isFirst, admit };
				waiting.add(waiter);
				signal.addEventListener("abort", giveUp, { once: true });
			});
		},
	};
}

/** Fetches a URL and follows its redirects by hand: each hop is as foreign as the first. */
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

async function visit(
	target: ForeignUrl,
	{ accept = "*/*", bytesMax, json, isUrgent = false, isSoon = false }: ForeignRequest,
	{ resolve, resolveAllowed, slots, exchange }: Parts,
	signal: AbortSignal,
): Promise<OneAnswer> {
	const release = await slots.take(sharesOf(target, isUrgent), signal, {
		isFirst: isUrgent || isSoon,
	});
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

/**
 * Returns the shares that a fetch takes a place in; an urgent one may take places of each that
 * others leave free. However many hosts strangers own, what the operator named always has places
 * left.
 */
function sharesOf({ host, isAllowed }: ForeignUrl, isUrgent: boolean): SlotShare[] {
	const more = isUrgent ? FETCHES_URGENT_FACTOR : 1;
	if (isAllowed) return [{ key: `allowed ${host}`, max: FETCHES_PER_ALLOWED_MAX * more }];
	return [
		{ key: `host ${host}`, max: FETCHES_PER_HOST_MAX * more },
		{ key: `site ${siteOf(host)}`, max: FETCHES_PER_SITE_MAX * more },
		{ key: "strangers", max: isUrgent ? FETCHES_FOREIGN_URGENT_MAX : FETCHES_FOREIGN_MAX },
	];
}

/** Rejects once the signal aborts. Not every lookup can be cancelled: its answer is ignored. */
function unlessLate<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
	return new Promise((resolve, reject) => {
		const giveUp = () => reject(foreignFault.unreachable({ detail: "no answer in time" }));
		if (signal.aborted) giveUp();
		signal.addEventListener("abort", giveUp, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
	});
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

function tooLate() {
	return foreignFault.unreachable({ detail: "no place became free in time" });
}
