// Lists the faults of the wallet provider that a test may order.

import { z } from "zod";
import { MINUTE_MS, sleep } from "#core/time.ts";

export type CustodyFaultList = {
	add(order: CustodyFaultOrder): void;
	clear(): void;
	all(): CustodyFault[];
	/**
	 * Returns the first fault for a call (`METHOD /path?query`) about a wallet, and counts it as
	 * used.
	 */
	take(call: string, walletId?: string | null): CustodyFault | null;
	/** Does the same for a webhook (`WEBHOOK transaction.confirmed`). */
	takeWebhook(webhook: string): CustodyFault | null;
};

const GIB_BYTES = 1_073_741_824;

/** The kinds of faults of a wallet provider. */
const CUSTODY_FAULT_KINDS = [
	"status",
	"silence",
	"slow",
	"html",
	"truncated",
	"wrong_types",
	"huge",
	"late_broadcast",
	"twice",
	"other_hash",
	"odd_hash",
	"other_chain",
	"other_reference",
	"empty_lookup",
	"claims",
	"odd_values",
	"webhook_never",
	"webhook_late",
	"webhook_twice",
	"webhook_replay",
	"webhook_swapped",
	"webhook_forged",
	"webhook_lie",
] as const;

/** One ordered fault, as POST /_sandbox/faults takes it. */
export const CustodyFault = z.object({
	/**
	 * The calls that it affects, as a pattern of `METHOD /path?query`; for webhooks, of `WEBHOOK
	 * transaction.x`. Without it all.
	 */
	path: z.string().max(200).refine(isPattern, "is no regular expression").optional(),
	/** Only calls about this wallet or a transaction of it, by its id at the provider. */
	wallet: z.string().max(100).optional(),
	kind: z.enum(CUSTODY_FAULT_KINDS),
	/** Whether it fails before anything is done, or does the work and answers wrongly. */
	when: z.enum(["before", "after"]).default("before"),
	/** How often; without it always. */
	times: z.int().min(1).optional(),
	/** For `status` (500), `html` (200) and `claims` (200: it claims that it sent). */
	status: z.int().min(200).max(599).optional(),
	/** The provider's code beside its message, for `status` and `claims`. */
	code: z.string().max(100).optional(),
	retryAfter: z.union([z.string(), z.number()]).optional(),
	/** The delay of slow or late answers. */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** For `late_broadcast`: also after the request has expired. */
	pastExpiry: z.boolean().optional(),
	/** For `claims`: whether the transaction is really broadcast. */
	sends: z.boolean().optional(),
	/**
	 * For `claims`: which hash it names: this transaction's, an unknown one, or the previous one's.
	 */
	hash: z.enum(["own", "nobodys", "previous", "none"]).optional(),
	/** For `claims`: what its list shows of the transaction from then on; `nothing`: no row. */
	listed: z.enum(["broadcasted", "pending", "failed", "provider_error", "nothing"]).optional(),
	/** For `claims`: the list still shows it after the faults are cleared. */
	lasting: z.boolean().optional(),
	/** For `odd_values`: what replaces each number and text of the answer. */
	value: z.union([z.string().max(100), z.number(), z.boolean(), z.null()]).optional(),
	/** For `webhook_lie`: the false status (`failed`). */
	says: z
		.string()
		.regex(/^\w{1,40}$/)
		.optional(),
	/** For `huge`: the size in bytes. */
	bytes: z.int().min(1).max(GIB_BYTES).optional(),
});
export type CustodyFault = z.output<typeof CustodyFault>;
export type CustodyFaultOrder = z.input<typeof CustodyFault>;

const FAULTS_MAX = 1_000;

const SLOW_MS = 3_000;
const SILENCE_MAX_MS = 120_000;
const HUGE_BYTES = 16 * 1_048_576;
const CHUNK_BYTES = 65_536;
const OTHER_HASH = `0x${"5a".repeat(32)}`;

/** Makes the list of ordered faults. */
export function createCustodyFaultList(): CustodyFaultList {
	let faults: { fault: CustodyFault; pattern: RegExp; left: number }[] = [];
	return {
		add(order) {
			const fault = CustodyFault.parse(order);
			const left = fault.times ?? Number.POSITIVE_INFINITY;
			if (faults.length < FAULTS_MAX) {
				faults.push({ fault, pattern: new RegExp(fault.path ?? ""), left });
			}
		},
		clear() {
			faults = [];
		},
		all: () =>
			faults.map(({ fault, left }) => ({
				...fault,
				...(Number.isFinite(left) && { times: left }),
			})),
		take: (call, walletId = null) => take(call, { isWebhook: false, walletId }),
		takeWebhook: (webhook) => take(webhook, { isWebhook: true, walletId: null }),
	};

	function take(
		what: string,
		{ isWebhook, walletId }: { isWebhook: boolean; walletId: string | null },
	): CustodyFault | null {
		const entry = faults.find(({ fault, pattern }) => {
			if (fault.wallet !== undefined && fault.wallet !== walletId) return false;
			return fault.kind.startsWith("webhook_") === isWebhook && pattern.test(what);
		});
		if (!entry) return null;
		entry.left -= 1;
		if (entry.left <= 0) faults = faults.filter((other) => other !== entry);
		return entry.fault;
	}
}

