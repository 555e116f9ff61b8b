// Asks a second endpoint than the one that answered, for some seconds only: for a block before a
// time, and for an account's counts.

import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, hexQuantity } from "#core/chain/Hex.ts";
import { readAnswer, readableBy } from "#core/chain/reads/readBlocks.ts";
import { type Rpc, type RpcOptions, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { MINUTE_MS } from "#core/time.ts";

/** Asks endpoints; who answers is noted elsewhere. */
export type Asking = Pick<Rpc, "call" | "batch" | "settle">;

/** Remembers, for one reading, that the others are silent: they are waited for once. */
export type Others = { areSilent: boolean };

type Asked = { atMs: number; signal: AbortSignal; others?: Others };
type PlannedAt = {
	plannedBlock: number;
	/** It was planned between these times. */
	notBeforeMs: number;
	notAfterMs: number;
	signal: AbortSignal;
};

const { blockNumber, nonce, seconds } = chainNumbers;
/** The distance from the head, in blocks, where the chain's own clock is of no use. */
const BLOCKS_BEFORE_HEAD = 256;

const blockTime = z.object({ number: blockNumber, timestamp: seconds });
/** Limits the wait for a second endpoint, so that it delays no payment. */
const SECOND_TIMEOUT_MS = 3_000;
/** Allows for the difference between the clocks of blocks and of the database. */
export const CLOCKS_APART_MS = 10 * MINUTE_MS;

/** Returns the same endpoints, and notes the names of those that answer. */
export function askHeard(rpc: Rpc, heard: Set<string>): Asking {
	return {
		call: (call, options) => rpc.call(call, { ...options, heard }),
		batch: (calls, options) => rpc.batch(calls, { ...options, heard }),
		settle: (calls, options) => rpc.settle(calls, { ...options, heard }),
	};
}

/**
 * Returns endpoints that have not answered yet, and notes the names of those that now do. Where
 * there is no other one, or all others are silent, the first one answers, and no name is noted.
 * Calls that belong together go to one endpoint: answers of two nodes prove nothing together.
 */
export function askBeside(rpc: Rpc, heard: ReadonlySet<string>, others: Set<string>): Asking {
	const ask = async <Answer>(put: (options: RpcOptions) => Promise<Answer>) => {
		const names = new Set(heard);
		const answer = await put({ second: true, heard: names });
		const isOther = names.size > heard.size;
		if (others.size > 0 && !isOther) throw rpcFault.transport({ detail: [...others].join() });
		for (const name of names) if (!heard.has(name)) others.add(name);
		return answer;
	};
	return {
		call: (call, options) => ask((own) => rpc.call(call, { ...options, ...own })),
		batch: (calls, options) => ask((own) => rpc.batch(calls, { ...options, ...own })),
		settle: (calls, options) => ask((own) => rpc.settle(calls, { ...options, ...own })),
	};
}

/**
 * Returns another endpoint's answer; null if none comes in time. Then the first answer counts, as
 * it does with a single endpoint.
 */
export async function askBriefly<Answer>(
	{ others, signal }: { others: Others; signal: AbortSignal },
	put: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | null> {
	if (others.areSilent) return null;
	const brief = AbortSignal.any([signal, AbortSignal.timeout(SECOND_TIMEOUT_MS)]);
	try {
		return await put(brief);
	} catch (error) {
		signal.throwIfAborted();
		if (!(error instanceof Fault) && !brief.aborted) throw error;
		others.areSilent = true;
		return null;
	}
}

/**
 * Returns whether an account's counts, mined and waiting, are at most what is on record: then
 * nothing else was sent. A second endpoint has to agree where it answers within a few seconds; its
 * silence holds no payment.
 */
export async function isAllKnown(
	rpc: Rpc,
	asked: { address: Address; known: number; signal: AbortSignal; others?: Others },
): Promise<boolean> {
	const { address, known, signal, others = { areSilent: false } } = asked;
	const calls = countCalls(address);
	const isReadable = readableBy([nonce, nonce]);
	const heard = new Set<string>();
	const isWithin = (answers: readonly unknown[]) =>
		answers.every((one) => readAnswer(nonce, one) <= known);
	if (!isWithin(await rpc.batch(calls, { signal, isReadable, heard }))) return false;
	const second = askBeside(rpc, heard, new Set());
	const answers = await askBriefly({ others, signal }, (brief) =>
		second.batch(calls, { signal: brief, isReadable }),
	);
	return answers === null || isWithin(answers);
}

/**
 * Returns an account's count and its chain's head, as no endpoint that answers says less: an
 * account's past up to there is never read again, so one endpoint's word for it, which may be far
 * ahead of the chain, is not enough. With a single endpoint it has to say so once more; the silence
 * of another one holds nothing.
 */
export async function readAgreed(
	rpc: Rpc,
	asked: {
		address: Address;
		/** As it was read before, by whoever answered. */
		account: { minedNonce: number; headBlock: number };
		signal: AbortSignal;
	},
): Promise<{ minedNonce: number; headBlock: number }> {
	const { address, account, signal } = asked;
	const latest = { method: "eth_getTransactionCount", params: [address, "latest"] };
	const calls = [latest, { method: "eth_blockNumber", params: [] }];
	const isReadable = readableBy([nonce, blockNumber]);
	const heard = new Set<string>();
	const own = await rpc.batch(calls, { signal, isReadable, heard });
	const second = askBeside(rpc, heard, new Set());
	const other = await askBriefly({ others: { areSilent: false }, signal }, (brief) =>
		second.batch(calls, { signal: brief, isReadable }),
	);
	const told = [own, ...(other ? [other] : [])];
	return {
		minedNonce: Math.min(account.minedNonce, ...told.map(([count]) => readAnswer(nonce, count))),
		headBlock: Math.min(
			account.headBlock,
			...told.map(([, head]) => readAnswer(blockNumber, head)),
		),
	};
}

/** Asks for what is mined, and for what waits with it. */
export function countCalls(address: Address) {
	return ["latest", "pending"].map((at) => {
		return { method: "eth_getTransactionCount", params: [address, at] };
	});
}

/**
 * Finds the newest block that is not younger than a time by steps back from the head that double,
 * and then by halving; 0 where the chain is younger. Some forty small calls at most. A second
 * endpoint has to say so too: one that makes a block older would hide what was sent before it.
 * Where it says another thing, the older of both counts.
 *
 * Where no block came since then, or the chain's clock is wrong, it is some blocks before the head.
 */
export async function readBlockBefore(rpc: Rpc, asked: Asked): Promise<number> {
	const { signal, others = { areSilent: false } } = asked;
	const heard = new Set<string>();
	const low = await findBlockBefore(askHeard(rpc, heard), asked);
	if (low === 0) return low;
	const named = new Set<string>();
	const second = askBeside(rpc, heard, named);
	const again = await askBriefly({ others, signal }, (brief) =>
		readTime(second, hexQuantity(low), { ...asked, signal: brief }),
	);
	if (again?.isOld !== false) return low;
	rpc.distrust("disagreement", new Set([...heard, ...named]));
	return Math.min(low, await findBlockBefore(second, asked));
}

/**
 * Returns a block from before a plan was made, where the chain proves that the head which the plan
 * names was false: its newest block is younger than the plan, and has a lower number. Null proves
 * nothing: the node may be behind.
 */
export async function readTrueBegin(
	rpc: Rpc,
	{ plannedBlock, notBeforeMs, notAfterMs, signal }: PlannedAt,
): Promise<number | null> {
	const head = await readTime(rpc, "latest", { atMs: notAfterMs + CLOCKS_APART_MS, signal });
	if (head.isOld || head.number >= plannedBlock) return null;
	return await readBlockBefore(rpc, { atMs: notBeforeMs - CLOCKS_APART_MS, signal });
}

async function findBlockBefore(rpc: Asking, asked: Asked): Promise<number> {
	const head = await readTime(rpc, "latest", asked);
	if (head.isOld) return Math.max(0, head.number - BLOCKS_BEFORE_HEAD);
	let [low, high] = [head.number, head.number];
	for (let step = 1; low > 0; step *= 2) {
		low = Math.max(0, low - step);
		if ((await readTime(rpc, hexQuantity(low), asked)).isOld) break;
		high = low;
	}
	while (high - low > 1) {
		const middle = low + Math.floor((high - low) / 2);
		if ((await readTime(rpc, hexQuantity(middle), asked)).isOld) low = middle;
		else high = middle;
	}
	return low;
}

async function readTime(
	rpc: Asking,
	at: string,
	{ atMs, signal }: Asked,
): Promise<{ number: number; isOld: boolean }> {
	const call = { method: "eth_getBlockByNumber", params: [at, false] };
	const answer = await rpc.call(call, { signal, isReadable: readableBy([blockTime]) });
	const { number, timestamp } = readAnswer(blockTime, answer);
	return { number, isOld: timestamp * 1_000 <= atMs };
}
