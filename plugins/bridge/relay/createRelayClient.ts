// Calls the bridge provider within the limits that it publishes.

import { createHash } from "node:crypto";
import type { z } from "zod";
import { retryAfterMs } from "#core/chain/rpc/readAnswers.ts";
import { defineFaults, type Fault } from "#core/fault.ts";
import { callOut, type OutboundCall } from "#core/http/call.ts";
import { readJson } from "#core/json.ts";
import type { Core } from "#core/plugin/Core.ts";
import { MINUTE_MS, SECOND_MS, sleep } from "#core/time.ts";
import type { RelayCallOptions } from "#plugins/bridge/relay/Relay.ts";
import { wireRefusal } from "#plugins/bridge/relay/wire.ts";

type CallClass = "quote" | "requests" | "other";

type RelayCall<Output> = {
	/** The call's name in metrics, such as `status`. */
	name: string;
	class: CallClass;
	/** The path below the base URL, with its query. */
	path: string;
	/** Makes it a POST. */
	body?: Readonly<Record<string, unknown>>;
	schema: z.ZodType<Output>;
};

export type RelayClientOptions = {
	core: Pick<Core, "budget" | "metrics">;
	baseUrl: string;
	apiKey?: string | undefined;
	/** Aborts when the process ends. */
	ending: AbortSignal;
	fetch?: typeof fetch;
	timeoutMs?: number;
};

/** Calls the provider and returns the answer; null where it does not know the thing (404). */
type RelayClient = <Output>(
	call: RelayCall<Output>,
	options: RelayCallOptions,
) => Promise<Output | null>;

type Terms = { perWindow: number; windowMs: number };

/** Names what goes wrong with the bridge provider. */
export const relayFault = defineFaults({
	off: {
		code: "bridge_provider_off",
		status: 503,
		retry: "never",
		public: "No bridge provider is configured here.",
	},
	rateLimited: {
		code: "rate_limited",
		status: 429,
		retry: "later",
		public: "The bridge provider is being asked too often.",
		advice: "Wait as long as `retryAfterMs` says.",
	},
	unavailable: {
		code: "bridge_provider_unavailable",
		status: 503,
		retry: "later",
		public: "The bridge provider did not answer.",
	},
	unreadable: {
		code: "bridge_provider_unreadable",
		status: 502,
		retry: "later",
		public: "The bridge provider answered something that cannot be read.",
	},
	refused: {
		code: "bridge_provider_refused",
		status: 502,
		retry: "never",
		public: "The bridge provider refused the request.",
	},
});

const RELAY_ID = "bridge";
export const RELAY_BASE_URL_DEFAULT = "https://api.relay.link";
const CALL_TIMEOUT_MS = 10_000;
/** A list of chains is the largest answer: under 1 MB in 2026. */
export const BODY_BYTES_MAX = 4 * 1_048_576;
/**
 * Limits how long a person's call waits for the provider's rate limits; a job's call never waits.
 */
const WAITED_OUT_MS = 3_000;
/** The pause of all processes after a 429 that names no time. */
const PAUSE_DEFAULT_MS = 5_000;
const PAUSE_MAX_MS = 5 * MINUTE_MS;

/** The provider's published limits, without a key and with one. */
const CALL_LIMITS: Readonly<Record<"open" | "keyed", Readonly<Record<CallClass, Terms>>>> = {
	open: {
		quote: { perWindow: 50, windowMs: MINUTE_MS },
		requests: { perWindow: 200, windowMs: MINUTE_MS },
		other: { perWindow: 200, windowMs: MINUTE_MS },
	},
	keyed: {
		quote: { perWindow: 10, windowMs: SECOND_MS },
		requests: { perWindow: 10, windowMs: SECOND_MS },
		other: { perWindow: 200, windowMs: MINUTE_MS },
	},
};
/** Limits, in the minute of all other calls, the shares of polling and of public reads. */
export const POLLS_PER_MINUTE = 150;
const VIEWS_PER_MINUTE = 30;

/**
 * Calls the bridge provider within its published limits, which all processes share. A call that
 * would be too much is not sent: it waits for a moment where a person does, and else fails as
 * `rate_limited` with the time to wait.
 */
