// Reads what mint transactions paid, block by block or one by one.

import type { Hex, RawLog } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import {
	BLOCK_BYTES_AT_FIRST,
	BLOCKS_ANSWER_BYTES_AIM,
	BLOCKS_ANSWER_BYTES_MAX,
	BLOCKS_ASKED_AT_ONCE,
	BLOCKS_ASKED_AT_ONCE_SCARCE,
	BLOCKS_ASKED_MAX,
	BLOCKS_ASKED_MAX_SCARCE,
	WHOLE_BLOCK_FROM,
	WHOLE_BLOCK_FROM_SCARCE,
} from "#plugins/chain-scanner/limits.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/model.ts";

/** A block's transactions by their hashes, unchecked, and the approximate bytes of the answer. */
export type BlockTransactions = { byHash: ReadonlyMap<string, object>; bytes: number };

/** A node's answer about a transaction, unchecked. */
export type SentTransaction = { value?: unknown; hash?: unknown; blockHash?: unknown };

export type ValueReader = {
	/** Returns what each log's transaction paid, in base units of the chain's coin, by its hash. */
	read(logs: Iterable<RawLog>, asked: Asked): Promise<Map<Hex, bigint>>;
};

/** A block, with the transactions in it whose value is wanted, each with one of its logs. */
type Wanted = { blockHash: Hex; logs: Map<Hex, RawLog> };

type Asked = Pick<RpcOptions, "signal"> & {
	/** True near the head: as many endpoints as `RPC_QUORUM` demands must agree. */
	agreed: boolean;
	/** Has what blocks paid that were read whole for their headers. */
	remembered?: Pick<HeaderMemory, "takeValues"> | undefined;
};

/** Bytes of a transaction's members without its input. */
const TRANSACTION_BYTES = 700;

/**
 * Makes a reader of what transactions paid. A block with `WHOLE_BLOCK_FROM` of them or more is read
 * whole, by its hash: one call, whatever is in it, as providers bill and limit calls. The rest are
 * read one by one: most transactions of most blocks are of no interest.
 *
 * Throws `rpc_inconsistent` where an answer does not fit its log: no value is guessed.
 */
