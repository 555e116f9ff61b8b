// Finds where the chain forked, and takes back what left it, in one transaction.

import type { Hex } from "#core/chain/Hex.ts";
import { type Head, parseHead } from "#core/chain/heads/Head.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import type { Log } from "#core/log.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { HEADERS_FIRST_ASKED, RUNS_SEEN_MAX } from "#plugins/chain-scanner/limits.ts";
import { headerCall, readHeaders } from "#plugins/chain-scanner/range/readHeaders.ts";
import { forkPoint, type Run, runsOf } from "#plugins/chain-scanner/reorg/forkPoint.ts";
import {
	type BlockRef,
	forgetBlocks,
	lockChain,
	recordBlocks,
	settleBlocks,
	storedBlocks,
} from "#plugins/chain-scanner/sql/block.ts";
import { resetCursors } from "#plugins/chain-scanner/sql/cursor.ts";
import { clipGaps } from "#plugins/chain-scanner/sql/gap.ts";

export type ForkRepairOptions = {
	chainId: number;
	db: Database;
	rpc: Rpc;
	sinks: readonly EventSink[];
	/** Limits the blocks that a reorg may remove; more is an alarm and no repair. */
	depthMax: number;
	log: Log;
	onReorg(depth: number): void;
};

export type ForkCheck = {
	/** True where something was removed, by us or by another process meanwhile. */
	taken: boolean;
	/** The head below which everything else was proved, after a removal; else null. */
	soundAt: Hex | null;
};

export type ForkRepair = {
	/**
	 * Asks the node whether the index is still of its chain, and removes what is not. Throws
	 * `reorg_too_deep` where that reaches too far. Blocks that turn out to be final are marked so,
	 * and need not be kept any longer. Given the head that caused the check, one request proves most
	 * forks.
	 */
	check(lease: Lease, signal: AbortSignal, head?: Head | null): Promise<ForkCheck>;
};

/**
 * Makes the repair, which finds where the chain forked and corrects the index in one transaction.
 */
export function createForkRepair(options: ForkRepairOptions): ForkRepair {
	const { chainId, db, rpc, depthMax, log, onReorg } = options;
	return {
		async check(lease, signal, head = null) {
			const stored = await storedBlocks(db, chainId, blocksSeenMax(depthMax));
			const { headers, known } = await compare(options, { stored, head, signal });
			const headerOf = (number: number) => headers.get(number) ?? null;
			const point = forkPoint(stored, headerOf, depthMax);
			if (point.kind === "sound") {
				await settleOld(options, { stored, headers, signal });
				return { taken: false, soundAt: null };
			}
			if (point.kind === "too_deep") {
				const detail = `at least ${point.depth} blocks of chain ${chainId} left it`;
				throw scannerFault.reorgTooDeep({ detail });
			}
			const seen = { headers, stored, ...point };
			const shown = shownFork({ ...seen, known });
			const fork = shown ?? (await proveFork(rpc, { ...seen, signal }));
			const repaired = await repair(options, { lease, stored, fork });
			if (repaired) {
				const { block, depth } = point;
				log.warn("blocks left the chain and were taken out", { block, depth });
				onReorg(depth);
			}
			if (!shown || !known) return { taken: true, soundAt: null };
			const left = await storedBlocks(db, chainId, blocksSeenMax(depthMax));
			const stands = runsOf(left, depthMax).every(({ top }) => {
				return headers.get(top.number)?.hash === top.hash;
			});
			return { taken: true, soundAt: stands ? known.hash : null };
		},
	};
}

/**
 * Removes everything above a block: rows, figures, blocks, gaps, and lanes' progress. Under the
 * chain's lock; lanes read those blocks again.
 *
 * The block itself is then the base of the index. It is stored, as it may never have been (a lane
 * that skipped left a hole there): should it leave the chain too, that is one more fork, with a
 * known depth.
 */
export async function takeBack(
	tx: Tx,
	fork: { chainId: number; above: BlockRef; sinks: readonly EventSink[] },
): Promise<void> {
	const { chainId, above, sinks } = fork;
	const { number: block, hash } = above;
	await forgetBlocks(tx, chainId, block);
	const { fits } = await recordBlocks(tx, { chainId, blocks: [above], pruneBelow: 0 });
	if (!fits) throw scannerFault.forked({ detail: `block ${block}, which a fork begins above` });
	await resetCursors(tx, { chainId, block, hash });
	await clipGaps(tx, { chainId, above: block });
	for (const sink of sinks) await sink.revert(tx, { chainId, forkBlock: block });
}

