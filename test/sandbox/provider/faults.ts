// Lists the marketplace provider's faults and limits that a test may order.

import { encodeFunctionData, type Hex } from "viem";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { MINUTE_MS } from "#core/time.ts";
import { createPrng } from "../createPrng.ts";
import type { Rpc } from "../createRpc.ts";
import { addresses, conduitKey } from "../knownContracts.ts";
import { revealSellers, rival, sendFrom } from "../reveals/revealKinds.ts";
import { seaportAbi } from "../seaportOrder.ts";
import type { Signatures } from "./book/fulfilment.ts";
import { endOrder } from "./market/applyBlock.ts";
import type { Market } from "./market/Market.ts";

export type FaultKind = Fault["kind"];

export type RandomFaults = {
	seed: number;
	/** The probability for each request, 0 to 1. */
	chance: number;
	kinds?: readonly FaultKind[];
};

export type FaultList = {
	add(fault: Fault): void;
	clear(): void;
	all(): Fault[];
	/** Returns the first fault for an HTTP request, and counts it as used. */
	takeForPath(path: string): Fault | null;
	/** Does the same for the stream. */
	takeForStream(kind: "drop_stream" | "duplicate" | "reorder"): Fault | null;
};

export type Bucket = "read" | "write" | "fulfillment";
/** Requests per window for each bucket; real keys have 600 reads an hour and 5 fills a minute. */
export type RateLimits = Record<Bucket, { limit: number; windowMs: number }>;

export type RateVerdict = { isAllowed: boolean; headers: Record<string, string> };

/** What a seller does at the moment when a buyer requests a fulfilment. */
export const RACE_KINDS = ["seller_sells", "seller_cancels", "seller_withdraws"] as const;
export type RaceKind = (typeof RACE_KINDS)[number];

const GIB_BYTES = 1_073_741_824;

/** The kinds of faults of a provider: of answers, then three of the stream, then of sellers. */
const FAULT_KINDS = [
	"429",
	"599",
	"500",
	"html",
	"silence",
	"slow",
	"huge",
	"wrong_types",
	"odd_data",
	"truncated",
	"zero_floor",
	"drop_stream",
	"duplicate",
	"reorder",
	...RACE_KINDS,
] as const;

/** One ordered fault, as POST /_sandbox/faults takes it. */
export const Fault = z.object({
	/** The paths that it affects, as a pattern of path and query; without it all. */
	path: z.string().max(200).refine(isPattern, "is no regular expression").optional(),
	kind: z.enum(FAULT_KINDS),
	/** How often; without it always. */
	times: z.int().min(1).optional(),
	/** Seconds or an HTTP date, sent unchanged; for 429 and 599. */
	retryAfter: z.union([z.string(), z.number()]).optional(),
	/** Replaces the usual status of `html` (200) and `500`. */
	status: z.int().min(200).max(599).optional(),
	/** The delay of a slow answer. */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** The size of a huge answer. */
	bytes: z.int().min(1).max(GIB_BYTES).optional(),
});
export type Fault = z.infer<typeof Fault>;

const FAULTS_MAX = 1_000;
const STREAM_KINDS: ReadonlySet<FaultKind> = new Set(["drop_stream", "duplicate", "reorder"]);

/**
 * Makes the buyer too late. `seller_sells`: another buyer fills it on chain. `seller_cancels`: its
 * seller cancels it on chain; for the world's traders, whose nonces its planner counts, it is
 * removed from the book instead. `seller_withdraws`: it leaves the book, and nothing happens on
 * chain.
 */