export function createValueReader(rpc: Rpc): ValueReader {
	/**
	 * The approximate size of the last blocks, in bytes: it decides how many are requested together.
	 */
	let blockBytes = BLOCK_BYTES_AT_FIRST;
	const enter = createPlaces(BLOCKS_ASKED_AT_ONCE_SCARCE);

	return {
		async read(logs, asked) {
			const values = new Map<Hex, bigint>();
			const wanted = byBlock(logs).filter((one) => !takeKnown(one, asked, values));
			const from = rpc.isScarce?.() ? WHOLE_BLOCK_FROM_SCARCE : WHOLE_BLOCK_FROM;
			const full = wanted.filter((one) => one.logs.size >= from);
			const others = wanted.filter((one) => one.logs.size < from);
			await Promise.all([readWhole(full, asked, values), readSingly(others, asked, values)]);
			return values;
		},
	};

	async function readWhole(wanted: readonly Wanted[], asked: Asked, values: Map<Hex, bigint>) {
		const left = [...wanted];
		const isScarce = rpc.isScarce?.() ?? false;
		// A refusal for the rate is one of a whole request: of small ones it leaves less unused.
		const most = isScarce ? BLOCKS_ASKED_MAX_SCARCE : BLOCKS_ASKED_MAX;
		const take = () => {
			const fitting = Math.floor(BLOCKS_ANSWER_BYTES_AIM / blockBytes);
			const chunk = left.splice(0, Math.min(Math.max(1, fitting), most));
			return readChunk(chunk, asked, values);
		};
		await empty(left, take, isScarce ? enter : null);
	}

	async function readChunk(chunk: readonly Wanted[], asked: Asked, values: Map<Hex, bigint>) {
		const calls = chunk.map(({ blockHash }): RpcCall => {
			return { method: "eth_getBlockByHash", params: [blockHash, true] };
		});
		const digest = (result: unknown, index: number) => blockDigest(result, chunk[index]);
		const quorum = asked.agreed ? { digest } : undefined;
		const options = { signal: asked.signal, bodyBytesMax: BLOCKS_ANSWER_BYTES_MAX, quorum };
		const answers = await rpc.batch(calls, options).catch(nullWhereTooMuch);
		if (!answers && chunk.length > 1) {
			blockBytes = BLOCKS_ANSWER_BYTES_AIM;
			for (const one of chunk) await readChunk([one], asked, values);
			return;
		}
		const left = answers ? chunk.filter((one, at) => !take(answers[at], one, values)) : chunk;
		await readSingly(left, asked, values);
	}

	/** Takes values from a block; false where the node sent only the transactions' hashes. */
	function take(answer: unknown, { blockHash, logs }: Wanted, values: Map<Hex, bigint>): boolean {
		const sent = transactionsIn(answer, blockHash);
		if (!sent) return false;
		blockBytes = Math.max(1, (blockBytes + sent.bytes) / 2);
		for (const [hash, log] of logs) values.set(hash, valueIn(sent.byHash.get(hash), log));
		return true;
	}

	async function readSingly(wanted: readonly Wanted[], asked: Asked, values: Map<Hex, bigint>) {
		const logs = wanted.flatMap((one) => [...one.logs]);
		if (logs.length === 0) return;
		const calls = logs.map(([hash]) => ({ method: "eth_getTransactionByHash", params: [hash] }));
		const quorum = asked.agreed ? { digest: valueDigest } : undefined;
		const answers = await rpc.batch(calls, { signal: asked.signal, quorum });
		const unserved = logs.filter((_, index) => answers[index] === null);
		const byPlace = await readByPlace(unserved, { signal: asked.signal, quorum });
		for (const [index, [hash, log]] of logs.entries()) {
			values.set(hash, valueIn(answers[index] ?? byPlace.get(hash), log));
		}
	}

	/**
	 * Asks by their places in their blocks, and another endpoint if there is one: some nodes forget
	 * the hashes of old transactions.
	 */
	async function readByPlace(logs: readonly [Hex, RawLog][], options: RpcOptions) {
		if (logs.length === 0) return new Map<Hex, unknown>();
		const calls = logs.map(([, { blockHash, transactionIndex }]): RpcCall => {
			const params = [blockHash, transactionIndex];
			return { method: "eth_getTransactionByBlockHashAndIndex", params };
		});
		const second = options.quorum === undefined;
		const answers = (await rpc.batch(calls, { ...options, second }).catch(nullWhereTooMuch)) ?? [];
		return new Map(logs.map(([hash], index) => [hash, answers[index]]));
	}
}

/**
 * Reads a node's answer to a request for a block with its transactions; null where it sent their
 * hashes only. Throws `rpc_inconsistent` for another block, and where there is none.
 */
export function transactionsIn(answer: unknown, blockHash: Hex): BlockTransactions | null {
	if (typeof answer !== "object" || answer === null || !("hash" in answer)) {
		throw scannerFault.inconsistent({ detail: `the node has no block ${blockHash}` });
	}
	if (typeof answer.hash !== "string" || answer.hash.toLowerCase() !== blockHash) {
		const detail = `asked for block ${blockHash}, the node sent another one`;
		throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch" } });
	}
	const sent = "transactions" in answer ? answer.transactions : null;
	if (!Array.isArray(sent)) return null;
	const byHash = new Map<string, object>();
	let bytes = 0;
	for (const one of sent as unknown[]) {
		if (typeof one !== "object" || one === null) return null;
		if (!("hash" in one) || typeof one.hash !== "string") continue;
		bytes += TRANSACTION_BYTES;
		if ("input" in one && typeof one.input === "string") bytes += one.input.length;
		byHash.set(one.hash.toLowerCase(), one);
	}
	return { byHash, bytes };
}

/**
 * Reads what each transaction of a block paid, in hex, from a block with its transactions; null
 * where it has only their hashes. What names another block, or no value, is left out.
 */
export function valuesIn(answer: unknown, blockHash: Hex): ReadonlyMap<string, string> | null {
	const sent = transactionsIn(answer, blockHash);
	if (!sent) return null;
	const values = new Map<string, string>();
	for (const [hash, transaction] of sent.byHash) {
		const { value, ...place } = fieldsOf(transaction);
		if (isValue(value) && isSame(place.blockHash, blockHash)) values.set(hash, value);
	}
	return values;
}

