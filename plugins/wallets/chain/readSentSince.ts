// Reads what an account sent since a block, by halving its count of nonces.

import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, hexQuantity, isAddress, isWord } from "#core/chain/Hex.ts";
import { chainFault, hexData, readAnswer, readableBy } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import {
	type Asking,
	askBeside,
	askBriefly,
	askHeard,
	countCalls,
	type Others,
} from "#plugins/wallets/chain/secondOpinion.ts";

/** A mined transaction of an account, as its block shows it. */
export type SentTransaction = {
	hash: Hex;
	nonce: number;
	to: Address | null;
	valueRaw: bigint;
	data: Hex;
};

export type SentSince = {
	/** In the order of their nonces. */
	sent: SentTransaction[];
	/** All that was mined after the block that was asked for, up to this one, is in `sent`. */
	searchedTo: number;
	headBlock: number;
	/** The number of transactions that the account had sent by the head. */
	count: number;
	/** True if nothing is left to read, and nothing more of the account waits at a node. */
	isWhole: boolean;
	/** Blocks were read whole, because no node has the state of their time any more. */
	isScanned: boolean;
};

export type SentSinceAsked = {
	address: Address;
	/** The block after which mined transactions are read. */
	fromBlock: number;
	/**
	 * How many of its transactions are recorded or were read, mined or not. Left out: the first is
	 * unknown, and those that are mined count as known.
	 */
	known?: number;
	/** Ends what one of two endpoints alone counts for too long, and cannot show. */
	endsClaims?: boolean;
	others?: Others;
	signal: AbortSignal;
};

type SentRead = Pick<SentSince, "sent" | "searchedTo" | "isScanned">;

/**
 * Holds what one endpoint showed, and the count that it began with; null: it has no state so old.
 */
type Reading = Omit<SentSince, "isWhole"> & { low: number | null };

/** Holds the counts of one endpoint. */
type Word = { mined: number; waiting: number; low: number | null };

/** Blocks in which the account's count changes: from the first to the last, and their counts. */
type Span = { after: number; until: number; low: number; high: number };

/** Blocks with transactions of the account that one search reads whole. */
export const SENT_BLOCKS_MAX = 64;
/** Blocks that are read whole where a node keeps no state so old. */
export const SENT_SCAN_MAX = 256;
const BLOCKS_AT_ONCE = 16;
/** A chain has fewer than 2^48 blocks. */
const HALVINGS_MAX = 48;

const { blockNumber, nonce, wei } = chainNumbers;
const lower = (text: string) => text.toLowerCase();
const address = z.string().transform(lower).refine(isAddress);
const word = z.string().transform(lower).refine(isWord);
const TRANSACTIONS_MAX = 100_000;
const block = z.object({
	transactions: z
		.array(
			z.object({
				hash: word,
				from: address,
				to: address.nullish(),
				nonce,
				value: wei,
				input: hexData,
			}),
		)
		.max(TRANSACTIONS_MAX),
});

/**
 * Reads what an account sent in the blocks after one. Its count at a block says how many of its
 * transactions are mined by then, so only blocks in which that changes are read, the oldest first,
 * and as many as one search may: `searchedTo` says how far it came. Each nonce that the counts name
 * has to be in its block, or the node contradicts itself: it is distrusted, and another one asked.
 *
 * A node that keeps no state so old refuses some counts. Then the blocks themselves are read.
 *
 * That nothing is left is the word of a second endpoint too, where one answers. What it counts it
 * has to show in blocks, as the first one had to: nobody's word alone holds a payment for long.
 */
export async function readSentSince(rpc: Rpc, asked: SentSinceAsked): Promise<SentSince> {
	const heard = new Set<string>();
	const first = askHeard(rpc, heard);
	const own = await readBy(first, asked).catch(async (error: unknown) => {
		if (!isContradiction(error)) throw error;
		rpc.distrust("false_count", new Set(heard));
		heard.clear();
		return await readBy(first, asked);
	});
	if (own.searchedTo < own.headBlock) return { ...own, isWhole: false };
	const word = await wordOf(first, asked);
	const { isSettled, other } = await hearOther(rpc, asked, { first, own, word, heard });
	const all = other ? joined(own, other) : own;
	const isRead = isSettled && word.mined >= own.count && !isHidden(all, asked);
	return { ...all, isWhole: isRead && (!other || other.searchedTo === other.headBlock) };
}

