// Reads documents of tokens and contracts, at a pace that each host bears.

import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { ForeignFetch } from "#core/foreign/createForeignFetch.ts";
import { sleep as systemSleep } from "#core/time.ts";
import { heldMetadata, type TokenMetadata } from "#plugins/market-index/metadata/parseTokenJson.ts";
import {
	ATTEMPT_TIMEOUT_MS,
	type Candidate,
	DOCUMENT_BYTES_MAX,
	DOCUMENT_TIMEOUT_MS,
	type Gateways,
	HOST_GAP_FIRST_MS,
	HOST_GAP_MAX_MS,
	HOST_PAUSE_FIRST_MS,
	HOST_WAIT_MAX_MS,
	HOSTS_PACED_MAX,
	uriPlan,
} from "#plugins/market-index/metadata/tokenUri.ts";

type HostPace = {
	/** Waits for this host's next place; false where that would take too long. */
	enter(host: string, signal: AbortSignal): Promise<boolean>;
	/** Records that the host is asked too often, with its wait, if any. */
	limited(host: string, retryAfterMs: number | null): void;
	/** Records that the host served a document. */
	served(host: string): void;
};

export type DocumentOutcome =
	| ({ kind: "read" } & TokenMetadata)
	| {
			kind: "failed";
			code: string;
			/** True: no server answered, or not now, so the same URI may be readable later. */
			isUnreachable: boolean;
	  };

/** Reads the document of a contract's URI, in bounded time. Never throws because of the URI. */
export type ReadDocument = (
	uri: string,
	/**
	 * `isUrgent`: it does not wait behind many documents of its host that are not answered; `isSoon`:
	 * it is in front of those that can wait.
	 */
	options: { signal: AbortSignal; isUrgent?: boolean; isSoon?: boolean },
) => Promise<DocumentOutcome>;

type DocumentReaderOptions = {
	clock: Clock;
	foreignFetch: ForeignFetch;
	gateways: Gateways;
	/** Origins in a private network that a contract may name all the same. */
	allowedOrigins: readonly string[];
};

/**
 * Holds the pace for a host that limits us: the distance between requests, and when the next may
 * begin.
 */
type Host = { gapMs: number; nextAtMs: number };

type Attempt = Candidate & { isUrgent: boolean; isSoon: boolean };

type Failed = Extract<DocumentOutcome, { kind: "failed" }>;

type DocumentConfig = { IPFS_GATEWAY_URLS: readonly string[]; ARWEAVE_GATEWAY_URL: string };

/** The reason why a document was not requested: its server answered that we ask too often. */
export const HOST_LIMITED = "host_limited";

/** The reason why nobody gets a document: its store keeps it back, or does not have it. */
export const DOCUMENT_WITHHELD = "document_withheld";
const WITHHELD_BYTES_MAX = 4_096;

const TOO_OFTEN = "http_429";
const ACCEPT = "application/json, */*;q=0.5";

/** Makes a reader of documents of tokens and contracts: http(s), ipfs, ar and data URIs. */
export function createDocumentReader(options: DocumentReaderOptions): ReadDocument {
	const { gateways, clock } = options;
	const reader = { ...options, pace: createHostPace({ clock }) };
	// The gateway that answered last comes first: one that is down costs its timeout once.
	let ranked = gateways.ipfs;
	const demote = (gateway: string | null) => {
		if (gateway === null || ranked[0] !== gateway) return;
		ranked = [...ranked.slice(1), gateway];
	};
	return async (uri, { signal, isUrgent = false, isSoon = false }) => {
		const plan = uriPlan(uri, { ...gateways, ipfs: ranked });
		if (plan.kind === "unusable") return failed("uri_unusable", false);
		if (plan.kind === "held") return outcomeOf(plan.texts, gateways);
		const inTime = AbortSignal.any([signal, AbortSignal.timeout(DOCUMENT_TIMEOUT_MS)]);
		let outcome = failed("uri_unusable", false);
		for (const candidate of plan.candidates) {
			const attempt = await tryCandidate({ ...candidate, isUrgent, isSoon }, reader, inTime);
			if (attempt.kind === "read") return attempt;
			if (attempt.isUnreachable) demote(candidate.gateway);
			// A possible later success outweighs that another server does not have it.
			if (!outcome.isUnreachable) outcome = attempt;
			if (inTime.aborted) break;
		}
		return outcome;
	};
}

/**
 * Makes a pace for each host that serves documents. No host is limited before it complains; then
 * requests keep a distance, which doubles with each complaint and shrinks with each served
 * document. How many are under way at once is limited elsewhere (`core/foreign`).
 */