/**
 * Returns the number of blocks to compare: one more than may differ in each run, so that the block
 * below them is compared too.
 */
function blocksSeenMax(depthMax: number): number {
	return RUNS_SEEN_MAX * (depthMax + 1);
}

/**
 * Compares stored blocks with the node's. A few headers decide nearly every case: the newest, and
 * the newest below each hole. The rest are read where those do not show how far down a run differs;
 * the next few, too, where the node does not have them.
 * With them come the blocks up to the head, and the head by its hash: `known` where the node has
 * it.
 */
async function compare(
	{ rpc, depthMax }: ForkRepairOptions,
	given: { stored: readonly BlockRef[]; head: Head | null; signal: AbortSignal },
) {
	const { stored, head, signal } = given;
	const numbers = [...new Set(stored.map(({ number }) => number))];
	const runs = runsOf(stored, depthMax);
	const tops = new Set(runs.map(({ top }) => top.number));
	const headers = new Map<number, Head | null>();
	const ask = async (asked: readonly number[], hash: Hex | null = null) => {
		const calls = asked.map(headerCall);
		const answers = await rpc.batch(hash ? [...calls, hashCall(hash)] : calls, { signal });
		for (const [index, number] of asked.entries()) {
			const header = parseHead(answers[index]);
			headers.set(number, header?.number === number ? header : null);
		}
		const named = hash ? parseHead(answers.at(-1)) : null;
		return named?.hash === hash && named?.number === head?.number ? named : null;
	};
	const above = head ? blocksUpTo(head, numbers[0] ?? head.number) : [];
	const isShown = ({ blocks }: Run) =>
		blocks.some(({ number, hash }) => headers.get(number)?.hash === hash);
	const isNear = (_: number, index: number) => index < HEADERS_FIRST_ASKED;
	const first = numbers.filter((number, index) => {
		return tops.has(number) || (head !== null && isNear(number, index));
	});
	const known = await ask([...above, ...first], head?.hash);
	// Without a head that gave cause the newest blocks most likely stand, and vouch for the others.
	const near = numbers.filter(isNear).filter((number) => !headers.has(number));
	if (near.length > 0 && !runs.every(isShown)) await ask(near);
	const isOpen = runs.some((run) => {
		const differs = run.blocks.some(({ number, hash }) => {
			const header = headers.get(number);
			return header ? header.hash !== hash : false;
		});
		return differs && !isShown(run);
	});
	const rest = numbers.filter((number) => !headers.has(number));
	if (isOpen && rest.length > 0) await ask(rest);
	return { headers, known };
}

function hashCall(hash: Hex): RpcCall {
	return { method: "eth_getBlockByHash", params: [hash, false] };
}

/** Returns the blocks above what is stored, up to the head; none where those are many. */
function blocksUpTo(head: Head, top: number): number[] {
	return head.number - top > HEADERS_FIRST_ASKED ? [] : span(top + 1, head.number);
}