export function createRelayClient(options: RelayClientOptions): RelayClient {
	const { core, baseUrl, apiKey, ending } = options;
	const { fetch: fetchIt = fetch, timeoutMs = CALL_TIMEOUT_MS } = options;
	const limits = CALL_LIMITS[apiKey === undefined ? "open" : "keyed"];
	const hash = createHash("sha256")
		.update(`${baseUrl}\n${apiKey ?? ""}`)
		.digest("hex");
	const nameOf = (kind: CallClass) => `bridge:${kind}:${hash.slice(0, 16)}`;
	const counted = core.metrics.counter({
		name: "bridge_provider_calls_total",
		help: "Calls to the bridge provider, by endpoint and outcome.",
		labels: ["endpoint", "outcome"],
	});

	async function take(kind: CallClass, { purpose, signal }: RelayCallOptions): Promise<void> {
		const shares =
			kind !== "other" || purpose === "trade"
				? []
				: purpose === "poll"
					? [{ of: "polls", perWindow: POLLS_PER_MINUTE }]
					: [{ of: "views", perWindow: VIEWS_PER_MINUTE }];
		for (let leftMs = purpose === "poll" ? 0 : WAITED_OUT_MS; ; ) {
			const taken = await core.budget.take(nameOf(kind), { amount: 1, ...limits[kind], shares });
			if (taken.granted) return;
			const waitMs = Math.max(taken.retryAfterMs, 1);
			if (waitMs > leftMs) throw tooOften(waitMs, { by: "its own pace", isSent: false });
			leftMs -= waitMs;
			await sleep(waitMs, AbortSignal.any([signal, ending]));
		}
	}

	async function send<Output>(
		call: RelayCall<Output>,
		callOptions: RelayCallOptions,
	): Promise<Output | null> {
		await take(call.class, callOptions);
		const answer = await callOut(outboundOf(call, { baseUrl, apiKey }), {
			...{ timeoutMs, bytesMax: BODY_BYTES_MAX, fetch: fetchIt },
			signals: [callOptions.signal, ending],
		});
		// What was not whole may have been done: a signature that left counts as handed over.
		const detail = `${call.name}: ${"detail" in answer ? answer.detail : ""}`;
		if (answer.kind === "silent") throw relayFault.unavailable({ detail });
		if (answer.kind === "unreadable") throw relayFault.unreadable({ detail });
		const { status, headers, text } = answer;
		if (answer.kind === "read") return read(call, text);
		if (status === 429) {
			const waitMs = Math.min(retryAfterMs(headers) ?? PAUSE_DEFAULT_MS, PAUSE_MAX_MS);
			await core.budget.pause(nameOf(call.class), waitMs);
			throw tooOften(waitMs, { by: "the provider", isSent: true });
		}
		if (status === 404) return null;
		if (!answer.isWhole) throw relayFault.unavailable({ detail: `${call.name}: HTTP ${status}` });
		throw refusalOf(call.name, status, text);
	}

	return async (call, callOptions) => {
		try {
			const answer = await send(call, callOptions);
			counted.inc({ endpoint: call.name, outcome: answer === null ? "not_found" : "ok" });
			return answer;
		} catch (error) {
			const code = error instanceof Error && "code" in error ? String(error.code) : "error";
			counted.inc({ endpoint: call.name, outcome: code });
			throw error;
		}
	};
}

/** Returns the Fault for a call beyond the limits, with who refused and the time to wait. */
function tooOften(waitMs: number, { by, isSent }: { by: string; isSent: boolean }): Fault {
	return relayFault.rateLimited({
		detail: `refused by ${by}`,
		meta: { isSent },
		members: { provider: RELAY_ID, retryAfterMs: Math.ceil(waitMs) },
	});
}

function outboundOf(
	{ path, body }: Pick<RelayCall<unknown>, "path" | "body">,
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string | undefined },
): OutboundCall {
	return {
		url: `${baseUrl}${path}`,
		headers: {
			...(body && { "content-type": "application/json" }),
			...(apiKey !== undefined && { "x-api-key": apiKey }),
		},
		...(body && { body: JSON.stringify(body) }),
	};
}

function refusalOf(name: string, status: number, text: string): Fault {
	const { data } = wireRefusal.safeParse(readJson(text));
	const detail = `${name}: HTTP ${status}: ${data?.errorCode ?? ""} ${data?.message ?? ""}`;
	if (status >= 500 || status === 408) return relayFault.unavailable({ detail });
	return relayFault.refused({ detail, meta: { errorCode: data?.errorCode ?? null } });
}

function read<Output>({ name, schema }: RelayCall<Output>, text: string): Output {
	const { data, error } = schema.safeParse(readJson(text));
	if (data !== undefined && !error) return data;
	const [issue] = error?.issues ?? [];
	const detail = `${name}: ${issue?.path.join(".")}: ${issue?.message}`;
	throw relayFault.unreadable({ detail });
}
