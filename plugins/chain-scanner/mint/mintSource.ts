import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Rpc, RpcOptions, RpcQuorum } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault/assert.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { LaneSource } from "#plugins/chain-scanner/lane/LaneSource.ts";
import {
	decodeMints,
	type Mint,
	type MintReading,
} from "#plugins/chain-scanner/mint/decodeMints.ts";
import { HEAD_MINT_FILTERS, MINT_FILTERS } from "#plugins/chain-scanner/mint/mintTopics.ts";
import { priceMints } from "#plugins/chain-scanner/mint/priceMints.ts";
import { createLogProof } from "#plugins/chain-scanner/range/createLogProof.ts";
import { readRange } from "#plugins/chain-scanner/range/readRange.ts";
import { sampleLogs } from "#plugins/chain-scanner/range/sampleLogs.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";

/** The mint lane: every Transfer from the zero address on the chain, no contract filter. */
export function mintSource(rpc: Rpc, report: UndecodedReport): LaneSource {
	const settled = MINT_FILTERS.map((topics) => ({ topics }));
	const unsettled = HEAD_MINT_FILTERS.map((topics) => ({ topics }));
	const prove = createLogProof(rpc);
	return {
		kind: "mint",
		sample: (range, signal) => sampleLogs(rpc, settled, range, signal),
		async read(range, options) {
			const { signal, unsettledFrom } = options;
			const filters = range.from >= unsettledFrom ? unsettled : settled;
			const read = await readRange(rpc, filters, range, options);
			const { logs, blocks, parentHash, logCount, answerBytes, blockTimeMs } = read;
			if (filters === unsettled) await prove({ ...read, filters }, signal);
			const decoded = decodeMints(logs);
			const quorum = range.to >= unsettledFrom ? SAME_VALUE : undefined;
			const values = await readValues(rpc, decoded.mints, { signal, quorum });
			const events = eventsOf(decoded.mints, { values, blockTimeMs });
			const told = reportOf(report, decoded);
			return { range, events, blocks, parentHash, logCount, answerBytes, report: told };
		},
	};
}

/** Made where no log is in reach: a function keeps what is, and a range is written for long. */
function reportOf(report: UndecodedReport, { undecoded, noise }: MintReading): () => void {
	return () => {
		for (const { log, problem } of undecoded) report.undecoded("mint", log, problem);
		report.noise("mint", noise);
	};
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

/** Nodes differ in what else they tell of a transaction. */
const SAME_VALUE: RpcQuorum = {
	digest(transaction) {
		const { value, hash, blockHash } = fieldsOf(transaction);
		return [value, hash, blockHash].join();
	},
};

/** What each transaction paid. Asked for one by one in batches: full blocks are mostly others'. */
async function readValues(
	rpc: Rpc,
	mints: readonly Mint[],
	options: RpcOptions,
): Promise<Map<Hex, bigint>> {
	const logOf = new Map(mints.map(({ log }) => [log.transactionHash, log]));
	const hashes = [...logOf.keys()];
	if (hashes.length === 0) return new Map();
	const calls = hashes.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] }));
	const answers = await rpc.batch(calls, options);
	return new Map(
		[...logOf.values()].map((log, index) => [log.transactionHash, valueIn(answers[index], log)]),
	);
}

/** The value, from the transaction that made the log and from no other, in the log's own block. */
function valueIn(answer: unknown, log: RawLog): bigint {
	const hash = log.transactionHash;
	const { value, ...place } = fieldsOf(answer);
	if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) {
		throw scannerFault.inconsistent({ detail: `the node has no transaction ${hash}` });
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

function fieldsOf(answer: unknown): { value?: unknown; hash?: unknown; blockHash?: unknown } {
	return typeof answer === "object" && answer !== null ? answer : {};
}

/** Left out is no contradiction; null is one. */
function isSame(said: unknown, expected: Hex): boolean {
	return said === undefined || (typeof said === "string" && said.toLowerCase() === expected);
}

/** A map that was made from the same logs: what is missing is our own mistake, and never a zero. */
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
