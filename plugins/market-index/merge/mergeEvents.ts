// Merges a provider's events into the index, each exactly once.

import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { Applier } from "#plugins/market-index/apply/createApplier.ts";
import { chooseMatch, type ProviderRow } from "#plugins/market-index/confirm/matching.ts";
import { findUnconfirmed, insertUnconfirmed } from "#plugins/market-index/confirm/unconfirmed.ts";
import { providerPlace } from "#plugins/market-index/event/MarketEvent.ts";
import {
	blockBetween,
	type ChainPace,
	estimateBlock,
	MERGE_ROWS_MAX,
	type Neighbour,
	PACE_AGE_MAX_MS,
	readProviderEvent,
	TOLD_LIVE_MS,
} from "#plugins/market-index/merge/readProviderEvent.ts";
import {
	attachPayloads,
	findChainEvents,
	findNeighbours,
	firstChainEvent,
	type MergedCollection,
	type MergedInto,
	type Neighbours,
	readMergedInto,
} from "#plugins/market-index/merge/sql.ts";
import { storablePayload } from "#plugins/market-index/payload.ts";
import type { Partitions } from "#plugins/market-index/sql/partitions.ts";
import type { ProviderEvent } from "#plugins/provider/contract.ts";

type MergeOptions = {
	db: Database;
	chains: ChainRegistry;
	clock: Clock;
	scanner: Pick<Scanner, "progress" | "lock">;
	partitions: Partitions;
	record: Applier;
	/** The provider's name: the venue of its sales. */
	providerId: string;
	/** Events from before this time are not kept. */
	keptFromMs: () => number;
};

/** Counts what was done with a provider's events. */
type MergeResult = {
	/** Events stored that only the provider has reported so far. */
	stored: number;
	/** Events that lanes had read: the provider's payload was added. */
	attached: number;
	/** Known already, from the provider too. */
	known: number;
	/** Left out: no sales, mints or transfers of this collection, or impossible ones. */
	left: number;
};

export type MergeEvents = (
	collection: MergedCollection,
	events: readonly ProviderEvent[],
) => Promise<MergeResult>;

type Part = {
	chain: Chain;
	collection: MergedCollection;
	rows: readonly ProviderRow[];
	pace: ChainPace;
};

/**
 * The time between blocks of a chain of which nothing was read yet. Long, so that no estimate is
 * beyond later blocks.
 */
const BLOCK_MS_DEFAULT = 12_000;

/** A shorter time is no measure. */
const MEASURED_LEAST_MS = 60_000;

const NOT_VERIFIED = { onchainVerified: false };
const NOWHERE = { blockNumber: -1, logIndex: -1, subIndex: -1 };

/**
 * Makes a function that merges a provider's events into the index, exactly once: an event that a
 * lane read already gets the provider's payload, the rest is stored until a lane reads it. It takes
 * events in any order and repeatedly, a few hundred in a transaction, each under the chain's lock.
 */
export function mergeEvents(options: MergeOptions): MergeEvents {
	const paceOf = createPaceReader(options);
	return async (collection, events) => {
		const chain = options.chains.byId(collection.chainId);
		assert(chain, `a collection of chain ${collection.chainId}, which has no definition`);
		const rows = readAll(options, chain, collection, events);
		const result = { stored: 0, attached: 0, known: 0, left: events.length - rows.length };
		if (rows.length === 0) return result;
		// Before the transactions: a month's partition is made on a connection of its own.
		const times = new Set(rows.map(({ occurredAtMs }) => occurredAtMs));
		const ahead = Math.max(...times) >= options.clock.nowMs() - TOLD_LIVE_MS;
		await options.partitions.ensure(times, { ahead });
		const pace = await paceOf(chain.id);
		for (let at = 0; at < rows.length; at += MERGE_ROWS_MAX) {
			const part = rows.slice(at, at + MERGE_ROWS_MAX);
			const merged = await options.db.transaction((tx) =>
				mergePart(options, tx, { chain, collection, rows: part, pace }),
			);
			result.stored += merged.stored;
			result.attached += merged.attached;
			result.known += part.length - merged.stored - merged.attached;
		}
		return result;
	};
}

/** Makes a reader of a chain's head and block time, as the index itself has seen them. */
function createPaceReader(options: {
	db: Queryable;
	clock: Clock;
	scanner: Pick<Scanner, "progress">;
}): (chainId: number) => Promise<ChainPace> {
	const { db, clock, scanner } = options;
	const kept = new Map<number, { measuredAtMs: number; blockMs: number }>();
	return async (chainId) => {
		const { headBlock } = await scanner.progress(chainId, "sale");
		const atMs = clock.nowMs();
		const known = kept.get(chainId);
		if (known && atMs - known.measuredAtMs < PACE_AGE_MAX_MS) {
			return { headBlock, atMs, blockMs: known.blockMs };
		}
		const first = await firstChainEvent(db, chainId);
		const ageMs = first ? atMs - first.occurredAtMs : 0;
		const blocks = (headBlock ?? 0) - (first?.blockNumber ?? 0);
		const isMeasured = ageMs >= MEASURED_LEAST_MS && blocks > 0;
		const blockMs = isMeasured ? ageMs / blocks : BLOCK_MS_DEFAULT;
		if (isMeasured) kept.set(chainId, { measuredAtMs: atMs, blockMs });
		return { headBlock, atMs, blockMs };
	};
}

