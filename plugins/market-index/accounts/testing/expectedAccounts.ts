// Computes a second time what an account holds, did and realised, from what happened alone.
// Written without a line of the index: filter, sort and count, unit by unit.

import type { Address } from "#core/chain/Hex.ts";
import type {
	World,
	WorldContract,
	WorldEvent,
} from "#plugins/market-index/accounts/testing/accountWorld.ts";

const ZERO = `0x${"0".repeat(40)}`;

/** What ether cost at a time: each fifth hour nobody knows. */
export function rateAt(atMs: number): number | null {
	const hour = Math.floor(atMs / 3_600_000);
	return hour % 5 === 0 ? null : 1_000 + (hour % 97);
}

const contractOf = (world: World, event: WorldEvent): WorldContract | undefined =>
	world.contracts.find((one) => one.address === event.contract);

/** Returns what happened that the index may show. */
function shownEvents(world: World): WorldEvent[] {
	return world.events.filter((event) => contractOf(world, event)?.state !== "hidden");
}

function isLater(a: WorldEvent, b: WorldEvent): number {
	return (
		b.occurredAtMs - a.occurredAtMs ||
		b.blockNumber - a.blockNumber ||
		b.logIndex - a.logIndex ||
		b.subIndex - a.subIndex ||
		b.chain.id - a.chain.id
	);
}

export type ActivityFilter = {
	type?: string;
	chain?: string;
	slug?: string;
	afterMs?: number;
	beforeMs?: number;
};

/** What the account did, the newest first, in a few words each. */
export function expectedActivity(world: World, account: Address, filter: ActivityFilter): string[] {
	const own = shownEvents(world).filter(({ from, to }) => from === account || to === account);
	const wanted = own.filter((event) => {
		const isType = {
			bought: event.kind === "sale" && event.to === account,
			sold: event.kind === "sale" && event.from === account,
			minted: event.kind === "mint" && event.to === account,
			moved: event.kind === "transfer",
		}[filter.type ?? ""];
		if (isType === false) return false;
		if (filter.chain !== undefined && event.chain.slug !== filter.chain) return false;
		if (filter.slug !== undefined && event.contract !== filter.slug) return false;
		if (filter.afterMs !== undefined && event.occurredAtMs < filter.afterMs) return false;
		return filter.beforeMs === undefined || event.occurredAtMs < filter.beforeMs;
	});
	return wanted.sort(isLater).map((event) => {
		const { kind, from, to } = event;
		const named = { mint: "minted", sale: from === account ? "sold" : "bought" };
		const moved = from === account ? "sent" : "received";
		const action = from === to ? "self" : kind === "transfer" ? moved : named[kind];
		const id = `${event.blockHash}:${event.logIndex}:${event.subIndex}`;
		return `${action} ${event.chain.slug} ${event.contract} ${event.tokenId} ${id}`;
	});
}

export type ExpectedHoldings = {
	/** `contract token units` of each token, in any order. */
	tokens: string[];
	valueRaw: string | null;
	collections: number;
	collectionsWithoutFloor: number;
	/** `contract state` of each collection whose owners are not known. */
	notWalked: string[];
};

/** What the account holds by all moves that are left. */
export function expectedHoldings(world: World, account: Address): ExpectedHoldings {
	const units = new Map<string, bigint>();
	const add = (owner: string, key: string, more: bigint) => {
		if (owner === account) units.set(key, (units.get(key) ?? 0n) + more);
	};
	for (const { contract, tokenId, from, to, quantity } of world.moves) {
		add(from, `${contract} ${tokenId}`, -quantity);
		add(to, `${contract} ${tokenId}`, quantity);
	}
	const held = [...units].filter(([, count]) => count > 0n);
	const heldOf = ({ address }: WorldContract) => held.filter(([key]) => key.startsWith(address));
	const walked = world.contracts.filter((one) => one.state === "walked" && heldOf(one).length > 0);
	const priced = walked.filter(({ floorWei }) => floorWei !== null);
	let value = 0n;
	for (const one of priced) {
		for (const [, count] of heldOf(one)) value += count * (one.floorWei ?? 0n);
	}
	const gotOf = ({ address }: WorldContract) =>
		world.events.some(
			({ contract, to, accepted, kind }) =>
				contract === address && to === account && (accepted || kind !== "sale"),
		);
	const unknown = world.contracts.filter(
		(one) =>
			(one.state === "not_walked" && gotOf(one)) ||
			(one.state === "walking" && (gotOf(one) || isSeen(world, one, account))),
	);
	return {
		tokens: walked.flatMap((one) => heldOf(one).map(([key, count]) => `${key} ${count}`)),
		valueRaw: walked.length > 0 && priced.length === 0 ? null : value.toString(),
		collections: walked.length,
		collectionsWithoutFloor: walked.length - priced.length,
		notWalked: unknown.map(({ address, state }) => `${address} ${state}`),
	};
}

