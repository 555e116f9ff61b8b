import { type Address, type Hex, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import type { ChainEvent, UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import {
	createValueReader,
	priceMints,
	readUnits,
} from "#plugins/chain-scanner/mint/priceMints.ts";
import { createLogProof, sampleLogs } from "#plugins/chain-scanner/range/createLogProof.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/mergeLogs.ts";
import type { LaneSource, LaneSteps, ReadOptions } from "#plugins/chain-scanner/range/model.ts";
import { readRange } from "#plugins/chain-scanner/range/readRange.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** Tokens that one log minted. A batch log gives one for each of its ids. */
export type Mint = {
	log: RawLog;
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	tokenId: bigint;
	quantity: bigint;
	to: Address;
};

export type MintReading = {
	mints: Mint[];
	undecoded: (UndecodedLog & { log: RawLog })[];
	/** ERC-20 mints among the logs: they share the first topic and are left out. */
	noise: number;
};

/** `Transfer(address,address,uint256)`: ERC-721 with four topics, ERC-20 with three. */
export const TRANSFER_TOPIC: Hex =
	"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
export const TRANSFER_SINGLE_TOPIC: Hex =
	"0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";

/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
export const TRANSFER_BATCH_TOPIC: Hex =
	"0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/** The zero address as an indexed argument. */
export const ZERO_TOPIC: Hex = `0x${"0".repeat(64)}`;

const UNITS = [TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC] as const;

/**
 * The topic filters of the mint lane, for any contract. Four positions in the first: nodes that
 * follow geth then leave out logs with fewer topics, which are the ERC-20 mints.
 */
export const MINT_FILTERS = [
	[TRANSFER_TOPIC, ZERO_TOPIC, null, null],
	[UNITS, null, ZERO_TOPIC],
] as const;

/**
 * The same near the head, with ERC-20 mints and ERC-1155 transfers included. A block's bloom shows
 * that such a log exists and not that it mints an NFT: with all of them an honest answer without
 * mints explains itself, and no receipts need to be read.
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
	const filtersOf = ({ from }: BlockRange, { unsettledFrom }: ReadOptions) =>
		from >= unsettledFrom ? unsettled : settled;
	const steps: LaneSteps = {
		filters: unsettled,
		async ask(range, options) {
			const filters = filtersOf(range, options);
			const read = await readRange(rpc, filters, range, options);
			if (filters === unsettled) await prove({ ...read, filters }, options.signal);
			return read;
		},
		async decode(read, range, { signal, unsettledFrom }) {
			const { logs, blocks, parentHash, madeMs, logCount, answerBytes, blockTimeMs } = read;
			const decoded = decodeMints(logs);
			const minted = decoded.mints.map(({ log }) => log);
			const paid = await values.read(minted, { signal, agreed: range.to >= unsettledFrom });
			const events = eventsOf(decoded.mints, { values: paid, blockTimeMs });
			const told = reportOf(report, decoded);
			const load = { logCount, answerBytes };
			return { range, events, blocks, parentHash, madeMs, ...load, report: told };
		},
	};
	return {
		kind: "mint",
		sample: (range, signal) => sampleLogs(rpc, settled, range, signal),
		read: async (range, options) => steps.decode(await steps.ask(range, options), range, options),
		steps,
	};
}

/** Reads mints from Transfer, TransferSingle and TransferBatch logs by slicing their words. */
export function decodeMints(logs: readonly RawLog[]): MintReading {
	const reading: MintReading = { mints: [], undecoded: [], noise: 0 };
	for (const log of logs) {
		const [topic] = log.topics;
		if (topic === TRANSFER_TOPIC) readTransfer(log, reading);
		else if (topic === TRANSFER_SINGLE_TOPIC) readUnitsLog(log, "single", reading);
		else if (topic === TRANSFER_BATCH_TOPIC) readUnitsLog(log, "batch", reading);
	}
	return reading;
}

function eventsOf(
	mints: readonly Mint[],
	known: { values: ReadonlyMap<Hex, bigint>; blockTimeMs: ReadonlyMap<number, number> },
): ChainEvent[] {
	const totals = priceMints(mints, (hash) => knownOf(known.values, hash));
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
function reportOf(report: UndecodedReport, { undecoded, noise }: MintReading): () => void {
	return () => {
		for (const { log, problem } of undecoded) report.undecoded("mint", log, problem);
		report.noise("mint", noise);
	};
}

/**
 * Reads a Transfer log. The fourth topic tells an ERC-721 from an ERC-20, which has its amount in
 * the data.
 */
function readTransfer(log: RawLog, reading: MintReading): void {
	const [, from, to, tokenId] = log.topics;
	// The filter excludes others; a node or proxy that returns more must not make mints of transfers.
	if (from !== ZERO_TOPIC) return;
	if (to === undefined || tokenId === undefined) {
		reading.noise++;
		return;
	}
	reading.mints.push({
		log,
		subIndex: 0,
		contract: log.address,
		standard: "erc721",
		tokenId: BigInt(tokenId),
		quantity: 1n,
		to: addressOf(to),
	});
}

function addressOf(topic: Hex): Address {
	return `0x${topic.slice(26)}`;
}

function readUnitsLog(log: RawLog, shape: "single" | "batch", reading: MintReading): void {
	const [, , from, to] = log.topics;
	if (from !== ZERO_TOPIC) return;
	const units =
		to === undefined ? "an ERC-1155 mint names no recipient" : readUnits(log.data, shape);
	if (to === undefined || typeof units === "string") {
		reading.undecoded.push({ log, logIndex: Number(log.logIndex), problem: String(units) });
		return;
	}
	for (const [subIndex, { tokenId, quantity }] of units.entries()) {
		// Zero units are no mint.
		if (quantity === 0n) continue;
		const mint = { log, subIndex, contract: log.address, standard: "erc1155" } as const;
		reading.mints.push({ ...mint, tokenId, quantity, to: addressOf(to) });
	}
}
