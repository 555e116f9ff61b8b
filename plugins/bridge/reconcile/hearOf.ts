// Asks what became of a deposit: the provider by request id, or both chains of a direct bridge.

import { Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { deliveryOf, oftEndOf } from "#plugins/bridge/direct/oft.ts";
import { HINT_AFTER_MS, HINT_EVERY_MS } from "#plugins/bridge/limits.ts";
import { readingsOf } from "#plugins/bridge/reconcile/claimEnd.ts";
import type { RelayCallOptions, RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import { type Bridge, type BridgeChange, changeBridge } from "#plugins/bridge/sql/bridges.ts";
import type { StoredQuote } from "#plugins/bridge/sql/quotes.ts";

/**
 * Holds the provider's answer about a bridge; `word` null: there was none now, which proves
 * nothing. `isWhole` false: there is more to search, soon.
 */
export type Heard = { word: RelayStatus | null; isWhole: boolean; change: BridgeChange };

type Asked = { bridge: Bridge; quote: StoredQuote; signal: AbortSignal };

/** Names under which the provider says that it has seen no deposit. */
const UNDEPOSITED = ["waiting", "depositing", "unknown"];
/** Faults of one request: the next may be answered. */
const UNANSWERED: readonly string[] = [
	...["bridge_provider_unavailable", "bridge_provider_unreadable", "bridge_provider_refused"],
	"bridge_provider_off",
];

/**
 * Asks the provider, or the chains, about a deposited bridge, and returns what they answer. Throws
 * a Fault where it may not be asked now.
 */
export async function hearOf(context: BridgeContext, asked: Asked): Promise<Heard> {
	const { bridge, quote, signal } = asked;
	if (bridge.request.mode === "direct") return await askChains(context, asked);
	const options = { purpose: "poll", signal } as const;
	const word = await heardOf(context, askProvider(context, { bridge, quote, options }));
	return { word, isWhole: true, change: {} };
}

/** Returns the provider's answer; null where it has none for this one request, or none to read. */
async function heardOf(
	{ core, ending }: BridgeContext,
	asked: Promise<RelayStatus>,
): Promise<RelayStatus | null> {
	try {
		return await asked;
	} catch (error) {
		const isOfOne = error instanceof Fault && UNANSWERED.includes(error.code);
		if (!isOfOne || ending.aborted) throw error;
		core.log.warn("the bridge provider did not answer about a bridge", { error });
		return null;
	}
}

/** Asks both chains of a direct bridge for its status; null where they cannot be read. */
async function askChains(context: BridgeContext, { bridge, quote, signal }: Asked): Promise<Heard> {
	const { route, depositHash, searchedBlock } = bridge;
	const { readingOf } = await readingsOf(context, bridge, signal);
	const here = route && readingOf(route.origin.chainId)?.read;
	const there = route && readingOf(route.destination.chainId)?.read;
	for (const token of context.settings.directTokens) {
		const from = route && oftEndOf(token, route.origin.chainId);
		const to = route && oftEndOf(token, route.destination.chainId);
		const isToken = token.symbol === route?.origin.symbol;
		if (!from || !to || !isToken || !here || !there || depositHash === null) continue;
		try {
			const delivery = await context.steps.run("bridge.status", () =>
				deliveryOf({
					...{ here, there, depositHash, ends: { from, to }, signal },
					newestBlock: blockOf(quote.told.newestBlock),
					searchedBlock: blockOf(searchedBlock),
				}),
			);
			const { word, isWhole } = delivery;
			const searched = delivery.searchedBlock === null ? null : Number(delivery.searchedBlock);
			return { word, isWhole, change: { searchedBlock: searched } };
		} catch (error) {
			context.core.log.warn("a message could not be looked up", { bridgeId: bridge.id, error });
		}
	}
	return { word: null, isWhole: true, change: {} };
}

function blockOf(told: string | number | null): bigint | null {
	return told === null ? null : BigInt(told);
}

/**
 * Asks the provider for a status by request id. Where the provider has not seen the deposit for a
 * while it is pointed out to it, and with a key its requests are searched by the deposit's hash and
 * by the order.
 */
async function askProvider(
	context: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; options: RelayCallOptions },
): Promise<RelayStatus> {
	const { bridge, quote, options } = given;
	const { relay, core, steps } = context;
	if (bridge.depositOf !== null) return await askOfSecond(context, given);
	const word = await steps.run("bridge.status", () => relay.status(quote.requestId, options));
	const isUnseen = word.kind === "unseen" || UNDEPOSITED.includes(word.status);
	const { depositHash, depositedAt, hintedAt } = bridge;
	const nowMs = core.clock.nowMs();
	const ageMs = nowMs - (depositedAt?.getTime() ?? nowMs);
	const sinceMs = nowMs - (hintedAt?.getTime() ?? 0);
	if (!isUnseen || depositHash === null || ageMs < HINT_AFTER_MS || sinceMs < HINT_EVERY_MS) {
		return word;
	}
	await changeBridge(core.db, bridge.id, { hintedAt: new Date(nowMs) });
	try {
		const chainId = bridge.route?.origin.chainId ?? 0;
		const { requestId, orderId } = quote;
		return await steps.run("bridge.status", async () => {
			await relay.hint({ chainId, hash: depositHash, requestId }, options);
			if (!relay.canSearch) return word;
			const found =
				(await relay.search({ depositHash }, options)) ??
				(await relay.search({ orderId }, options));
			return found?.status ?? word;
		});
	} catch (error) {
		// It was only to help: what was answered by the request's id stands.
		if (error instanceof Fault) return word;
		throw error;
	}
}

/**
 * Looks up a second deposit for a bridge. The provider's status is about the first one, if there
 * was one; what is found by the second one's own hash is added to its transactions.
 */
async function askOfSecond(
	{ relay, steps }: BridgeContext,
	given: { bridge: Bridge; quote: StoredQuote; options: RelayCallOptions },
): Promise<RelayStatus> {
	const { bridge, quote, options } = given;
	const { depositHash } = bridge;
	return await steps.run("bridge.status", async () => {
		const word = await relay.status(quote.requestId, options);
		if (!relay.canSearch || depositHash === null) return word;
		// It is only to know more: without it what was answered by the request's id stands.
		const found = relay.search({ depositHash }, options).catch((error: unknown) => {
			if (error instanceof Fault) return null;
			throw error;
		});
		const status = (await found)?.status;
		if (status?.kind !== "seen" || word.kind !== "seen") return status ?? word;
		return { ...status, outHashes: [...status.outHashes, ...word.outHashes] };
	});
}