/** Whether the lane, which began with the second block, saw the account as owner of a token. */
function isSeen(world: World, { address }: WorldContract, account: Address): boolean {
	const own = world.moves.filter(({ contract, from }) => contract === address && from !== ZERO);
	const last = new Map(own.map(({ tokenId, to }) => [tokenId, to]));
	return [...last.values()].includes(account);
}

/** What an account realised with one token; amounts in wei, dollars to the nearest. */
export type ExpectedResult = {
	sold: bigint;
	realised: bigint;
	proceeds: bigint;
	cost: bigint;
	usd: number | null;
	withoutUsd: bigint;
	notSeen: bigint;
	costUnknown: bigint;
	priceUnknown: bigint;
};

/** One unit that an account has, with what it paid for it. */
type Unit = { cost: bigint | null; isSeen: boolean; atMs: number };

/** What the account realised, by `contract token`: unit after unit, first in, first out. */
export function expectedResults(world: World, account: Address): Map<string, ExpectedResult> {
	const results = new Map<string, ExpectedResult>();
	const queues = new Map<string, Unit[]>();
	const counted = shownEvents(world).filter((one) => one.accepted && one.from !== one.to);
	const own = counted.filter(({ from, to }) => from === account || to === account);
	for (const event of own.sort(isLater).reverse()) {
		const key = `${event.contract} ${event.tokenId}`;
		const isDouble = world.events.some(
			(one) =>
				event.kind === "transfer" &&
				one.kind !== "transfer" &&
				one.transactionHash === event.transactionHash,
		);
		if (isDouble) continue;
		const queue = queues.get(key) ?? [];
		queues.set(key, queue);
		const worth = worthOf(event);
		if (event.to === account) {
			if (contractOf(world, event)?.standard === "erc721") queue.length = 0;
			for (let unit = 0n; unit < event.quantity; unit++) {
				const isSeen = event.kind !== "transfer";
				const cost = worth === null ? null : partOf(worth, event.quantity, unit);
				queue.push({ cost, isSeen, atMs: event.occurredAtMs });
			}
		} else if (event.kind === "transfer") queue.splice(0, Number(event.quantity));
		else {
			const result = results.get(key) ?? nothing();
			results.set(key, result);
			for (let unit = 0n; unit < event.quantity; unit++) {
				const price = worth === null ? null : partOf(worth, event.quantity, unit);
				count(result, { price, atMs: event.occurredAtMs, unit: queue.shift() });
			}
		}
	}
	return results;
}

function nothing(): ExpectedResult {
	return {
		...{ sold: 0n, realised: 0n, proceeds: 0n, cost: 0n, usd: null, withoutUsd: 0n },
		...{ notSeen: 0n, costUnknown: 0n, priceUnknown: 0n },
	};
}

function count(
	result: ExpectedResult,
	{ price, atMs, unit }: { price: bigint | null; atMs: number; unit: Unit | undefined },
): void {
	result.sold += 1n;
	if (!unit?.isSeen) result.notSeen += 1n;
	else if (unit.cost === null) result.costUnknown += 1n;
	else if (price === null) result.priceUnknown += 1n;
	else {
		result.realised += 1n;
		result.proceeds += price;
		result.cost += unit.cost;
		const [now, then] = [rateAt(atMs), rateAt(unit.atMs)];
		if (now === null || then === null) result.withoutUsd += 1n;
		else {
			const gain = (Number(price) / 1e18) * now - (Number(unit.cost) / 1e18) * then;
			result.usd = (result.usd ?? 0) + gain;
		}
	}
}

/** The nth unit's share of a total: what the first n + 1 cost, less what the first n did. */
function partOf(total: bigint, units: bigint, nth: bigint): bigint {
	return (total * (nth + 1n)) / units - (total * nth) / units;
}

/** Wei of ETH; unknown for a coin without a rate, and for a price that is doubted. */
function worthOf(event: WorldEvent): bigint | null {
	if (event.reason === "price_unproven" || event.kind === "transfer") return null;
	if (event.totalRaw === 0n) return 0n;
	return event.currency === ZERO ? event.totalRaw : null;
}
