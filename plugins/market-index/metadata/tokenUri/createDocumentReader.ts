import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { ForeignFetch } from "#core/foreign/ForeignFetch.ts";
import {
	createHostPace,
	HOST_LIMITED,
	type HostPace,
} from "#plugins/market-index/metadata/tokenUri/createHostPace.ts";
import type { Gateways } from "#plugins/market-index/metadata/tokenUri/Gateways.ts";
import { heldMetadata } from "#plugins/market-index/metadata/tokenUri/heldMetadata.ts";
import {
	ATTEMPT_TIMEOUT_MS,
	DOCUMENT_BYTES_MAX,
	DOCUMENT_TIMEOUT_MS,
} from "#plugins/market-index/metadata/tokenUri/limits.ts";
import type { TokenMetadata } from "#plugins/market-index/metadata/tokenUri/parseTokenJson.ts";
import { type Candidate, uriPlan } from "#plugins/market-index/metadata/tokenUri/uriPlan.ts";

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
	options: { signal: AbortSignal },
) => Promise<DocumentOutcome>;

export type DocumentReaderOptions = {
	clock: Clock;
	foreignFetch: ForeignFetch;
	gateways: Gateways;
	/** Origins in a private network that a contract may name all the same. */
	allowedOrigins: readonly string[];
};

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
	return async (uri, { signal }) => {
		const plan = uriPlan(uri, { ...gateways, ipfs: ranked });
		if (plan.kind === "unusable") return failed("uri_unusable", false);
		if (plan.kind === "held") return outcomeOf(plan.texts, gateways);
		const inTime = AbortSignal.any([signal, AbortSignal.timeout(DOCUMENT_TIMEOUT_MS)]);
		let outcome = failed("uri_unusable", false);
		for (const candidate of plan.candidates) {
			const attempt = await tryCandidate(candidate, reader, inTime);
			if (attempt.kind === "read") return attempt;
			if (attempt.isUnreachable) demote(candidate.gateway);
			// A possible later success outweighs that another server does not have it.
			if (!outcome.isUnreachable) outcome = attempt;
			if (inTime.aborted) break;
		}
		return outcome;
	};
}

type Failed = Extract<DocumentOutcome, { kind: "failed" }>;

/** Makes one attempt, and one more where the server answered that it is asked too often. */
async function tryCandidate(
	candidate: Candidate,
	reader: DocumentReaderOptions & { pace: HostPace },
	signal: AbortSignal,
): Promise<DocumentOutcome> {
	const outcome = await tryOnce(candidate, reader, signal);
	return outcome.kind === "failed" && outcome.code === TOO_OFTEN
		? tryOnce(candidate, reader, signal)
		: outcome;
}

async function tryOnce(
	{ url, gateway }: Candidate,
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
			allowedOrigins: gateway === null ? allowedOrigins : [new URL(gateway).origin],
			signal,
		});
		if (status === 200) {
			pace.served(host);
			return outcomeOf([new TextDecoder().decode(body)], gateways);
		}
		if (status === 429 || retryAfterMs) pace.limited(host, retryAfterMs ?? null);
		return failed(`http_${status}`, status >= 500 || status === 429 || status === 408);
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return failed(error.code, error.retry !== "never");
	}
}

function outcomeOf(texts: readonly string[], gateways: Gateways): DocumentOutcome {
	const metadata = heldMetadata(texts, gateways);
	return metadata === null ? failed("not_a_document", false) : { kind: "read", ...metadata };
}

function failed(code: string, isUnreachable: boolean): Failed {
	return { kind: "failed", code, isUnreachable };
}