/**
 * Reads a transaction's value, in base units of the chain's coin, from the transaction of the log
 * and no other, in the log's own block. Throws `rpc_inconsistent` for other answers.
 */
export function valueIn(answer: unknown, log: RawLog): bigint {
	const hash = log.transactionHash;
	const { value, ...place } = fieldsOf(answer);
	if (!isValue(value)) {
		const detail = `the node has no transaction ${hash}`;
		throw scannerFault.inconsistent({ detail, meta: { unserved: true } });
	}
	if (place.blockHash === null && isSame(place.hash, hash)) {
		// No contradiction: the block left, or the node announced it before it emptied its pool.
		throw scannerFault.inconsistent({ detail: `the node has ${hash} in no block` });
	}
	if (!isSame(place.hash, hash) || !isSame(place.blockHash, log.blockHash)) {
		const detail = `${hash} is not where its log says`;
		throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch" } });
	}
	return BigInt(value);
}

/**
 * Returns what is compared of two endpoints' answers about a transaction; nodes differ in the rest.
 */
export function valueDigest(transaction: unknown): string {
	const { value, hash, blockHash } = fieldsOf(transaction);
	return [value, hash, blockHash].join();
}

/**
 * Takes from a list until it is empty, some at once; after a failure the rest is not needed. With a
 * gate one list comes after the other: side by side they would end, and the next ones begin, at the
 * same time, and nothing would be requested then.
 */
async function empty(
	left: unknown[],
	take: () => Promise<void>,
	enter: ReturnType<typeof createPlaces> | null,
): Promise<void> {
	const work = async () => {
		while (left.length > 0) await take();
	};
	const workers = enter
		? Array.from({ length: BLOCKS_ASKED_AT_ONCE_SCARCE }, () => enter(work))
		: Array.from({ length: BLOCKS_ASKED_AT_ONCE }, work);
	try {
		await Promise.all(workers);
	} finally {
		left.length = 0;
	}
}

/** Makes a gate for so many at once; the others enter in the order in which they came. */
function createPlaces(count: number) {
	const waiting: (() => void)[] = [];
	let free = count;
	return async (work: () => Promise<void>): Promise<void> => {
		if (free > 0) free--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			await work();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free++;
		}
	};
}

function byBlock(logs: Iterable<RawLog>): Wanted[] {
	const blocks = new Map<Hex, Wanted>();
	for (const log of logs) {
		const { blockHash, transactionHash } = log;
		const block = blocks.get(blockHash) ?? { blockHash, logs: new Map() };
		if (block.logs.size === 0) blocks.set(blockHash, block);
		block.logs.set(transactionHash, log);
	}
	return [...blocks.values()];
}

/** Returns what is compared of two endpoints' blocks: nodes differ in the rest. */
function blockDigest(result: unknown, wanted: Wanted | undefined): string {
	if (!wanted) return "none";
	try {
		const sent = transactionsIn(result, wanted.blockHash);
		return [...wanted.logs.keys()].map((hash) => valueDigest(sent?.byHash.get(hash))).join();
	} catch {
		return "malformed";
	}
}

/**
 * Returns null where a node finds a block too large, or does not serve it so: it may serve its
 * transactions.
 */
export function nullWhereTooMuch(error: unknown): null {
	if (error instanceof Fault && (error.code === "rpc_range" || error.code === "rpc_refused")) {
		return null;
	}
	throw error;
}

function isValue(value: unknown): value is string {
	return typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value);
}

function fieldsOf(answer: unknown): SentTransaction {
	return typeof answer === "object" && answer !== null ? answer : {};
}

/** Takes a block's values from what is remembered; false, and takes none, where one is missing. */
function takeKnown({ blockHash, logs }: Wanted, asked: Asked, values: Map<Hex, bigint>): boolean {
	const known = asked.remembered?.takeValues(blockHash);
	if (!known) return false;
	const paid: [Hex, bigint][] = [];
	for (const hash of logs.keys()) {
		const value = known.get(hash);
		if (value === undefined) return false;
		paid.push([hash, BigInt(value)]);
	}
	for (const [hash, value] of paid) values.set(hash, value);
	return true;
}

/** Says whether a node's answer agrees. A missing field agrees with anything; null does not. */
function isSame(said: unknown, expected: Hex): boolean {
	return said === undefined || (typeof said === "string" && said.toLowerCase() === expected);
}
