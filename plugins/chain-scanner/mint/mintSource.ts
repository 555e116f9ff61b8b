import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { LaneSource } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { decodeMints, type Mint } from "#plugins/chain-scanner/mint/decodeMints.ts";
import { MINT_FILTERS } from "#plugins/chain-scanner/mint/mintTopics.ts";
import { priceMints } from "#plugins/chain-scanner/mint/priceMints.ts";
import { readRange } from "#plugins/chain-scanner/range/readRange.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";

/** The mint lane: every Transfer from the zero address on the chain, no contract filter. */
export function mintSource(rpc: Rpc, report: UndecodedReport): LaneSource {
	const filters = MINT_FILTERS.map((topics) => ({ topics }));
	return {
		kind: "mint",
		async read(range, signal) {
			const { logs, lastHash, logCount, blockTimeMs } = await readRange(
				rpc,
				filters,
				range,
				signal,
			);
			const { mints, undecoded, noise } = decodeMints(logs);
			for (const { log, problem } of undecoded) report.undecoded("mint", log, problem);
			report.noise("mint", noise);
			const hashes = [...new Set(mints.map((mint) => mint.log.transactionHash))];
			const values = await readValues(rpc, hashes, signal);
			const totals = priceMints(mints, (hash) => values.get(hash) ?? 0n);
			const events = mints.map((mint) => {
				const totalRaw = totals.get(mint) ?? 0n;
				return eventOf(mint, totalRaw, blockTimeMs.get(Number(mint.log.blockNumber)) ?? 0);
			});
			return { range, events, lastHash, logCount };
		},
	};
}

/** What each transaction paid. Asked for one by one in batches: full blocks are mostly others'. */
async function readValues(
	rpc: Rpc,
	hashes: readonly Hex[],
	signal: AbortSignal,
): Promise<Map<Hex, bigint>> {
	if (hashes.length === 0) return new Map();
	const calls = hashes.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] }));
	const answers = await rpc.batch(calls, { signal });
	return new Map(hashes.map((hash, index) => [hash, valueOf(answers[index], hash)]));
}

function valueOf(transaction: unknown, hash: Hex): bigint {
	const value =
		typeof transaction === "object" && transaction !== null && "value" in transaction
			? transaction.value
			: undefined;
	if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) {
		throw scannerFault.inconsistent({ detail: `the node has no transaction ${hash}` });
	}
	return BigInt(value);
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
