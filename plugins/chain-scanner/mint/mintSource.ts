// Makes the source of the mint lane: reads, decodes and prices a range's mints.

import { type Hex, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/laneHealth.ts";
import { WHOLE_BLOCK_FROM_SCARCE } from "#plugins/chain-scanner/limits.ts";
import {
	CONSECUTIVE_TRANSFER_TOPIC,
	decodeMints,
	type Mint,
	type MintReading,
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
	ZERO_TOPIC,
} from "#plugins/chain-scanner/mint/decodeMints.ts";
import {
	createLogProof,
	readSoundly,
	sampleLogs,
} from "#plugins/chain-scanner/range/createLogProof.ts";
import { createValueReader } from "#plugins/chain-scanner/range/createValueReader.ts";
import type { LaneSource, LaneSteps, ReadOptions } from "#plugins/chain-scanner/range/model.ts";
import { fitsFilter } from "#plugins/chain-scanner/range/readRange.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** ERC-1155's logs and ERC-2309's: in all three the second indexed argument is the sender. */
const UNITS = [TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC, CONSECUTIVE_TRANSFER_TOPIC] as const;

/**
 * The topic filters of the mint lane, for any contract. Four positions in the first: nodes that
 * follow geth then leave out logs with fewer topics, which are the ERC-20 mints.
 */
export const MINT_FILTERS = [
	[TRANSFER_TOPIC, ZERO_TOPIC, null, null],
	[UNITS, null, ZERO_TOPIC],
] as const;

/**
 * Filters logs near the head, with ERC-20 mints and ERC-1155 transfers included. A block's bloom
 * shows that such a log exists and not that it mints an NFT: with all of them an honest answer
 * without mints explains itself, and no receipts need to be read.
 */
export const HEAD_MINT_FILTERS = [[TRANSFER_TOPIC, ZERO_TOPIC], [UNITS]] as const;

/**
 * Makes the source of the mint lane: every Transfer from the zero address on the chain, of any
 * contract.
 */
export function mintSource(rpc: Rpc, report: UndecodedReport): LaneSource {
	const settled = MINT_FILTERS.map((topics) => ({ topics }));
	const unsettled = HEAD_MINT_FILTERS.map((topics) => ({ topics }));
	const prove = createLogProof(rpc);
	const values = createValueReader(rpc);
	const isScarce = () => rpc.isScarce?.() ?? false;
	const filtersOf = ({ from }: BlockRange, { unsettledFrom }: ReadOptions) =>
		from >= unsettledFrom ? unsettled : settled;
	const steps: LaneSteps = {
		filters: unsettled,
		async ask(range, options) {
			const filters = filtersOf(range, options);
			const read = await readSoundly(rpc, filters, range, { ...options, isWhole });
			if (filters === unsettled) await prove({ ...read, filters }, options.signal);
			return read;
		},
		async decode(read, range, { signal, unsettledFrom, remembered }) {
			const { logs, blocks, parentHash, madeMs, logCount, answerBytes, blockTimeMs } = read;
			const decoded = decodeMints(logs);
			const minted = decoded.mints.map(({ log }) => log);
			if (isScarce()) {
				const blocks = range.to - range.from + 1;
				remembered?.noteWhole({ blocks, whole: wholeBlocks(minted).size });
			}
			const agreed = range.to >= unsettledFrom;
			const paid = await values.read(minted, { signal, agreed, remembered });
			const events = eventsOf(decoded, { values: paid, blockTimeMs });
			const load = { logCount, answerBytes };
			return {
				range,
				events,
				blocks,
				parentHash,
				madeMs,
				...load,
				report: reportOf(report, decoded),
			};
		},
	};
	return {
		kind: "mint",
		isScarce,
		sample: (range, signal) => sampleLogs(rpc, settled, range, signal),
		read: async (range, options) => steps.decode(await steps.ask(range, options), range, options),
		steps,
	};
}

/**
 * Returns for each mint, in their order, its share of what its transaction paid: value over all
 * units minted in the transaction, whatever their contract, also those that are not listed. The
 * remainder goes to the first mint, so that the shares add up to the value exactly; a transaction
 * without value minted for free, at 0.
 */
export function priceMints(
	mints: readonly Mint[],
	paidBy: (transactionHash: Hex) => bigint,
	unlisted: MintReading["unlisted"] = [],
): bigint[] {
	const units = new Map<Hex, bigint>();
	for (const { log, ids } of unlisted) {
		units.set(log.transactionHash, (units.get(log.transactionHash) ?? 0n) + ids);
	}
	for (const { log, quantity } of mints) {
		units.set(log.transactionHash, (units.get(log.transactionHash) ?? 0n) + quantity);
	}
	const started = new Set<Hex>();
	return mints.map(({ log, quantity }) => {
		const hash = log.transactionHash;
		const value = paidBy(hash);
		const all = units.get(hash) ?? quantity;
		const remainder = started.has(hash) ? 0n : value % all;
		started.add(hash);
		return (value / all) * quantity + remainder;
	});
}

/** Says which blocks will be read whole for their values: most likely those with so many mints. */
function isWhole(logs: readonly RawLog[]): (block: number) => boolean {
	const mints = logs.filter((log) => MINT_FILTERS.some((topics) => fitsFilter(log, { topics })));
	const whole = wholeBlocks(mints);
	return (block) => whole.has(block);
}

/** Returns the blocks with as many mint transactions as are read whole where calls are scarce. */
function wholeBlocks(mints: readonly RawLog[]): Set<number> {
	const byBlock = Map.groupBy(mints, ({ blockNumber }) => Number(blockNumber));
	const whole = new Set<number>();
	for (const [block, logs] of byBlock) {
		const transactions = new Set(logs.map(({ transactionHash }) => transactionHash));
		if (transactions.size >= WHOLE_BLOCK_FROM_SCARCE) whole.add(block);
	}
	return whole;
}

function eventsOf(
	{ mints, unlisted }: MintReading,
	known: { values: ReadonlyMap<Hex, bigint>; blockTimeMs: ReadonlyMap<number, number> },
): ChainEvent[] {
	const totals = priceMints(mints, (hash) => knownOf(known.values, hash), unlisted);
	return mints.map((mint, index) => {
		const occurredAtMs = knownOf(known.blockTimeMs, Number(mint.log.blockNumber));
		const totalRaw = totals[index];
		assert(totalRaw !== undefined, "every mint has its share");
		return eventOf(mint, totalRaw, occurredAtMs);
	});
}

/**
 * Returns a value of a map made from the same logs: a missing one is our own mistake, never a zero.
 */
function knownOf<Key, Value>(known: ReadonlyMap<Key, Value>, key: Key): Value {
	const value = known.get(key);
	assert(value !== undefined, "every mint's value and time was read");
	return value;
}

function eventOf(mint: Mint, totalRaw: bigint, occurredAtMs: number): ChainEvent {
	return {
		kind: "mint",
		...positionOf(mint.log),
		subIndex: mint.subIndex,
		occurredAtMs,
		contract: mint.contract,
		standard: mint.standard,
		tokenId: mint.tokenId,
		quantity: mint.quantity,
		from: ZERO_ADDRESS,
		to: mint.to,
		venue: null,
		currency: ZERO_ADDRESS,
		totalRaw,
		accepted: true,
		reason: null,
	};
}

function positionOf(log: RawLog) {
	return {
		blockNumber: Number(log.blockNumber),
		blockHash: log.blockHash,
		transactionHash: log.transactionHash,
		logIndex: Number(log.logIndex),
	};
}

/**
 * Made outside the reader's scope: a closure would keep all logs, and a range is written for long.
 */
function reportOf(report: UndecodedReport, reading: MintReading): () => void {
	const { undecoded, noise, unlisted } = reading;
	return () => {
		for (const { log, ids } of unlisted) report.unlisted("mint", log, ids);
		for (const { log, problem } of undecoded) report.undecoded("mint", log, problem);
		report.noise("mint", noise);
	};
}
