// Reads block headers, remembers them, and picks those that are kept for linking.

import { type Hex, hexQuantity } from "#core/chain/Hex.ts";
import { type Head, parseHead } from "#core/chain/heads/Head.ts";
import { runChunks } from "#core/chain/rpc/findAgreement.ts";
import type { Rpc, RpcCall, RpcQuorum } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import { sleep } from "#core/time.ts";
import {
	BLOCKS_ANSWER_BYTES_MAX,
	BLOCKS_ASKED_AT_ONCE,
	HEADERS_REMEMBERED_MAX,
	VALUES_REMEMBERED_MAX,
	WHOLE_HEADERS_ASKED_MAX,
} from "#plugins/chain-scanner/limits.ts";
import {
	nullWhereTooMuch,
	transactionsIn,
	valueDigest,
	valuesIn,
} from "#plugins/chain-scanner/range/createValueReader.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/model.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/** How blocks are read that are known to be below one whose header was read. */
type BlocksAsked = {
	signal: AbortSignal;
	minBlock: number;
	isWhole(number: number): boolean;
	remembered: HeaderMemory;
};

/** Limits the wait for a block that another reader requested: that one may be less urgent. */
const SHARED_WAIT_MS_MAX = 3_000;
/** Limits the one wait for the first word on how many blocks are read whole. */
const NOTED_WAIT_MS_MAX = 1_000;

/** Returns headers by number, in one batch; null where the node has no such block yet. */
export async function readHeaders(
	rpc: Rpc,
	numbers: readonly number[],
	signal: AbortSignal,
): Promise<(Head | null)[]> {
	if (numbers.length === 0) return [];
	const answers = await rpc.batch(numbers.map(headerCall), { signal });
	return numbers.map((number, index) => {
		const header = parseHead(answers[index]);
		return header?.number === number ? header : null;
	});
}

/**
 * Reads blocks that a later one proves by the parents' hashes; returns the node's answers, in the
 * order of the numbers, which the caller has to check. Those that `isWhole` names come with their
 * transactions: for a provider that is the same one call.
 *
 * What another reader has just requested is waited for, and requested after all where that fails or
 * takes too long.
 */
export async function readBelow(
	rpc: Rpc,
	numbers: readonly number[],
	asked: BlocksAsked,
): Promise<unknown[]> {
	const { isWhole, remembered, signal } = asked;
	const others = new Map<number, Promise<unknown>>();
	for (const number of numbers) {
		const reading = remembered.reading(number, isWhole(number));
		if (reading) others.set(number, reading);
	}
	const mine = numbers.filter((number) => !others.has(number));
	const own = askBlocks(rpc, mine, asked);
	remembered.announce(mine, isWhole, own);
	const answers = await own;
	const ended = new AbortController();
	const late = sleep(SHARED_WAIT_MS_MAX, AbortSignal.any([signal, ended.signal]));
	for (const [number, reading] of others) {
		const answer = await Promise.race([reading, late]);
		if (answer !== undefined) answers.set(number, answer);
	}
	ended.abort();
	const missing = numbers.filter((number) => !answers.has(number));
	const rest = await askBlocks(rpc, missing, asked);
	return numbers.map((number) => answers.get(number) ?? rest.get(number));
}

/**
 * Remembers what transactions paid, of those blocks that came whole. The headers must have been
 * proven before: a false one would bring values under the hash of another block.
 */
export function keepValues(
	answers: readonly unknown[],
	headers: readonly Head[],
	remembered: HeaderMemory,
): void {
	const proven = new Set(headers.map(({ hash }) => hash));
	for (const answer of answers) {
		const hash = parseHead(answer)?.hash;
		const paid = hash && proven.has(hash) ? valuesIn(answer, hash) : null;
		if (hash && paid) remembered.keepValues(hash, paid);
	}
}

/**
 * Returns which of a range's blocks are kept for linking: all that may leave the chain; of a
 * settled range its last block alone, which the next range links to.
 */
export function blocksOf(
	headers: readonly Head[],
	range: BlockRange,
	unsettledFrom: number,
): { blocks: BlockRef[]; parentHash: Hex; madeMs: { first: number; last: number } } {
	const [first] = headers;
	const last = headers.at(-1);
	assert(first?.number === range.from && last?.number === range.to, "a range has both its ends");
	const blocks = headers
		.filter(({ number }) => number >= unsettledFrom || number === range.to)
		.map(({ number, hash, parentHash }) => {
			return { number, hash, parentHash, settled: number < unsettledFrom };
		});
	const madeMs = { first: first.timestampMs, last: last.timestampMs };
	return { blocks, parentHash: first.parentHash, madeMs };
}

/**
 * Makes a memory of headers for readers of the same blocks, one after the other, each for logs of
 * its own. The highest ones are kept: at the limit the lowest are dropped.
 */