function span(from: number, to: number): number[] {
	return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/**
 * Settles old blocks. Below a hole blocks are kept until something confirms them. The node does,
 * where its chain reaches, linked, as far above them as no reorg goes back: that they exist by
 * their number does not show where the node's own fork ends.
 */
async function settleOld(
	{ chainId, db, rpc, depthMax }: ForkRepairOptions,
	seen: {
		stored: readonly BlockRef[];
		headers: ReadonlyMap<number, Head | null>;
		signal: AbortSignal;
	},
): Promise<void> {
	const { stored, headers, signal } = seen;
	for (const { top, blocks, isOld } of runsOf(stored, depthMax)) {
		const unsettled = blocks.filter(({ settled }) => !settled);
		if (!isOld || unsettled.length === 0) continue;
		if (headers.get(top.number)?.hash !== top.hash) continue;
		const above = await readHeaders(rpc, span(top.number, top.number + depthMax), signal);
		if (above[0]?.hash !== top.hash || !isLinked(above)) continue;
		await db.transaction(async (tx) => {
			await lockChain(tx, chainId);
			await settleBlocks(tx, chainId, unsettled);
		});
	}
}

/**
 * Says whether blocks are linked. The same block may come twice, and blocks may be left out; none
 * may be one the node lacks.
 */
function isLinked(...read: readonly (readonly (Head | null)[])[]): boolean {
	let parent: Head | null = null;
	const chain = read.flat().sort((a, b) => (a?.number ?? 0) - (b?.number ?? 0));
	for (const header of chain) {
		if (!header) return false;
		if (parent?.number === header.number && parent.hash !== header.hash) return false;
		if (parent?.number === header.number - 1 && parent.hash !== header.parentHash) return false;
		parent = header;
	}
	return true;
}

/**
 * Returns the block that a fork begins above, if one answer has shown it: the node has the head by
 * its hash, and its blocks are linked from there down to the block that both have. Null otherwise:
 * a node that invented a block has none with the hash of a child that names it.
 */
function shownFork(seen: {
	headers: ReadonlyMap<number, Head | null>;
	stored: readonly BlockRef[];
	known: Head | null;
	block: number;
	reach: number;
}): Head | null {
	const { headers, stored, known, block, reach } = seen;
	if (!known || known.number < reach || known.number <= block) return null;
	const chain = span(block, known.number).map((number) => headers.get(number) ?? null);
	const below = chain[0] ?? null;
	const anchor = stored.find(({ number }) => number === block);
	if (!below || (anchor && anchor.hash !== below.hash)) return null;
	return isLinked(chain, [known]) ? below : null;
}

/**
 * Proves a fork and returns the block that it begins above. A single wrong header must not remove
 * anything: the node's blocks above the fork have to link to one another, the first of them to the
 * block that both have.
 */
async function proveFork(
	rpc: Rpc,
	found: {
		headers: ReadonlyMap<number, Head | null>;
		stored: readonly BlockRef[];
		block: number;
		reach: number;
		signal: AbortSignal;
	},
): Promise<Head> {
	const { block, reach, headers, stored, signal } = found;
	const read = await readHeaders(rpc, span(block, reach), signal);
	const [below, first] = read;
	const anchor = stored.find(({ number }) => number === block);
	const seen = [...headers.values()].filter((header) => header && header.number > block);
	const isServed = first ? await isKnown(rpc, first, signal) : false;
	if (!isServed || !below || (anchor && anchor.hash !== below.hash) || !isLinked(read, seen)) {
		const detail = `the blocks above ${block} do not follow one another`;
		throw scannerFault.inconsistent({ detail });
	}
	return below;
}

/** Says whether the node has a block by its hash: a node that invented a hash has none. */
async function isKnown(rpc: Rpc, { hash }: Head, signal: AbortSignal): Promise<boolean> {
	return parseHead(await rpc.call(hashCall(hash), { signal }))?.hash === hash;
}

/**
 * Removes what lies above the fork: rows, figures, blocks, and lanes' progress. False, and nothing
 * is changed, when another process wrote since the blocks were compared.
 */
async function repair(
	{ chainId, db, sinks, depthMax }: ForkRepairOptions,
	found: { lease: Lease; stored: readonly BlockRef[]; fork: Head },
): Promise<boolean> {
	return db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, found.lease);
		if (!(await isUnchanged(tx, { chainId, depthMax, stored: found.stored }))) return false;
		const { number, hash, parentHash } = found.fork;
		const above = { number, hash, parentHash, settled: false };
		await takeBack(tx, { chainId, above, sinks });
		// The next fork may be of this fork, and its own top too low to count the depth from.
		const settledTo = (found.stored[0]?.number ?? 0) - depthMax;
		const isSettled = ({ number }: BlockRef) => number <= settledTo;
		await settleBlocks(tx, chainId, found.stored.filter(isSettled));
		return true;
	});
}

async function isUnchanged(
	tx: Tx,
	seen: { chainId: number; depthMax: number; stored: readonly BlockRef[] },
): Promise<boolean> {
	const now = await storedBlocks(tx, seen.chainId, blocksSeenMax(seen.depthMax));
	const text = (blocks: readonly BlockRef[]) =>
		blocks.map(({ number, hash }) => `${number} ${hash}`).join();
	return text(now) === text(seen.stored);
}
