import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainEvent, Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import type { LaneSource } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { readRange } from "#plugins/chain-scanner/range/readRange.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { readTransaction } from "#plugins/chain-scanner/sale/readTransaction.ts";

/** The sale lane: the fulfilment logs of every venue. The item is decoded before anything else. */
export function saleSource(
	rpc: Rpc,
	venues: readonly Venue[],
	report: UndecodedReport,
): LaneSource {
	const address = [...new Set(venues.flatMap((venue) => venue.contracts))];
	const topics = [...new Set(venues.flatMap((venue) => venue.topics))];
	return {
		kind: "sale",
		async read(range, signal) {
			const filter = { address, topics: [topics] };
			const { logs, lastHash, logCount, blockTimeMs } = await readRange(
				rpc,
				[filter],
				range,
				signal,
			);
			const events: ChainEvent[] = [];
			for (const transaction of groupByTransaction(logs)) {
				const [first] = transaction;
				if (!first) continue;
				const { sales, undecoded } = readTransaction(transaction, venues);
				for (const { log, problem } of undecoded) report.undecoded("sale", log, problem);
				const occurredAtMs = blockTimeMs.get(Number(first.blockNumber)) ?? 0;
				for (const { sale, venue } of sales) {
					events.push(eventOf(sale, venue, first, occurredAtMs));
				}
			}
			return { range, events, lastHash, logCount };
		},
	};
}

/** The logs are in chain order, so those of one transaction stand together. */
function groupByTransaction(logs: readonly RawLog[]): RawLog[][] {
	const groups: RawLog[][] = [];
	let current: Hex | null = null;
	for (const log of logs) {
		if (log.transactionHash === current) groups.at(-1)?.push(log);
		else groups.push([log]);
		current = log.transactionHash;
	}
	return groups;
}

function eventOf(sale: Sale, venue: Venue, log: RawLog, occurredAtMs: number): ChainEvent {
	return {
		kind: "sale",
		blockNumber: Number(log.blockNumber),
		blockHash: log.blockHash,
		transactionHash: log.transactionHash,
		logIndex: sale.logIndex,
		subIndex: sale.subIndex,
		occurredAtMs,
		contract: sale.contract,
		standard: sale.standard,
		tokenId: sale.tokenId,
		quantity: sale.quantity,
		from: sale.seller,
		to: sale.buyer,
		venue: venue.id,
		currency: sale.currency,
		totalRaw: sale.totalRaw,
		accepted: sale.accepted,
		reason: sale.reason,
	};
}