export function createHeaderMemory(): HeaderMemory {
	const headers = new Map<number, Head>();
	const values = new Map<Hex, ReadonlyMap<string, string>>();
	const underWay = new Map<number, { whole: boolean; answer: Promise<unknown> }>();
	let valuesKept = 0;
	let seen = { blocks: 0, whole: 0 };
	const noted = Promise.withResolvers<void>();
	let waiting: Promise<void> | null = null;
	const takeValues = (blockHash: Hex) => {
		const known = values.get(blockHash) ?? null;
		values.delete(blockHash);
		valuesKept -= known?.size ?? 0;
		return known;
	};
	return {
		has: (number) => headers.has(number),
		below(child, from) {
			const found: Head[] = [];
			let { parentHash } = child;
			for (let number = child.number - 1; number >= from; number--) {
				const header = headers.get(number);
				if (header?.hash !== parentHash) break;
				found.push(header);
				({ parentHash } = header);
			}
			return found.reverse();
		},
		keep(read) {
			for (const header of read) headers.set(header.number, header);
			if (headers.size <= HEADERS_REMEMBERED_MAX) return;
			const numbers = [...headers.keys()].sort((a, b) => a - b);
			for (const number of numbers.slice(0, headers.size - HEADERS_REMEMBERED_MAX)) {
				headers.delete(number);
			}
		},
		reading(number, whole) {
			const found = underWay.get(number);
			return found && (found.whole || !whole) ? found.answer : null;
		},
		announce(numbers, isWhole, answers) {
			for (const number of numbers) {
				const answer = answers.then(
					(found) => found.get(number),
					() => undefined,
				);
				const one = { whole: isWhole(number), answer };
				underWay.set(number, one);
				void answer.then(() => {
					if (underWay.get(number) === one) underWay.delete(number);
				});
			}
		},
		takeValues,
		keepValues(blockHash, paid) {
			takeValues(blockHash);
			values.set(blockHash, paid);
			valuesKept += paid.size;
			for (const oldest of values.keys()) {
				if (valuesKept <= VALUES_REMEMBERED_MAX) break;
				takeValues(oldest);
			}
		},
		noteWhole({ blocks, whole }) {
			// The newest span counts as much as all before it: chains change.
			seen = { blocks: seen.blocks / 2 + blocks, whole: seen.whole / 2 + whole };
			noted.resolve();
		},
		async areMostWhole(signal) {
			// Lanes start together, and each learns it from its first range.
			waiting ??= Promise.race([noted.promise, sleep(NOTED_WAIT_MS_MAX, signal)]);
			await waiting;
			return seen.whole * 2 > seen.blocks;
		},
		clear() {
			headers.clear();
			values.clear();
			valuesKept = 0;
		},
	};
}

export function headerCall(block: number): RpcCall {
	return { method: "eth_getBlockByNumber", params: [hexQuantity(block), false] };
}

function wholeCall(block: number): RpcCall {
	return { method: "eth_getBlockByNumber", params: [hexQuantity(block), true] };
}

async function askBlocks(
	rpc: Rpc,
	numbers: readonly number[],
	{ isWhole, signal, minBlock }: BlocksAsked,
): Promise<Map<number, unknown>> {
	const answers = new Map<number, unknown>();
	const ask = async (chunk: readonly number[], whole: boolean): Promise<never[]> => {
		const bodyBytesMax = whole ? BLOCKS_ANSWER_BYTES_MAX : undefined;
		const options = { signal, minBlock, bodyBytesMax, quorum: blockQuorum };
		const read = rpc.batch(chunk.map(whole ? wholeCall : headerCall), options);
		const found = await (whole ? read.catch(nullWhereTooMuch) : read);
		// A block that is too large, or not served so, still has a header.
		if (!found) return ask(chunk, false);
		for (const [index, number] of chunk.entries()) answers.set(number, found[index]);
		return [];
	};
	const limits = { batchMax: WHOLE_HEADERS_ASKED_MAX, concurrencyMax: BLOCKS_ASKED_AT_ONCE };
	const headers = numbers.filter((number) => !isWhole(number));
	await Promise.all([
		runChunks(numbers.filter(isWhole), limits, (chunk) => ask(chunk, true)),
		headers.length > 0 ? ask(headers, false) : [],
	]);
	return answers;
}

/** Compares blocks by their hash, and by what their transactions paid where they came with them. */
const blockQuorum: RpcQuorum = {
	digest(result) {
		const hash = parseHead(result)?.hash;
		if (!hash) return "none";
		const sent = transactionsIn(result, hash);
		return [hash, ...[...(sent?.byHash.values() ?? [])].map(valueDigest)].join();
	},
};