/** Reads all by one endpoint, as far as one search goes. */
async function readBy(rpc: Asking, asked: SentSinceAsked): Promise<Reading> {
	const { fromBlock, signal } = asked;
	const head = await rpc.call(
		{ method: "eth_blockNumber", params: [] },
		{ signal, isReadable: readableBy([blockNumber]) },
	);
	const headBlock = readAnswer(blockNumber, head);
	if (headBlock < fromBlock) throw chainFault.chainBehind();
	const [low = null, high = null] = await countsAt(rpc, asked, [fromBlock, headBlock]);
	if (high === null) throw chainFault.chainUnreadable();
	const read =
		low === null
			? await scan(rpc, asked, { headBlock, high })
			: await readSpans(rpc, asked, { after: fromBlock, until: headBlock, low, high });
	return { ...read, headBlock, count: high, low };
}

/**
 * Compares what was read with the counts of another endpoint. Where that counts more, or began with
 * another count, it has to show the transactions: they are read too, and an endpoint that cannot
 * show them is distrusted. Transactions that only wait cannot be shown: where one of two counts
 * more of those, the claim ends with time (`endsClaims`).
 */
async function hearOther(
	rpc: Rpc,
	asked: SentSinceAsked,
	{ first, own, word, heard }: { first: Asking; own: Reading; word: Word; heard: Set<string> },
): Promise<{ isSettled: boolean; other?: Reading }> {
	const { signal, others = { areSilent: false }, endsClaims = false } = asked;
	const named = new Set<string>();
	const beside = askBeside(rpc, heard, named);
	const told = await askBriefly({ others, signal }, (brief) =>
		wordOf(beside, { ...asked, signal: brief }),
	);
	const isClaimed = isMore(word, asked, own.count);
	if (told === null) return { isSettled: !isClaimed };
	const isOtherBegin = own.low !== null && told.low !== null && told.low !== own.low;
	if (named.size === 0) {
		// The same endpoint once more: it cannot have begun with two counts.
		if (isOtherBegin) throw contradicts(asked.fromBlock);
		return { isSettled: !isClaimed && !isMore(told, asked, own.count) };
	}
	let other: Reading | null = null;
	if (told.mined > own.count || isOtherBegin || isHidden(own, asked)) {
		const shown = () => readBy(beside, asked);
		other = await readShown(rpc, asked, { named, shown });
		if (!other) return { isSettled: !isClaimed };
	}
	if (isOtherBegin && own.low !== null && told.low !== null) {
		const isOwnMore = own.low > told.low;
		const span = { low: Math.min(own.low, told.low), high: Math.max(own.low, told.low) };
		const shown = () => readEarlier(isOwnMore ? first : beside, asked, span);
		const before = await readShown(rpc, asked, { named: isOwnMore ? heard : named, shown });
		if (!before && isOwnMore) throw contradicts(asked.fromBlock);
		if (!before) return { isSettled: !isClaimed };
		other = other && { ...other, sent: [...before, ...other.sent] };
	}
	const count = Math.max(own.count, other?.count ?? 0);
	const claims = [isMore(word, asked, count), isMore(told, asked, count)];
	const isDisputed = claims[0] !== claims[1];
	if (isDisputed && endsClaims) rpc.distrust("false_count", claims[0] ? heard : named);
	const isSettled = isDisputed ? endsClaims : !claims[0];
	return { isSettled, ...(other && { other }) };
}

/**
 * Has an endpoint show what it counts; null where its own blocks do not show that. Throws where it
 * does not answer: it may show it the next time, unless it was given time enough.
 */
