// Verifies on chain that a fill or a refund has paid what the provider claims.

import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import type { BridgeRoute } from "#plugins/bridge/quote/bridgeRoute.ts";
import { type Payments, readPayments } from "#plugins/bridge/reconcile/readChain.ts";

export type OutHash = { hash: Hex; chainId: number | null };
type Readers = {
	origin: ChainReader | null;
	destination: ChainReader | null;
};
type Where = { outHash: Hex; outChainId: number };

/** The result of checking the provider's claim on chain. */
export type Verification =
	| ({ kind: "verified"; outCurrency: Address; arrivedRaw: bigint } & Where)
	/** No node can say: the provider's word stands, and is marked as nobody's but its own. */
	| { kind: "unreadable"; outHash: Hex | null }
	/** A chain that was read has nothing of it, yet. */
	| { kind: "absent" }
	/** It is there, and is not what it should be. */
	| ({ kind: "wrong"; code: "below_minimum" | "refund_elsewhere"; arrivedRaw: bigint } & Where);

type Asked = {
	route: BridgeRoute;
	minimumOutRaw: bigint;
	hashes: readonly OutHash[];
	readers: Readers;
	signal: AbortSignal;
};

type Found = {
	paid: readonly { hash: Hex; currency: Address; raw: bigint }[];
	/** One of the transactions is in a block, and paid or not. */
	isThere: boolean;
	/** One of them could not be looked at. */
	isUnreadable: boolean;
};

/** Verifies a fill on the destination chain: its recipient must have got at least the minimum. */
export async function verifyFill(asked: Asked): Promise<Verification> {
	const { route, minimumOutRaw, hashes, readers, signal } = asked;
	const { chainId, currency } = route.destination;
	const named = hashes.filter((one) => one.chainId === null || one.chainId === chainId);
	const found = await readAll(named, {
		...{ read: readers.destination, parties: [route.recipient], signal },
	});
	const sum = found.paid
		.filter((one) => one.currency === currency)
		.reduce((total, { raw }) => total + raw, 0n);
	const last = found.paid.at(-1)?.hash ?? named.at(-1)?.hash ?? null;
	if (last !== null && sum >= minimumOutRaw) {
		const where = { outHash: last, outChainId: chainId };
		return { kind: "verified", outCurrency: currency, arrivedRaw: sum, ...where };
	}
	if (found.isUnreadable) return { kind: "unreadable", outHash: last };
	if (!found.isThere || last === null) return { kind: "absent" };
	const where = { outHash: last, outChainId: chainId };
	return { kind: "wrong", code: "below_minimum", arrivedRaw: sum, ...where };
}

/** Verifies a refund on the chain of its transaction: the origin first, then the destination. */
export async function verifyRefund(asked: Asked): Promise<Verification> {
	const { route, hashes, readers, signal } = asked;
	const { origin, destination, refundTo, recipient } = route;
	const places = [
		{ place: origin, read: readers.origin, parties: [refundTo] },
		{ place: destination, read: readers.destination, parties: [recipient, refundTo] },
	];
	let isUnreadable = hashes.length === 0 ? false : places.every(({ read }) => read === null);
	let elsewhere: Where | null = null;
	for (const { place, read, parties } of places) {
		const { chainId } = place;
		const named = hashes.filter((one) => one.chainId === null || one.chainId === chainId);
		const found = await readAll(named, { read, parties, signal });
		// In the currency of the place if it came in that, else in whatever came most.
		const best =
			found.paid.find(({ currency }) => currency === place.currency) ??
			found.paid.find(({ currency }) => currency === ZERO_ADDRESS) ??
			found.paid[0];
		if (best) {
			const where = { outHash: best.hash, outChainId: chainId };
			return { kind: "verified", outCurrency: best.currency, arrivedRaw: best.raw, ...where };
		}
		isUnreadable ||= found.isUnreadable;
		if (found.isThere && named[0]) elsewhere = { outHash: named[0].hash, outChainId: chainId };
	}
	if (elsewhere) return { kind: "wrong", code: "refund_elsewhere", arrivedRaw: 0n, ...elsewhere };
	if (isUnreadable) return { kind: "unreadable", outHash: hashes[0]?.hash ?? null };
	return { kind: "absent" };
}

async function readAll(
	hashes: readonly OutHash[],
	given: { read: ChainReader | null; parties: readonly Address[]; signal: AbortSignal },
): Promise<Found> {
	const { read, signal } = given;
	const parties = [...new Set(given.parties)];
	const paid: { hash: Hex; currency: Address; raw: bigint }[] = [];
	const kinds = new Set<Payments["kind"]>();
	for (const { hash } of new Map(hashes.map((one) => [one.hash, one])).values()) {
		for (const party of parties) {
			const payments = await readPayments(read, { hash, party, signal });
			kinds.add(payments.kind);
			if (payments.kind === "read") paid.push(...payments.paid.map((one) => ({ hash, ...one })));
		}
	}
	return {
		paid,
		isThere: kinds.has("read") || kinds.has("reverted"),
		isUnreadable: kinds.has("unreadable"),
	};
}
