import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import type { Fulfilment } from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import { isEverythingMet } from "#plugins/chain-scanner/venues/seaport/isEverythingMet.ts";
import { LONE_PAYER } from "#plugins/chain-scanner/venues/seaport/lonePayer.ts";
import { orderSides } from "#plugins/chain-scanner/venues/seaport/orderSides.ts";

/** A log of one transaction, as far as it could be read; `broken` is an unreadable fulfilment. */
export type SeaportEntry =
	| { kind: "fulfilled"; emitter: Address; fulfilment: Fulfilment }
	| { kind: "broken"; emitter: Address }
	| { kind: "matched"; emitter: Address; logIndex: number; orderHashes: readonly Hex[] };

/** `complete` is false where an order of the match is missing: then nothing may be guessed. */
export type MatchGroup = { fulfilments: Fulfilment[]; complete: boolean };

export type Grouping = {
	matches: MatchGroup[];
	singles: { emitter: Address; fulfilment: Fulfilment }[];
	undecoded: UndecodedLog[];
};

/**
 * Groups fulfilments by match call.
 *
 * OrdersMatched follows its orders and takes the latest ones with its hashes, because an order
 * filled in parts may appear in several calls of one transaction. Version 1.1 has no such log;
 * there a match shows as a zero recipient, and is not complete where an order asks for what none
 * gives.
 */
export function groupFulfilments(entries: readonly SeaportEntry[]): Grouping {
	const grouping: Grouping = { matches: [], singles: [], undecoded: [] };
	const byEmitter = new Map<Address, SeaportEntry[]>();
	for (const entry of entries) {
		const list = byEmitter.get(entry.emitter);
		if (list) list.push(entry);
		else byEmitter.set(entry.emitter, [entry]);
	}
	for (const [emitter, list] of byEmitter) groupEmitter(grouping, emitter, list);
	return grouping;
}

function groupEmitter(grouping: Grouping, emitter: Address, list: readonly SeaportEntry[]): void {
	const waiting = new Map<Hex, Fulfilment[]>();
	const open = new Set<Fulfilment>();
	let anyBroken = false;
	for (const entry of list) {
		if (entry.kind === "broken") {
			anyBroken = true;
		} else if (entry.kind === "fulfilled") {
			open.add(entry.fulfilment);
			const same = waiting.get(entry.fulfilment.order.orderHash);
			if (same) same.push(entry.fulfilment);
			else waiting.set(entry.fulfilment.order.orderHash, [entry.fulfilment]);
		} else {
			const group = takeGroup(waiting, entry.orderHashes);
			for (const fulfilment of group.fulfilments) open.delete(fulfilment);
			if (group.fulfilments.length > 0) grouping.matches.push(group);
			if (!group.complete) {
				grouping.undecoded.push({
					logIndex: entry.logIndex,
					problem: "matches an order whose fulfilment is missing or unreadable",
				});
			}
		}
	}
	const unnamed: Fulfilment[] = [];
	for (const fulfilment of open) {
		if (fulfilment.order.recipient === ZERO_ADDRESS) unnamed.push(fulfilment);
		else grouping.singles.push({ emitter, fulfilment });
	}
	if (unnamed.length === 0) return;
	const isMet = isEverythingMet(unnamed);
	if (!isMet && !anyBroken) grouping.undecoded.push(...lonePayers(unnamed));
	grouping.matches.push({ fulfilments: unnamed, complete: isMet && !anyBroken });
}

/** Returns payments of a match without any order with an NFT: nothing else would report them. */
function lonePayers(fulfilments: readonly Fulfilment[]): UndecodedLog[] {
	const sides = fulfilments.map(orderSides);
	if (sides.some(({ givesNfts, asksNfts }) => givesNfts.length + asksNfts.length > 0)) return [];
	return sides.map(({ logIndex }) => ({ logIndex, problem: LONE_PAYER }));
}

/** Takes from the end on both sides, so that a hash named twice takes the two latest. */
function takeGroup(waiting: Map<Hex, Fulfilment[]>, orderHashes: readonly Hex[]): MatchGroup {
	const fulfilments: Fulfilment[] = [];
	let complete = true;
	for (const orderHash of orderHashes) {
		// A zero hash stands for an order that the call skipped.
		if (/^0x0+$/.test(orderHash)) continue;
		const found = waiting.get(orderHash)?.pop();
		if (found) fulfilments.push(found);
		else complete = false;
	}
	fulfilments.sort((left, right) => left.logIndex - right.logIndex);
	return { fulfilments, complete };
}