async function readShown<Shown>(
	rpc: Rpc,
	asked: SentSinceAsked,
	{ named, shown }: { named: ReadonlySet<string>; shown: () => Promise<Shown> },
): Promise<Shown | null> {
	try {
		return await shown();
	} catch (error) {
		asked.signal.throwIfAborted();
		const isOver = asked.endsClaims === true && error instanceof Fault;
		if (!isContradiction(error) && !isOver) throw error;
		rpc.distrust("false_count", named);
		return null;
	}
}

/** Reads what an endpoint counts before a search began, and another one does not. */
async function readEarlier(
	rpc: Asking,
	asked: SentSinceAsked,
	{ low, high }: { low: number; high: number },
): Promise<SentTransaction[]> {
	const all = { after: -1, until: asked.fromBlock, low: 0, high };
	const { sent, searchedTo } = await readSpans(rpc, asked, all, low);
	if (searchedTo < asked.fromBlock) throw chainFault.chainUnreadable();
	return sent;
}

/** Joins what two endpoints showed, because each may hide something. */
function joined(own: Reading, other: Reading): Reading {
	const byHash = new Map([...own.sent, ...other.sent].map((one) => [one.hash, one]));
	return {
		sent: [...byHash.values()].sort((a, b) => a.nonce - b.nonce),
		searchedTo: Math.min(own.searchedTo, other.searchedTo),
		headBlock: Math.min(own.headBlock, other.headBlock),
		count: Math.max(own.count, other.count),
		isScanned: own.isScanned || other.isScanned,
		low: own.low,
	};
}

/** Says whether blocks that were read to the head show nothing, though more is mined than known. */
export function isHidden(
	{ sent, isScanned, count, searchedTo, headBlock }: Omit<SentSince, "isWhole">,
	{ known }: Pick<SentSinceAsked, "known">,
): boolean {
	const isToHead = searchedTo >= headBlock;
	return isScanned && isToHead && sent.length === 0 && known !== undefined && count > known;
}

/** Says whether an endpoint counts more than was read, as mined or as waiting. */
function isMore({ mined, waiting }: Word, { known = 0 }: SentSinceAsked, count: number): boolean {
	return mined > count || waiting > Math.max(count, known);
}

/** Reads the blocks of a span in which the count changes; those with nonces from one on alone. */
async function readSpans(
	rpc: Asking,
	asked: SentSinceAsked,
	all: Span,
	fromNonce = all.low,
): Promise<SentRead> {
	if (all.high < all.low) throw contradicts(all.until);
	let open = all.high > fromNonce ? [all] : [];
	let searchedTo = all.until;
	for (let turn = 0; turn < HALVINGS_MAX && open.some(isWide); turn++) {
		const counts = await countsAt(rpc, asked, open.map(middleOf));
		if (counts.includes(null)) {
			if (fromNonce > all.low) throw chainFault.chainUnreadable();
			return await scan(rpc, asked, { headBlock: all.until, high: all.high });
		}
		const halves = open
			.flatMap((span, place) => halvesOf(span, counts[place] ?? span.high))
			.filter(({ high }) => high > fromNonce);
		open = halves.slice(0, SENT_BLOCKS_MAX);
		// What is cut off is the newest: what stands is whole up to its last block.
		if (halves.length > open.length) searchedTo = open.at(-1)?.until ?? searchedTo;
	}
	const sent: SentTransaction[] = [];
	for (let from = 0; from < open.length; from += BLOCKS_AT_ONCE) {
		const spans = open.slice(from, from + BLOCKS_AT_ONCE);
		const blocks = await readBlocksOf(
			rpc,
			asked,
			spans.map(({ until }) => until),
		);
		for (const [place, { low, high, until }] of spans.entries()) {
			const own = blocks[place] ?? [];
			const isAll = own.length === high - low && own.every((one, at) => one.nonce === low + at);
			if (!isAll) throw contradicts(until);
			sent.push(...own);
		}
	}
	return { sent, searchedTo, isScanned: false };
}