/** Reads events, oldest first, so that those of one batch are close together. */
function readAll(
	{ clock, keptFromMs, providerId }: MergeOptions,
	chain: Chain,
	{ address: contract }: MergedCollection,
	events: readonly ProviderEvent[],
): ProviderRow[] {
	const reading = { chain, contract, providerId, nowMs: clock.nowMs(), keptFromMs: keptFromMs() };
	const rows: ProviderRow[] = [];
	for (const event of events) {
		const row = readProviderEvent(event, reading);
		if (!row) continue;
		const payload = storablePayload(row.payload);
		// A payload marks that the provider told it: one that cannot be stored becomes empty.
		rows.push({ ...row, payload: payload ?? {} });
	}
	return rows.sort((a, b) => a.occurredAtMs - b.occurredAtMs);
}

async function mergePart(options: MergeOptions, tx: Tx, part: Part) {
	const { chain, collection, rows } = part;
	const transactions = new Set(rows.map(({ transactionHash }) => transactionHash));
	const contracts = new Set([collection.address]);
	// The lock first; the rest is sent after it in the same round trip.
	const [, into, onChain, told] = await Promise.all([
		options.scanner.lock(tx, chain.id),
		readMergedInto(tx, collection.id),
		findChainEvents(tx, collection.id, rows),
		findUnconfirmed(tx, { chainId: chain.id, transactions, contracts }),
	]);
	if (!into || into.excluded) return { stored: 0, attached: 0 };
	const mine = told.filter(({ collectionId }) => collectionId === collection.id);
	const stored = [...onChain, ...mine.map((one) => ({ ...one, accepted: true, ...NOT_VERIFIED }))];
	const attached = [];
	const fresh: ProviderRow[] = [];
	// Mints first: a transfer of the same batch may be one of them.
	const mintsFirst = [...rows].sort(
		(a, b) => Number(b.kind === "mint") - Number(a.kind === "mint"),
	);
	for (const row of mintsFirst) {
		const match = chooseMatch(row, stored, into.standard);
		if (!match) {
			fresh.push(row);
			stored.push({ ...row, ...NOT_VERIFIED, ...NOWHERE });
		} else if (match.onchainVerified && match.payload === null) {
			match.payload = row.payload;
			attached.push({ ...match, payload: row.payload });
		}
	}
	await attachPayloads(tx, chain.id, attached);
	await storeFresh(options, tx, { ...part, rows: fresh }, into);
	return { stored: fresh.length, attached: attached.length };
}

/** Stores new events by the applier, which also writes their figures, candles and frames. */
async function storeFresh(
	{ record, clock }: MergeOptions,
	tx: Tx,
	{ chain, collection, rows, pace }: Part,
	into: MergedInto,
): Promise<void> {
	if (rows.length === 0) return;
	const blocks = blocksOf(rows, await findNeighbours(tx, collection.id, rows), pace);
	const placed = rows.map((row, index) => ({
		...row,
		...providerPlace({ ...row, standard: into.standard }),
		blockNumber: blocks[index] ?? 0,
		// No block is known, so its transaction takes the place: an event's id begins with this.
		blockHash: row.transactionHash,
		standard: into.standard,
		onchainVerified: false,
		collectionId: collection.id,
	}));
	const liveFromMs = clock.nowMs() - TOLD_LIVE_MS;
	for (const isLive of [false, true]) {
		const events = placed.filter(({ occurredAtMs }) => occurredAtMs >= liveFromMs === isLive);
		await record(tx, { chainId: chain.id, live: isLive, isHistory: !isLive, events });
	}
	await insertUnconfirmed(tx, chain.id, placed);
}

/**
 * Returns a block for each event of a batch, which must be ordered oldest first within a kind: an
 * event that was just placed helps to place the next one, as if it were stored.
 */
function blocksOf(
	rows: readonly ProviderRow[],
	neighbours: readonly Neighbours[],
	pace: ChainPace,
): number[] {
	const placed = new Map<ProviderRow["kind"], Neighbour>();
	return rows.map(({ kind, occurredAtMs }, index) => {
		const { before = null, after = null } = neighbours[index] ?? {};
		const last = placed.get(kind);
		const isNearer = last && last.occurredAtMs >= (before?.occurredAtMs ?? last.occurredAtMs);
		const blockNumber = blockBetween({
			before: isNearer ? last : before,
			after,
			estimate: estimateBlock(pace, occurredAtMs),
			occurredAtMs,
			blockMs: pace.blockMs,
		});
		placed.set(kind, { blockNumber, occurredAtMs });
		return blockNumber;
	});
}
