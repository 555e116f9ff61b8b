// Looks up on chain which payments can end a bridge, as a fill or as a refund.

import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";
import type { ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import { CHAIN_CLOCKS_APART_S, REFUND_SHARE_BPS } from "#plugins/bridge/limits.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import { type Place, readPayments, readPlace } from "#plugins/bridge/reconcile/readPayments.ts";
import { wireUint } from "#plugins/bridge/relay/order.ts";
import type { Group, Payment } from "#plugins/bridge/sql/arrivals.ts";
import type { StoredQuote } from "#plugins/bridge/sql/quotes.ts";

export type OutHash = { hash: Hex; chainId: number | null };

/**
 * Says how a chain is read, and whether by a node of this deployment or an operator (`isOwn`), or
 * the provider's.
 */
export type Reading = { read: ChainReader; isOwn: boolean };

/** The result of looking up the provider's claim on chain. */
export type Verification =
	/** The payments are known; whether they are enough, and whose, is decided by `claim`. */
	| { kind: "found"; isOwn: boolean; groups: readonly Group[]; seen: Seen }
	/** A chain cannot be read: the bridge continues until it can. */
	| { kind: "unreadable" }
	/** A chain that was read has nothing of it, yet. */
	| { kind: "absent" };

/** Names the transaction that was looked at. `detail` says why it does not count; null: it does. */
export type Seen = {
	outHash: Hex;
	outChainId: number;
	/** True: the transaction paid an address of this bridge, in any currency. */
	isPaid: boolean;
	detail: string | null;
};

export type EndAsked = {
	end: "fill" | "refund";
	route: BridgeRoute;
	quote: Pick<StoredQuote, "orderId" | "requestId" | "minimumOutRaw" | "expectedOutRaw" | "told">;
	/** The transaction that paid in; null: it is not known, and `sinceMs` is used instead. */
	depositHash: Hex | null;
	sinceMs: number;
	hashes: readonly OutHash[];
	readingOf(chainId: number): Reading | null;
	/** The provider's own addresses on a chain; null: the chain itself named the transactions. */
	payersOf(chainId: number): ReadonlySet<Address> | null;
	signal: AbortSignal;
};

/** Parses the parts of a stored order that say how it is refunded. */
const storedOrder = z.object({
	inputs: z.tuple([
		z.object({
			payment: z.object({ chainId: z.string() }),
			refunds: z.array(
				z.object({
					chainId: z.string(),
					...{ recipient: anyCaseAddressSchema, currency: anyCaseAddressSchema },
					minimumAmount: wireUint,
				}),
			),
		}),
	]),
	output: z.object({ chainId: z.string() }),
});

const BPS = 10_000n;

/**
 * Looks up a claimed end on the chains where it can be. A payment counts where it came after the
 * deposit, and from the provider or with the order's id. A chain that cannot be read leaves it
 * open.
 */
export async function verifyEnd(asked: EndAsked): Promise<Verification> {
	const { end, hashes, readingOf, route } = asked;
	const after = await afterOf(asked);
	if (after === null) return { kind: "unreadable" };
	const wanted = end === "fill" ? [fillGroup(asked)] : refundGroups(asked);
	const chainIds = [...new Set(wanted.map(({ chainId }) => chainId))];
	const paid: Payment[] = [];
	let seen: Seen | null = null;
	let [isUnreadable, isThere] = [false, false];
	for (const chainId of chainIds) {
		const ofChain = wanted.filter((one) => one.chainId === chainId);
		const parties = [...new Set(ofChain.map(({ party }) => party))];
		const isCoinWanted = ofChain.some(({ currency }) => currency === ZERO_ADDRESS);
		for (const hash of namedOn(asked, chainId)) {
			const read = readingOf(chainId)?.read ?? null;
			const proof = proofOf(asked, { chainId, after });
			const found = await readPayments(read, {
				...{ chainId, hash, parties, isCoinWanted, proof, signal: asked.signal },
			});
			isUnreadable ||= found.kind === "unreadable";
			if (found.kind === "unreadable" || found.kind === "absent") continue;
			isThere = true;
			if (found.kind === "read") paid.push(...found.payments);
			const detail = flawOf(ofChain, found);
			const isPaid = found.kind === "read" && found.payments.length > 0;
			const one = { outHash: hash, outChainId: chainId, isPaid, detail };
			if (!seen || (isPaid && !seen.isPaid) || detail === null) seen = one;
		}
	}
	const groups = wanted.map((group) => ({ ...group, payments: paid.filter(isOf(group)) }));
	const isEnough = groups.some(isPaid);
	// One that could not be looked at may be the one that pays.
	if (isUnreadable && !isEnough) return { kind: "unreadable" };
	if (!isThere || seen === null) return hashes.length === 0 ? { kind: "absent" } : absent(asked);
	const chains = [seen.outChainId, route.origin.chainId];
	const isOwn = chains.every((chainId) => readingOf(chainId)?.isOwn === true);
	return { kind: "found", isOwn, groups, seen };
}

/** Returns whether a group's payments are enough, for any recipient. */
export function isPaid({ payments, minimumRaw }: Group): boolean {
	const proven = payments.filter(({ doubt }) => doubt === undefined);
	const sum = proven.reduce((total, { raw }) => total + raw, 0n);
	return minimumRaw !== null && sum > 0n && sum >= minimumRaw;
}

/** A chain without any reader says nothing, so it is not one without the transaction. */
function absent({ readingOf, route }: EndAsked): Verification {
	const both = [route.origin.chainId, route.destination.chainId];
	return { kind: both.some((id) => readingOf(id) === null) ? "unreadable" : "absent" };
}

function isOf({ chainId, currency, party }: Omit<Group, "payments">) {
	return (one: Payment) =>
		one.chainId === chainId && one.currency === currency && one.party === party;
}

function namedOn({ hashes, depositHash }: EndAsked, chainId: number): Hex[] {
	const named = hashes.filter((one) => one.chainId === null || one.chainId === chainId);
	// The deposit carries the order's id, and is the one transaction that pays nobody for it.
	return [...new Set(named.map(({ hash }) => hash))].filter((hash) => hash !== depositHash);
}

function flawOf(
	groups: readonly Omit<Group, "payments">[],
	found: Exclude<Awaited<ReturnType<typeof readPayments>>, { kind: "unreadable" | "absent" }>,
): string | null {
	if (found.kind === "foreign") return found.detail;
	if (found.kind !== "read") return "The transaction that was named failed.";
	if (found.payments.length === 0) return "The transaction that was named pays nobody here.";
	const right = found.payments.filter((one) => groups.some((group) => isOf(group)(one)));
	if (right.some(({ doubt }) => doubt === undefined)) return null;
	return right[0]?.doubt ?? "It was paid in another currency.";
}

/**
 * Returns a test whether a transaction came after the deposit: on the same chain by its position,
 * on another one by the time of its block, and by the block that was the newest when the quote was
 * made. Null: the deposit cannot be read.
 */
async function afterOf(asked: EndAsked) {
	const { depositHash, sinceMs, route, quote, readingOf, signal } = asked;
	const origin = route.origin.chainId;
	let deposit: Place | null = null;
	if (depositHash !== null) {
		const reading = readingOf(origin);
		if (reading === null) return null;
		try {
			deposit = await readPlace(reading.read, { hash: depositHash, signal });
		} catch {
			return null;
		}
		if (deposit === null) return null;
	}
	const atS = deposit?.atS ?? BigInt(Math.floor(sinceMs / 1_000));
	const newest = quote.told.newestBlock === null ? null : BigInt(quote.told.newestBlock);
	return (chainId: number) => (place: Place) => {
		if (deposit && chainId === origin) {
			const isSame = place.block === deposit.block;
			return isSame ? place.index > deposit.index : place.block > deposit.block;
		}
		const isLater = place.atS + CHAIN_CLOCKS_APART_S >= atS;
		const isNewer =
			chainId !== route.destination.chainId || newest === null || place.block > newest;
		return isLater && isNewer;
	};
}

function proofOf(
	{ route, quote, payersOf }: EndAsked,
	{ chainId, after }: { chainId: number; after: NonNullable<Awaited<ReturnType<typeof afterOf>>> },
) {
	return {
		payers: payersOf(chainId),
		marks: [quote.orderId.slice(2), quote.requestId.slice(2)],
		owners: new Set([route.user, route.recipient, route.refundTo]),
		isAfter: after(chainId),
	};
}

function fillGroup({ route, quote }: EndAsked): Omit<Group, "payments"> {
	const { chainId, currency } = route.destination;
	const { minimumOutRaw: minimumRaw, expectedOutRaw: expectedRaw } = quote;
	return { chainId, currency, party: route.recipient, minimumRaw, expectedRaw };
}

/**
 * Returns how an order may be refunded: on which chain, in what, to whom, and how much at least.
 * Orders tend to allow any amount, so a quarter of what was paid in, or was to arrive, is required;
 * the worth of another currency is not known here.
 */
function refundGroups({ route, quote }: EndAsked): Omit<Group, "payments">[] {
	const { origin, destination, refundTo, amountRaw } = route;
	const share = (raw: bigint) => (raw * REFUND_SHARE_BPS + BPS - 1n) / BPS;
	const { data } = storedOrder.safeParse(quote.told.order);
	if (!data) {
		const minimumRaw = share(amountRaw);
		const { chainId, currency } = origin;
		return [{ chainId, currency, party: refundTo, minimumRaw, expectedRaw: amountRaw }];
	}
	const [{ payment, refunds }] = data.inputs;
	return refunds.flatMap(({ chainId: name, recipient, currency, minimumAmount }) => {
		const isOrigin = name === payment.chainId;
		if (!isOrigin && name !== data.output.chainId) return [];
		const place = isOrigin ? origin : destination;
		const wholeRaw = isOrigin ? amountRaw : quote.minimumOutRaw;
		const leastRaw = currency === place.currency ? share(wholeRaw) : minimumAmount;
		const minimumRaw = leastRaw > minimumAmount ? leastRaw : minimumAmount;
		return [
			{
				...{ chainId: place.chainId, currency, party: recipient, expectedRaw: wholeRaw },
				minimumRaw: minimumRaw === 0n ? null : minimumRaw,
			},
		];
	});
}
