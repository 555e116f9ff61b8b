// Drains or rewinds a chain for an operator, and records the spans that they ask for.

import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";
import type { EventSink, LaneKind, Scanner, Venue } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import type { ScannerMetrics } from "#plugins/chain-scanner/laneHealth.ts";
import { REORG_DEPTH_MOST } from "#plugins/chain-scanner/limits.ts";
import { readHeaders } from "#plugins/chain-scanner/range/readHeaders.ts";
import { takeBack } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { runsOf } from "#plugins/chain-scanner/reorg/forkPoint.ts";
import { type ChainCore, openChain } from "#plugins/chain-scanner/runChain.ts";
import { type BlockRange, lockChain, storedBlocks } from "#plugins/chain-scanner/sql/block.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { openRequest } from "#plugins/chain-scanner/sql/gap.ts";

/**
 * The progress of a requested span. Blocks count once for each lane.
 *
 * - `draining`: this process reads.
 * - `watching`: another process holds the chain's backfill, and reads.
 * - `waiting`: the last attempt failed, by `trouble`; it is retried.
 */
export type BackfillProgress = {
	chain: string;
	range: BlockRange;
	state: "draining" | "watching" | "waiting" | "done" | "refused" | "interrupted";
	trouble: string | null;
	blocksAll: number;
	blocksLeft: number;
	/** Set aside because the node or the database refused them. */
	blocksRefused: number;
	/** Mints and sales in what this process read. */
	events: number;
	/** The speed since this start; null while it is not known. */
	blocksPerSecond: number | null;
	secondsLeft: number | null;
};

export type Draining = {
	signal: AbortSignal;
	/** The head as the node reported it: on a chain without a lane it is not stored. */
	head: number;
	onDrained(part: { lane: LaneKind; blocks: number; events: number }): void;
	onFailure(code: string): void;
};

/** An operator's actions by hand on a chain whose lanes need not run. */
export type ScannerOperator = Scanner & {
	/** `NFT_REORG_DEPTH_MAX`. */
	reorgDepthMax: number;
	/**
	 * Drains what the chain's lanes owe until the signal aborts, or waits while another process does.
	 */
	drain(access: ChainAccess, draining: Draining): Promise<void>;
	/** Removes everything above a block, which must be one of the node's chain. */
	rewind(access: ChainAccess, block: number, signal: AbortSignal): Promise<void>;
};

export type OperatorParts = {
	sinks: readonly EventSink[];
	venues: readonly Venue[];
	metrics: ScannerMetrics;
	reorgDepthMax: number;
	lagBlocksMax: number;
};

export type Requests = {
	chainId: number;
	lanes: readonly LaneKind[];
	range: BlockRange;
	head: number;
	reorgDepthMax: number;
};

/** The scanner as its own commands see it; other plugins have `ScannerKey`. */
export const ScannerOperatorKey = serviceKey<ScannerOperator>()("chain-scanner");

/** Makes the scanner's work available one piece at a time and by hand. */
export function createOperator(
	core: ChainCore,
	parts: OperatorParts,
): Pick<ScannerOperator, "drain" | "rewind" | "reorgDepthMax"> {
	return {
		reorgDepthMax: parts.reorgDepthMax,
		async drain(access, { signal, head, onDrained, onFailure }) {
			const { shared, owed, log, backfill } = openChain(core, access, { ...parts, signal });
			const listeners = { ...backfill, onDrained, onFailure };
			await startBackfill({ ...shared, ...listeners, sources: owed, log, headLeast: head });
		},
		async rewind({ chain, rpcFor }, block, signal) {
			const chainId = chain.id;
			await core.db.transaction(async (tx) => {
				await lockChain(tx, chainId);
				// All that stays must be of the node's chain, or the alarm would stay too.
				const stored = await storedBlocks(tx, chainId, REORG_DEPTH_MOST);
				const below = stored.filter(({ number }) => number <= block);
				const kept = runsOf(below, parts.reorgDepthMax).map(({ top }) => top);
				const [header, ...others] = await readHeaders(
					rpcFor("live"),
					[block, ...kept.map(({ number }) => number)],
					signal,
				);
				const left = kept.findLast(({ hash }, index) => others[index]?.hash !== hash);
				if (left) throw stillForked(left.number);
				if (!header) throw scannerFault.command({ public: `The node has no block ${block}.` });
				const { number, hash, parentHash } = header;
				const above = { number, hash, parentHash, settled: true };
				await takeBack(tx, { chainId, above, sinks: parts.sinks });
			});
		},
	};
}

/**
 * Returns the chain that an operator names, by slug, id or alias; throws where it is not indexed.
 */
export function findChain(
	{ chains, indexed }: Pick<Core, "chains" | "indexed">,
	name: string | undefined,
): ChainAccess {
	const id = name === undefined ? undefined : chains.bySlug(name)?.id;
	const access = indexed.find(({ chain }) => chain.id === id && id !== undefined);
	if (access) return access;
	const known = indexed.map(({ chain }) => chain.slug).join(", ");
	const given = name === undefined ? "--chain is missing" : `--chain names "${name}"`;
	throw scannerFault.command({ public: `${given}. CHAINS has: ${known}.` });
}

/**
 * Records a requested span as missing, for all lanes or none; returns the lanes that had read a
 * part of it before.
 *
 * A block above the head is refused, not waited for. One within reach of reorgs is a lane's: where
 * the lane has not begun, it would not be read again after a fork.
 */
export async function openRequests(
	{ db }: Pick<Core, "db">,
	{ chainId, lanes, range, head, reorgDepthMax }: Requests,
): Promise<LaneKind[]> {
	if (range.to > head) {
		throw scannerFault.command({
			public: `--to ${range.to} lies above the head of the chain, which is ${head}.`,
		});
	}
	return db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		const resumed: LaneKind[] = [];
		for (const lane of lanes) {
			const settled = head - reorgDepthMax;
			if (range.to > settled && !(await readCursor(tx, chainId, lane))) {
				throw scannerFault.command({
					public:
						`Blocks above ${settled} may still leave the chain, and the ${lane} lane, which ` +
						"would put that right, has never run here: start the service, or ask for less.",
				});
			}
			if (!(await openRequest(tx, { chainId, lane, range }))) resumed.push(lane);
		}
		return resumed;
	});
}

function stillForked(block: number) {
	return scannerFault.command({
		public:
			`Block ${block}, which the index stands on, is not of the node's chain: ` +
			`rewind further, to a block below ${block}.`,
	});
}