/**
 * Answers a call with a fault; `answer` does the work and returns the correct answer. The work
 * itself handles `late_broadcast`, `claims` and `twice`; here these only delay or pass the answer.
 */
export async function spoilAnswer(
	fault: CustodyFault,
	signal: AbortSignal,
	answer: () => Promise<Response>,
): Promise<Response> {
	switch (fault.kind) {
		case "status":
		case "html":
		case "silence":
		case "huge":
			if (fault.when === "after") await answer();
			return await inPlace(fault, signal);
		case "slow": {
			const delayMs = fault.delayMs ?? SLOW_MS;
			if (fault.when === "before") await sleep(delayMs, signal);
			const said = await answer();
			if (fault.when === "after") await sleep(delayMs, signal);
			return said;
		}
		case "late_broadcast":
			await answer();
			return await inPlace(fault, signal);
		case "truncated": {
			const text = await (await answer()).text();
			return json(text.slice(0, Math.floor(text.length / 2)), 200);
		}
		case "wrong_types":
			return await changed(await answer(), twist);
		case "other_hash":
			return await changed(await answer(), (said) => withData(said, { hash: OTHER_HASH }));
		case "odd_hash":
			return await changed(await answer(), (said) => withData(said, { hash: "0xpending" }));
		case "other_chain":
			return await changed(await answer(), (said) => withData(said, { caip2: "eip155:1" }));
		case "other_reference":
			return await changed(await answer(), (said) => withData(said, { reference_id: "theirs" }));
		case "empty_lookup":
			return Response.json({ transactions: [] });
		case "odd_values":
			return await changed(await answer(), (said) => replaced(said, fault.value ?? null));
		case "twice":
			return await changed(await answer(), repeated);
		default:
			// Faults of webhooks do not affect calls.
			return await answer();
	}
}

async function inPlace(fault: CustodyFault, signal: AbortSignal): Promise<Response> {
	switch (fault.kind) {
		case "html": {
			const page = "<!doctype html><title>One moment</title><h1>Checking your browser</h1>";
			const headers = { "content-type": "text/html" };
			return new Response(page, { status: fault.status ?? 200, headers });
		}
		case "huge":
			return huge(fault.bytes ?? HUGE_BYTES);
		case "status": {
			const headers = new Headers();
			if (fault.retryAfter !== undefined) headers.set("retry-after", String(fault.retryAfter));
			const body = { error: "Something is wrong", ...(fault.code && { code: fault.code }) };
			return Response.json(body, { status: fault.status ?? 500, headers });
		}
		default:
			await sleep(SILENCE_MAX_MS, signal);
			return new Response(null, { status: 504 });
	}
}

/** Generates the body while it is read, so that it needs no memory here. */
function huge(bytes: number): Response {
	const chunk = new Uint8Array(CHUNK_BYTES).fill(0x20);
	let left = bytes;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			if (left <= 0) return controller.close();
			controller.enqueue(left >= CHUNK_BYTES ? chunk : chunk.subarray(0, left));
			left -= CHUNK_BYTES;
		},
	});
	return new Response(body, { headers: { "content-type": "application/json" } });
}

function json(text: string, status: number): Response {
	return new Response(text, { status, headers: { "content-type": "application/json" } });
}

async function changed(said: Response, change: (value: unknown) => unknown): Promise<Response> {
	const text = await said.text();
	if (said.status !== 200) return json(text, said.status);
	return json(JSON.stringify(change(JSON.parse(text))), 200);
}

/** Replaces every scalar by one of another type; the shape stays. */
function twist(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(twist);
	if (typeof value === "string") return 12_345;
	if (typeof value === "number") return "many";
	if (typeof value === "boolean") return "yes";
	if (typeof value !== "object" || value === null) return [];
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, twist(inner)]));
}

function withData(said: unknown, members: Record<string, string>): unknown {
	if (typeof said !== "object" || said === null || !("data" in said)) return said;
	return { ...said, data: { ...Object(said.data), ...members } };
}

/** Replaces every number and text by one value; shape and method name stay. */
function replaced(said: unknown, value: unknown): unknown {
	if (Array.isArray(said)) return said.map((one) => replaced(one, value));
	if (typeof said === "string" || typeof said === "number") return value;
	if (typeof said !== "object" || said === null) return said;
	const members = Object.entries(said).map(([key, inner]) => {
		return [key, key === "method" ? inner : replaced(inner, value)];
	});
	return Object.fromEntries(members);
}

/** Returns a list with each row twice; other answers unchanged. */
function repeated(said: unknown): unknown {
	if (typeof said !== "object" || said === null || !("transactions" in said)) return said;
	return { transactions: [said.transactions, said.transactions].flat() };
}

function isPattern(text: string): boolean {
	try {
		new RegExp(text);
		return true;
	} catch {
		return false;
	}
}
