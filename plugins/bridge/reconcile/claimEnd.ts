// Holds the end that the provider claims against both chains, and gives a bridge its payments.

import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { UNPROVEN_ALARM_MS } from "#plugins/bridge/limits.ts";
import type { BridgeEvent } from "#plugins/bridge/model.ts";
import {
	type OutHash,
	type Reading,
	type Verification,
	verifyEnd,
} from "#plugins/bridge/reconcile/verifyEnd.ts";
import type { RelayChain } from "#plugins/bridge/relay/Relay.ts";
import { claimArrivals, releaseArrivals } from "#plugins/bridge/sql/arrivals.ts";
import type { Bridge, BridgeChange } from "#plugins/bridge/sql/bridges.ts";
import { readPins } from "#plugins/bridge/sql/pins.ts";
import type { StoredQuote } from "#plugins/bridge/sql/quotes.ts";

/** Holds how a bridge ended by the provider's claim, and what the chains prove of it. */
export type Claim = { end: "fill" | "refund"; verification: Verification };

/** Holds the result of looking a bridge up. */
export type Outcome = { event: BridgeEvent | null; change: BridgeChange };

type Chains = {
	chains: readonly RelayChain[];
	/**
	 * Returns how a chain is read: by our own node, else by the provider's public one; null: neither.
	 */
	readingOf(chainId: number): Reading | null;
};

type Asked = {
	bridge: Bridge;
	quote: StoredQuote;
	end: "fill" | "refund";
	hashes: readonly OutHash[];
	/** True: only our own nodes count, whatever the provider's answer. */
	isOwnOnly?: boolean;
	signal: AbortSignal;
};

/** The code of a claim that no chain has confirmed for a while. */
const UNPROVEN = "claim_unproven";

