import type { Head } from "#core/chain/heads/Head.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease/leases.ts";
import type { Log } from "#core/log/Log.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { lockChain } from "#plugins/chain-scanner/lane/lockChain.ts";
import { HEADERS_FIRST_ASKED } from "#plugins/chain-scanner/limits.ts";
import { readHeaders } from "#plugins/chain-scanner/range/readHeaders.ts";
import { forkPoint } from "#plugins/chain-scanner/reorg/forkPoint.ts";
import { takeBack } from "#plugins/chain-scanner/reorg/takeBack.ts";
import { type StoredBlock, storedBlocks } from "#plugins/chain-scanner/sql/block.ts";

export type ForkRepairOptions = {
	chainId: number;
	db: Database;
	rpc: Rpc;
	sinks: readonly EventSink[];
	/** How many blocks may leave the chain; more is an alarm and no repair. */
	depthMax: number;
	log: Log;
	onReorg(depth: number): void;
};

export type ForkRepair = {
	/**
	 * Asks the node whether what the index stands on is still its chain, and takes out what is not.
	 * True when something was taken out. Throws `reorg_too_deep` where it reaches too far.
	 */
	check(lease: Lease, signal: AbortSignal): Promise<boolean>;
};

/** Finds where the chain forked, and repairs the index in one transaction. */
export function createForkRepair(options: ForkRepairOptions): ForkRepair {
	const { chainId, db, rpc, depthMax, log, onReorg } = options;
	return {
		async check(lease, signal) {
			// One more than may differ, so that the block below them is there to be compared.
			const stored = await storedBlocks(db, chainId, depthMax + 1);
			const headers = await compare(rpc, stored, signal);
			const point = forkPoint(stored, (number) => headers.get(number) ?? null, depthMax);
			if (point.kind === "sound") return false;
			if (point.kind === "too_deep") {
				const detail = `at least ${point.depth} blocks of chain ${chainId} left it`;
				throw scannerFault.reorgTooDeep({ detail });
			}
			const fork = await proveFork(rpc, { headers, stored, block: point.block, signal });
			const repaired = await repair(options, { lease, stored, fork });
			if (!repaired) return true;
			log.warn("blocks left the chain and were taken out", { ...point });
			onReorg(point.depth);
			return true;
		},
	};
}

/**
 * A few headers answer nearly every question: the newest, and the newest below each hole. The rest
 * are asked for where one of those differs.
 */
async function compare(rpc: Rpc, stored: readonly StoredBlock[], signal: AbortSignal) {
	const numbers = [...new Set(stored.map(({ number }) => number))];
	const headers = new Map<number, Head | null>();
	const ask = async (asked: readonly number[]) => {
		const answers = await readHeaders(rpc, asked, signal);
		for (const [index, number] of asked.entries()) headers.set(number, answers[index] ?? null);
	};
	const isFirst = (number: number, index: number) =>
		index < HEADERS_FIRST_ASKED || numbers[index - 1] !== number + 1;
	await ask(numbers.filter(isFirst));
	const differs = ({ number, hash }: StoredBlock) => (headers.get(number)?.hash ?? hash) !== hash;
	if (stored.some(differs)) await ask(numbers.filter((number) => !headers.has(number)));
	return headers;
}

/**
 * A single wrong header must not take anything out: the node's blocks above the fork have to follow
 * one another, the first of them on the block that both have. Answers that block.
 */
async function proveFork(
	rpc: Rpc,
	found: {
		headers: ReadonlyMap<number, Head | null>;
		stored: readonly StoredBlock[];
		block: number;
		signal: AbortSignal;
	},
): Promise<Head> {
	const { block, headers, stored, signal } = found;
	const [below, first] = await readHeaders(rpc, [block, block + 1], signal);
	const anchor = stored.find(({ number }) => number === block);
	const above = [...headers]
		.filter(([number]) => number > block)
		.sort(([a], [b]) => a - b)
		.flatMap(([, header]) => header ?? []);
	const chain = [below, first, ...above];
	const isServed = first ? await isKnown(rpc, first, signal) : false;
	if (!isServed || !below || (anchor && anchor.hash !== below.hash) || !first || !isLinked(chain)) {
		const detail = `the blocks above ${block} do not follow one another`;
		throw scannerFault.inconsistent({ detail });
	}
	return below;
}

/** A node that made a hash up has no block by it. */
async function isKnown(rpc: Rpc, { hash }: Head, signal: AbortSignal): Promise<boolean> {
	const call = { method: "eth_getBlockByHash", params: [hash, false] };
	return parseHead(await rpc.call(call, { signal }))?.hash === hash;
}

/** In ascending order; the same block may come twice, and blocks may be left out. */
function isLinked(chain: readonly (Head | null | undefined)[]): boolean {
	let parent: Head | null = null;
	for (const header of chain) {
		if (!header) return false;
		if (parent?.number === header.number && parent.hash !== header.hash) return false;
		if (parent?.number === header.number - 1 && parent.hash !== header.parentHash) return false;
		parent = header;
	}
	return true;
}

/**
 * Takes out what lies above the fork: rows, figures, blocks, and how far lanes have come. False,
 * and nothing is changed, when somebody wrote since the blocks were compared.
 */
async function repair(
	{ chainId, db, sinks, depthMax }: ForkRepairOptions,
	found: { lease: Lease; stored: readonly StoredBlock[]; fork: Head },
): Promise<boolean> {
	return db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, found.lease);
		if (!(await isUnchanged(tx, { chainId, depthMax, stored: found.stored }))) return false;
		const { number, hash, parentHash } = found.fork;
		const above = { number, hash, parentHash, settled: false };
		await takeBack(tx, { chainId, above, sinks });
		return true;
	});
}

async function isUnchanged(
	tx: Tx,
	seen: { chainId: number; depthMax: number; stored: readonly StoredBlock[] },
): Promise<boolean> {
	const now = await storedBlocks(tx, seen.chainId, seen.depthMax + 1);
	const text = (blocks: readonly StoredBlock[]) =>
		blocks.map(({ number, hash }) => `${number} ${hash}`).join();
	return text(now) === text(seen.stored);
}