export function createHostPace({
	clock,
	sleep = systemSleep,
}: {
	clock: Clock;
	sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}): HostPace {
	const hosts = new Map<string, Host>();
	return {
		async enter(name, signal) {
			const host = hosts.get(name);
			if (!host) return true;
			const nowMs = clock.nowMs();
			const atMs = Math.max(host.nextAtMs, nowMs);
			if (atMs - nowMs > HOST_WAIT_MAX_MS) return false;
			host.nextAtMs = atMs + host.gapMs;
			if (atMs > nowMs) await sleep(atMs - nowMs, signal);
			return !signal.aborted;
		},
		limited(name, retryAfterMs) {
			const nowMs = clock.nowMs();
			const host = hosts.get(name) ?? { gapMs: 0, nextAtMs: nowMs };
			const isSame = host.nextAtMs > nowMs + host.gapMs;
			// Of requests that were under way together only the first complaint counts.
			if (!isSame)
				host.gapMs = Math.min(Math.max(host.gapMs * 2, HOST_GAP_FIRST_MS), HOST_GAP_MAX_MS);
			const pauseMs = retryAfterMs ?? Math.max(host.gapMs, HOST_PAUSE_FIRST_MS);
			host.nextAtMs = Math.max(host.nextAtMs, nowMs + pauseMs);
			hosts.delete(name);
			hosts.set(name, host);
			const [first] = hosts.keys();
			if (hosts.size > HOSTS_PACED_MAX && first !== undefined) hosts.delete(first);
		},
		served(name) {
			const host = hosts.get(name);
			if (!host) return;
			host.gapMs = host.gapMs * 0.95 < 1 ? 0 : host.gapMs * 0.95;
			if (host.gapMs === 0 && host.nextAtMs <= clock.nowMs()) hosts.delete(name);
		},
	};
}

/** Returns the configured gateways. */
export function gatewaysOf(config: DocumentConfig): Gateways {
	return { ipfs: config.IPFS_GATEWAY_URLS, arweave: config.ARWEAVE_GATEWAY_URL };
}

/**
 * Says whether a store of objects refused: S3 and those that speak as it does (GCS, R2, Spaces) say
 * so to everybody for an object that is not there, or that is kept back. Any other 403 may be
 * meant for us alone.
 */
function isWithheld(body: Uint8Array): boolean {
	const text = new TextDecoder().decode(body.subarray(0, WITHHELD_BYTES_MAX));
	return /^\s*(<\?xml[^>]*>\s*)?<Error>.*<Code>AccessDenied<\/Code>/s.test(text);
}

function failed(code: string, isUnreachable: boolean): Failed {
	return { kind: "failed", code, isUnreachable };
}

function outcomeOf(texts: readonly string[], gateways: Gateways): DocumentOutcome {
	const metadata = heldMetadata(texts, gateways);
	return metadata === null ? failed("not_a_document", false) : { kind: "read", ...metadata };
}

/** Makes one attempt, and one more where the server answered that it is asked too often. */
async function tryCandidate(
	candidate: Attempt,
	reader: DocumentReaderOptions & { pace: HostPace },
	signal: AbortSignal,
): Promise<DocumentOutcome> {
	const outcome = await tryOnce(candidate, reader, signal);
	return outcome.kind === "failed" && outcome.code === TOO_OFTEN
		? tryOnce(candidate, reader, signal)
		: outcome;
}

async function tryOnce(
	{ url, gateway, isUrgent, isSoon }: Attempt,
	reader: DocumentReaderOptions & { pace: HostPace },
	signal: AbortSignal,
): Promise<DocumentOutcome> {
	const { foreignFetch, gateways, allowedOrigins, pace } = reader;
	const host = URL.parse(url)?.host ?? "";
	if (!(await pace.enter(host, signal))) return failed(HOST_LIMITED, true);
	try {
		const { status, body, retryAfterMs } = await foreignFetch({
			url,
			bytesMax: DOCUMENT_BYTES_MAX,
			timeoutMs: ATTEMPT_TIMEOUT_MS,
			accept: ACCEPT,
			isSoon,
			allowedOrigins: gateway === null ? allowedOrigins : [new URL(gateway).origin],
			isUrgent,
			signal,
		});
		if (status === 200) {
			pace.served(host);
			return outcomeOf([new TextDecoder().decode(body)], gateways);
		}
		// A gateway may refuse us alone.
		const isWithheldNow = status === 403 && gateway === null && isWithheld(body);
		if (isWithheldNow) return failed(DOCUMENT_WITHHELD, false);
		if (status === 429 || retryAfterMs) pace.limited(host, retryAfterMs ?? null);
		return failed(`http_${status}`, status >= 500 || status === 429 || status === 408);
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return failed(error.code, error.retry !== "never");
	}
}
