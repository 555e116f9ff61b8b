// Reads what an account sent since a block, by halving its count of nonces.

import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, hexQuantity, isAddress, isWord } from "#core/chain/Hex.ts";
import { chainFault, hexData, readAnswer, readableBy } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";

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
	/** How many it had sent by the head. */
	count: number;
	/** Whether nothing is left to read, and nothing more of the account waits at a node. */
	isWhole: boolean;
	/** Blocks were read whole, because no node has the state of their time any more. */
	isScanned: boolean;
};

export type SentSinceAsked = {
	address: Address;
	/** Only what was mined after it is read. */
	fromBlock: number;
	/** How many of its transactions are on record, mined or not. Left out: those that are mined. */
	known?: number;
	signal: AbortSignal;
};

type SentRead = Pick<SentSince, "sent" | "searchedTo" | "isScanned">;

/** Blocks in which the account's count changes: from the first to the last, and their counts. */
type Span = { after: number; until: number; low: number; high: number };

/** Blocks with transactions of the account that one search reads whole. */
export const SENT_BLOCKS_MAX = 64;
/** Blocks that are read whole where a node keeps no state so old. */
export const SENT_SCAN_MAX = 256;
const BLOCKS_AT_ONCE = 16;
/** A second endpoint that is silent for longer holds nobody's payment. */
const SECOND_TIMEOUT_MS = 3_000;
/** A chain has fewer than 2^48 blocks. */
const HALVINGS_MAX = 48;

const { blockNumber, nonce, wei } = chainNumbers;
const lower = (text: string) => text.toLowerCase();
const address = z.string().transform(lower).refine(isAddress);
const word = z.string().transform(lower).refine(isWord);
const TRANSACTIONS_MAX = 100_000;
const blockTime = z.object({ number: blockNumber, timestamp: chainNumbers.seconds });
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
 * has to be in its block, or the node contradicts itself and nothing was learned.
 *
 * A node that keeps no state so old refuses some counts. Then the blocks themselves are read.
 *
 * That nothing is left is the word of a second endpoint too, where there is one.
 */
export async function readSentSince(rpc: Rpc, asked: SentSinceAsked): Promise<SentSince> {
	const { fromBlock, signal } = asked;
	const head = await rpc.call(
		{ method: "eth_blockNumber", params: [] },
		{ signal, isReadable: readableBy([blockNumber]) },
	);
	const headBlock = readAnswer(blockNumber, head);
	if (headBlock < fromBlock) throw chainFault.chainBehind();
	const heard = new Set<string>();
	const [low, high] = await countsAt(rpc, asked, [fromBlock, headBlock], { heard });
	if (high === undefined || high === null) throw chainFault.chainUnreadable();
	const read =
		low === undefined || low === null
			? await scan(rpc, asked, { headBlock, high })
			: await readSpans(rpc, asked, { after: fromBlock, until: headBlock, low, high });
	const isRead = read.searchedTo === headBlock;
	const isWhole = isRead && (await isNothingLeft(rpc, asked, { low, high, heard }));
	return { ...read, headBlock, count: high, isWhole };
}

/**
 * Returns whether an account's counts, mined and waiting, are at most what is on record: then
 * nothing else was sent. A second endpoint has to agree where it answers within a few seconds; its
 * silence holds no payment.
 */
export async function isAllKnown(
	rpc: Rpc,
	{ address, known, signal }: { address: Address; known: number; signal: AbortSignal },
): Promise<boolean> {
	const calls = countCalls(address);
	const isReadable = readableBy([nonce, nonce]);
	const heard = new Set<string>();
	const isWithin = (answers: readonly unknown[]) =>
		answers.every((one) => readAnswer(nonce, one) <= known);
	if (!isWithin(await rpc.batch(calls, { signal, isReadable, heard }))) return false;
	const brief = AbortSignal.any([signal, AbortSignal.timeout(SECOND_TIMEOUT_MS)]);
	try {
		const options = { signal: brief, isReadable, heard, second: true };
		return isWithin(await rpc.batch(calls, options));
	} catch (error) {
		signal.throwIfAborted();
		if (!(error instanceof Fault) && !brief.aborted) throw error;
		return true;
	}
}