/** Returns how both chains of a bridge are read, with what the provider publishes of them. */
export async function readingsOf(
	{ directory, readers }: Pick<BridgeContext, "directory" | "readers">,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<Chains> {
	const { origin, destination } = bridge.route ?? {};
	const all = await directory.knownChains({ purpose: "poll", signal }).catch(() => []);
	const chains = all.filter(({ id }) => id === origin?.chainId || id === destination?.chainId);
	return {
		chains,
		readingOf(chainId) {
			const own = readers.own(chainId);
			if (own) return { read: own, isOwn: true };
			const url = chains.find(({ id }) => id === chainId)?.httpRpcUrl ?? null;
			const read = readers.of(chainId, url);
			return read && { read, isOwn: false };
		},
	};
}

/** Looks up on both chains what there is of a claimed end. */
export async function lookUpClaim(context: BridgeContext, asked: Asked): Promise<Claim> {
	const { bridge, quote, end, hashes, isOwnOnly = false, signal } = asked;
	const { route, depositHash, createdAt } = bridge;
	if (!route) return { end, verification: { kind: "unreadable" } };
	const { readingOf } = await readingsOf(context, bridge, signal);
	const payersOf = await payersBy(context, bridge, quote);
	const verification = await verifyEnd({
		...{ end, route, quote, depositHash, hashes, payersOf, signal },
		sinceMs: createdAt.getTime(),
		readingOf(chainId) {
			const reading = readingOf(chainId);
			return isOwnOnly && reading?.isOwn === false ? null : reading;
		},
	});
	return { end, verification };
}

/**
 * Decides a claimed end in the caller's transaction, which holds the bridge. It is one only by
 * payments that are no other bridge's; less than was promised, or of another kind, is a doubt with
 * an alarm. What no chain has, or can say, goes on.
 */
export async function settleClaim(
	context: BridgeContext,
	tx: Tx,
	given: { bridge: Bridge; claim: Claim; at: Date },
): Promise<Outcome> {
	const { bridge, at } = given;
	const { end, verification } = given.claim;
	if (verification.kind !== "found") {
		if (bridge.depositOf !== null) return { event: null, change: {} };
		return unproven(context, bridge, at);
	}
	const { groups, seen, isOwn } = verification;
	// An operator's word is about what they were shown, and nothing less or else.
	const accepted = bridge.accepted?.end === end ? bridge.accepted : null;
	const claimed = await claimArrivals(tx, { bridgeId: bridge.id, groups, accepted, at });
	// What is told of a deposit that was made once more is mostly about the first one.
	if (!claimed && bridge.depositOf !== null) return { event: null, change: unclaimed(bridge) };
	const last = claimed?.payments.at(-1);
	const where = {
		outHash: last?.hash ?? seen.outHash,
		outHashes: claimed ? [...new Set(claimed.payments.map(({ hash }) => hash))] : [seen.outHash],
		outChainId: last?.chainId ?? seen.outChainId,
		outCurrency: claimed?.group.currency ?? null,
		arrivedRaw: claimed?.raw ?? 0n,
		claimedAt: null,
	};
	if (claimed?.isEnough) {
		// What a node of ours shows, and an operator's word alone binds to the order.
		const isVerified = isOwn && claimed.doubt !== null ? null : isOwn;
		return { event: end, change: { ...where, isVerified, errorCode: null, detail: null } };
	}
	const isElsewhere = end === "refund" && !seen.isPaid;
	const errorCode = isElsewhere ? "refund_elsewhere" : `${end}_short`;
	const counted = claimed ? null : "What was paid belongs to another bridge.";
	const detail = claimed?.doubt ?? seen.detail ?? counted;
	if (bridge.errorCode !== errorCode) context.alarm(errorCode, bridge.id);
	return { event: "doubt", change: { ...where, isVerified: null, errorCode, detail } };
}

/**
 * Decides an end again that only the provider's own node proved, once a node of ours has answered:
 * it is verified, or in doubt. Null: none of ours can answer.
 */
export async function settleLater(
	context: BridgeContext,
	tx: Tx,
	given: { bridge: Bridge; claim: Claim; at: Date },
): Promise<Outcome | null> {
	const { bridge, claim } = given;
	if (claim.verification.kind === "unreadable") return null;
	const found = claim.verification.kind === "found" ? await settleClaim(context, tx, given) : null;
	if (found && found.event === claim.end) return { event: null, change: found.change };
	await releaseArrivals(tx, bridge.id);
	context.alarm("arrival_unproven", bridge.id);
	const detail = "A node of that chain does not show what the provider's own node showed.";
	const none = { outHash: null, outHashes: null, outChainId: null, outCurrency: null };
	const where = { ...none, arrivedRaw: null };
	const change = { ...where, isVerified: null, errorCode: "arrival_unproven", detail };
	return { event: "doubt", change };
}

function unproven({ alarm }: BridgeContext, bridge: Bridge, at: Date): Outcome {
	const claimedAt = bridge.claimedAt ?? at;
	const isOld = at.getTime() - claimedAt.getTime() >= UNPROVEN_ALARM_MS;
	const isTold = bridge.errorCode !== null;
	if (!isOld || isTold) return { event: null, change: { claimedAt } };
	alarm(UNPROVEN, bridge.id);
	const detail = "The provider says that it is done, and no chain shows it.";
	return { event: null, change: { claimedAt, errorCode: UNPROVEN, detail } };
}

/** Returns the change where no end is claimed any more. */
export function unclaimed({ errorCode, claimedAt }: Bridge): BridgeChange {
	if (errorCode === UNPROVEN) return { claimedAt: null, errorCode: null, detail: null };
	return claimedAt === null ? {} : { claimedAt: null };
}

/**
 * Returns who pays for the provider on a chain: whom it named before the deposit, and by its quote
 * at the latest, or an operator. Nobody is pinned here: whom it names afterwards may be anybody.
 */
async function payersBy(
	{ core }: BridgeContext,
	{ request, route, depositedAt, createdAt }: Bridge,
	quote: StoredQuote,
): Promise<(chainId: number) => ReadonlySet<Address> | null> {
	// Its own contracts' message led to the transaction, and nobody's word.
	if (request.mode === "direct") return () => null;
	const ids = route ? [route.origin.chainId, route.destination.chainId] : [];
	const began = depositedAt ?? createdAt;
	// A chain's clock may be behind ours: what was quoted was there before the deposit.
	const asOf = began > quote.createdAt ? began : quote.createdAt;
	const all = await readPins(core.db, ids, { asOf });
	// Anybody may pay through what fills orders: only its callers say whose payment it is.
	const pins = all.filter(({ role }) => role !== "filler");
	return (chainId) =>
		new Set(pins.filter((pin) => pin.chainId === chainId).map(({ address }) => address));
}