/** Reads the blocks themselves: what an account sent follows from each nonce to the next. */
async function scan(
	rpc: Asking,
	asked: SentSinceAsked,
	{ headBlock, high }: { headBlock: number; high: number },
): Promise<SentRead> {
	const searchedTo = Math.min(headBlock, asked.fromBlock + SENT_SCAN_MAX);
	const sent: SentTransaction[] = [];
	for (let first = asked.fromBlock + 1; first <= searchedTo; first += BLOCKS_AT_ONCE) {
		const length = Math.min(BLOCKS_AT_ONCE, searchedTo - first + 1);
		const numbers = Array.from({ length }, (_, place) => first + place);
		for (const own of await readBlocksOf(rpc, asked, numbers)) sent.push(...own);
	}
	const [oldest] = sent;
	const isInRow = sent.every((one, place) => one.nonce === (oldest?.nonce ?? 0) + place);
	const isToHead = searchedTo < headBlock || !oldest || sent.at(-1)?.nonce === high - 1;
	if (!isInRow || !isToHead) throw contradicts(searchedTo);
	return { sent, searchedTo, isScanned: true };
}

/** Reads what one endpoint counts: what is mined, what waits with it, and with what it began. */
async function wordOf(rpc: Asking, { address, fromBlock, signal }: SentSinceAsked): Promise<Word> {
	const params = [address, hexQuantity(fromBlock)];
	const calls = [...countCalls(address), { method: "eth_getTransactionCount", params }];
	const isReadable = readableBy([nonce, nonce, nonce]);
	const [mined, waiting, low] = (await rpc.settle(calls, { signal, isReadable })).map(countOf);
	if (typeof mined !== "number" || typeof waiting !== "number") throw chainFault.chainUnreadable();
	return { mined, waiting, low: low ?? null };
}

/** Null where the node refuses to say, because it has no state of that block any more. */
async function countsAt(
	rpc: Asking,
	{ address, signal }: SentSinceAsked,
	numbers: readonly number[],
): Promise<(number | null)[]> {
	const calls = numbers.map((number) => {
		return { method: "eth_getTransactionCount", params: [address, hexQuantity(number)] };
	});
	const isReadable = readableBy(numbers.map(() => nonce));
	return (await rpc.settle(calls, { signal, isReadable })).map(countOf);
}

function countOf(outcome: RpcOutcome): number | null {
	if (outcome.kind === "result") return readAnswer(nonce, outcome.result);
	if (outcome.fault.code === "rpc_refused") return null;
	throw outcome.fault;
}

async function readBlocksOf(
	rpc: Asking,
	{ address, signal }: SentSinceAsked,
	numbers: readonly number[],
): Promise<SentTransaction[][]> {
	const calls = numbers.map((number) => {
		return { method: "eth_getBlockByNumber", params: [hexQuantity(number), true] };
	});
	// A node that has not come so far has no such block.
	const isReadable = (result: unknown) => result === null || block.safeParse(result).success;
	const found = await rpc.batch(calls, { signal, isReadable });
	return found.map((one) => {
		if (one === null) throw chainFault.chainBehind();
		return readAnswer(block, one)
			.transactions.filter(({ from }) => from === address)
			.map(({ hash, nonce, to = null, value: valueRaw, input: data }) => {
				return { hash, nonce, to, valueRaw, data };
			})
			.sort((a, b) => a.nonce - b.nonce);
	});
}

function isWide({ after, until }: Span): boolean {
	return until - after > 1;
}

function middleOf({ after, until }: Span): number {
	return after + Math.ceil((until - after) / 2);
}

/** The halves of a span in which the count changes; one block is no longer halved. */
function halvesOf(span: Span, count: number): Span[] {
	if (!isWide(span)) return [span];
	const middle = middleOf(span);
	if (count < span.low || count > span.high) throw contradicts(middle);
	const halves = [
		{ ...span, until: middle, high: count },
		{ ...span, after: middle, low: count },
	];
	return halves.filter(({ low, high }) => high > low);
}

function contradicts(number: number) {
	return chainFault.chainContradicts({ detail: `counts and transactions at block ${number}` });
}

function isContradiction(error: unknown): boolean {
	return error instanceof Fault && error.code === "chain_contradicts";
}