/**
 * Finds the newest block that is not younger than a time by steps back from the head that double,
 * and then by halving; 0 where the chain is younger. Some forty small calls at most. A second
 * endpoint has to say so too: one that makes a block older would hide what was sent before it.
 *
 * Where no block came since then, or the chain's clock is wrong, it is some blocks before the head.
 */
export async function readBlockBefore(
	rpc: Rpc,
	{ atMs, signal }: { atMs: number; signal: AbortSignal },
): Promise<number> {
	const isReadable = readableBy([blockTime]);
	const read = async (at: string, second = false) => {
		const call = { method: "eth_getBlockByNumber", params: [at, false] };
		const options = { signal, isReadable, ...(second && { second }) };
		const found = readAnswer(blockTime, await rpc.call(call, options));
		return { number: found.number, isOld: found.timestamp * 1_000 <= atMs };
	};
	const head = await read("latest");
	let [low, high] = [head.number, head.number];
	if (head.isOld) low = Math.max(0, head.number - SENT_SCAN_MAX);
	for (let step = 1; low > 0 && !head.isOld; step *= 2) {
		low = Math.max(0, low - step);
		if ((await read(hexQuantity(low))).isOld) break;
		high = low;
	}
	while (high - low > 1 && !head.isOld) {
		const middle = low + Math.floor((high - low) / 2);
		if ((await read(hexQuantity(middle))).isOld) low = middle;
		else high = middle;
	}
	if (low > 0 && !(await read(hexQuantity(low), true)).isOld) throw contradicts(low);
	return low;
}

async function readSpans(rpc: Rpc, asked: SentSinceAsked, all: Span): Promise<SentRead> {
	if (all.high < all.low) throw contradicts(all.until);
	let open = all.high > all.low ? [all] : [];
	let searchedTo = all.until;
	for (let turn = 0; turn < HALVINGS_MAX && open.some(isWide); turn++) {
		const counts = await countsAt(rpc, asked, open.map(middleOf));
		if (counts.includes(null)) {
			return await scan(rpc, asked, { headBlock: all.until, high: all.high });
		}
		const halves = open.flatMap((span, place) => halvesOf(span, counts[place] ?? span.high));
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
	rpc: Rpc,
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

/** Whether no endpoint counts more than was read, neither mined nor waiting. */
async function isNothingLeft(
	rpc: Rpc,
	asked: SentSinceAsked,
	opening: { low: number | null | undefined; high: number; heard: Set<string> },
): Promise<boolean> {
	const { low, high: count, heard } = opening;
	const { address, fromBlock, known = 0, signal } = asked;
	const calls = countCalls(address);
	const isReadable = readableBy([nonce, nonce]);
	const ofCounts = new Set<string>();
	for (const second of [false, true]) {
		const options = { signal, isReadable, heard: ofCounts, ...(second && { second }) };
		const counts = await rpc.batch(calls, options);
		const [mined = 0, waiting = 0] = counts.map((one) => readAnswer(nonce, one));
		if (mined !== count || waiting > Math.max(count, known)) return false;
	}
	// Nor did one of them begin with too many, which would hide as many.
	const [again] = await countsAt(rpc, asked, [fromBlock], { heard, second: true });
	if (typeof low === "number" && typeof again === "number" && again !== low) {
		throw contradicts(fromBlock);
	}
	return true;
}

/** Asks for what is mined, and for what waits with it. */
function countCalls(address: Address) {
	return ["latest", "pending"].map((at) => {
		return { method: "eth_getTransactionCount", params: [address, at] };
	});
}

/** Null where the node refuses to say, because it has no state of that block any more. */
async function countsAt(
	rpc: Rpc,
	{ address, signal }: SentSinceAsked,
	numbers: readonly number[],
	opinion: { heard?: Set<string>; second?: boolean } = {},
): Promise<(number | null)[]> {
	const calls = numbers.map((number) => {
		return { method: "eth_getTransactionCount", params: [address, hexQuantity(number)] };
	});
	const isReadable = readableBy(numbers.map(() => nonce));
	const options = { signal, isReadable, ...opinion };
	return (await rpc.settle(calls, options)).map(countOf);
}

function countOf(outcome: RpcOutcome): number | null {
	if (outcome.kind === "result") return readAnswer(nonce, outcome.result);
	if (outcome.fault.code === "rpc_refused") return null;
	throw outcome.fault;
}

async function readBlocksOf(
	rpc: Rpc,
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