export async function raceBuyer(
	{ rpc, market, signatures }: { rpc: Rpc; market: Market; signatures: Signatures },
	{ kind, orderHash }: { kind: RaceKind; orderHash: Hex },
): Promise<void> {
	const order = market.orders.get(orderHash);
	if (order?.status !== "ACTIVE" || order.kind !== "listing") return;
	const { maker, parameters, totalRaw } = order;
	const to = addresses.seaport;
	if (kind === "seller_sells") {
		const signature = await signatures.of(order);
		if (!signature) return;
		const args = [{ parameters, signature }, conduitKey] as const;
		const data = encodeFunctionData({ abi: seaportAbi, functionName: "fulfillOrder", args });
		await sendFrom(rpc, rival, { to, data, value: totalRaw });
		return;
	}
	const isFree = revealSellers.some(({ address }) => address === maker);
	if (kind === "seller_withdraws" || !isFree) return endOrder(market, order, "CANCELLED");
	const { totalOriginalConsiderationItems: _, ...components } = parameters;
	const args = [[{ ...components, counter: 0n }]] as const;
	const data = encodeFunctionData({ abi: seaportAbi, functionName: "cancel", args });
	await sendFrom(rpc, maker, { to, data });
}

/** Makes the list of ordered faults, with random ones beside them. */
export function createFaultList(random: RandomFaults | null): FaultList {
	let faults: { fault: Fault; pattern: RegExp; left: number }[] = [];
	const prng = createPrng(random?.seed ?? 0);
	const ordered: ReadonlySet<FaultKind> = new Set([...STREAM_KINDS, ...RACE_KINDS]);
	const kinds = random?.kinds ?? FAULT_KINDS.filter((kind) => !ordered.has(kind));
	function take(fits: (entry: (typeof faults)[number]) => boolean): Fault | null {
		const entry = faults.find(fits);
		if (!entry) return null;
		entry.left -= 1;
		if (entry.left <= 0) faults = faults.filter((other) => other !== entry);
		return entry.fault;
	}
	return {
		add(fault) {
			const pattern = new RegExp(fault.path ?? "");
			// A drop happens once at the time of the order; further ones affect clients that reconnect.
			const isDrop = fault.kind === "drop_stream";
			const left = isDrop ? (fault.times ?? 1) - 1 : (fault.times ?? Number.POSITIVE_INFINITY);
			if (left > 0 && faults.length < FAULTS_MAX) faults.push({ fault, pattern, left });
		},
		clear: () => {
			faults = [];
		},
		all: () =>
			faults.map(({ fault, left }) => ({
				...fault,
				...(Number.isFinite(left) && { times: left }),
			})),
		takeForPath(path) {
			const ordered = take(
				({ fault, pattern }) => !STREAM_KINDS.has(fault.kind) && pattern.test(path),
			);
			if (ordered) return ordered;
			return random && prng.chance(random.chance) ? { kind: prng.pick(kinds) } : null;
		},
		takeForStream: (kind) => take(({ fault }) => fault.kind === kind),
	};
}

/** Makes a counter of requests in fixed windows, one per bucket, which also returns the headers. */
export function createRateLimit(
	limits: RateLimits,
	clock: Clock,
): { take(bucket: Bucket): RateVerdict } {
	const windows = new Map<Bucket, { startMs: number; used: number }>();
	return {
		take(bucket) {
			const { limit, windowMs } = limits[bucket];
			const nowMs = clock.nowMs();
			let window = windows.get(bucket);
			if (!window || nowMs >= window.startMs + windowMs) {
				window = { startMs: nowMs, used: 0 };
				windows.set(bucket, window);
			}
			const isAllowed = window.used < limit;
			if (isAllowed) window.used += 1;
			const resetMs = window.startMs + windowMs;
			return {
				isAllowed,
				headers: {
					"x-ratelimit-limit": String(limit),
					"x-ratelimit-remaining": String(limit - window.used),
					"x-ratelimit-reset": String(Math.ceil(resetMs / 1_000)),
					...(!isAllowed && { "retry-after": String(Math.ceil((resetMs - nowMs) / 1_000)) }),
				},
			};
		},
	};
}

/** Returns the bucket of a request. */
export function bucketOf(method: string, path: string): Bucket {
	if (path.endsWith("/fulfillment_data")) return "fulfillment";
	return method === "GET" ? "read" : "write";
}

function isPattern(text: string): boolean {
	try {
		new RegExp(text);
		return true;
	} catch {
		return false;
	}
}
