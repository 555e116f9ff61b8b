import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault/assert.ts";
import type { ChainEvent, Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { createLogProof } from "#plugins/chain-scanner/range/createLogProof.ts";
import type { LaneSource, LaneSteps } from "#plugins/chain-scanner/range/LaneSource.ts";
import { readRange } from "#plugins/chain-scanner/range/readRange.ts";
import { sampleLogs } from "#plugins/chain-scanner/range/sampleLogs.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { needsReceipt } from "#plugins/chain-scanner/sale/needsReceipt.ts";
import { proveSales } from "#plugins/chain-scanner/sale/proveSales.ts";
import { readMoves } from "#plugins/chain-scanner/sale/readMoves.ts";
import {
	readTransaction,
	type TransactionReading,
} from "#plugins/chain-scanner/sale/readTransaction.ts";

/**
 * Makes the source of the sale lane: the fulfilment logs of every venue. The item is decoded before
 * anything else.
 */
export function saleSource(
	rpc: Rpc,
	venues: readonly Venue[],
	report: UndecodedReport,
): LaneSource {
	const address = [...new Set(venues.flatMap((venue) => venue.contracts))];
	const topics = [...new Set(venues.flatMap((venue) => venue.topics))];
	// Without a venue an empty list would mean "any", and fetch every log of the chain.
	const filters = address.length === 0 ? [] : [{ address, topics: [topics] }];
	const prove = createLogProof(rpc);
	const steps: LaneSteps = {
		filters,
		async ask(range, options) {
			const read = await readRange(rpc, filters, range, options);
			if (range.from >= options.unsettledFrom) await prove({ ...read, filters }, options.signal);
			return read;
		},
		async decode(read, range, { signal }) {
			const { logs, blocks, parentHash, madeMs, logCount, answerBytes, blockTimeMs } = read;
			const readings = [...groupByTransaction(logs)].flatMap((transaction) => {
				const [first] = transaction;
				return first ? [{ first, ...readTransaction(transaction, venues) }] : [];
			});
			const open = readings
				.filter(({ sales }) => sales.some(needsReceipt))
				.map(({ first }) => ({ hash: first.transactionHash, blockHash: first.blockHash }));
			const moves = await readMoves(rpc, open, signal);
			const events: ChainEvent[] = [];
			const problems: TransactionReading["undecoded"] = [];
			for (const { first, sales: read, undecoded } of readings) {
				const sales = proveSales(read, moves.get(first.transactionHash) ?? null);
				problems.push(...undecoded);
				const occurredAtMs = blockTimeMs.get(Number(first.blockNumber));
				assert(occurredAtMs !== undefined, "the time of every block with a log was read");
				for (const { sale, venue } of sales) {
					events.push(eventOf(sale, venue, first, occurredAtMs));
				}
			}
			return {
				range,
				events: events.sort(byPosition),
				blocks,
				parentHash,
				madeMs,
				logCount,
				answerBytes,
				report() {
					for (const { log, problem } of problems) report.undecoded("sale", log, problem);
				},
			};
		},
	};
	return {
		kind: "sale",
		sample: (range, signal) => sampleLogs(rpc, filters, range, signal),
		read: async (range, options) => steps.decode(await steps.ask(range, options), range, options),
		steps,
	};
}

function groupByTransaction(logs: readonly RawLog[]): Iterable<RawLog[]> {
	const groups = new Map<Hex, RawLog[]>();
	for (const log of logs) {
		const group = groups.get(log.transactionHash);
		if (group) group.push(log);
		else groups.set(log.transactionHash, [log]);
	}
	return groups.values();
}

/**
 * Orders events: a venue may name its sales in any order, and one transaction may have several
 * venues.
 */
function byPosition(a: ChainEvent, b: ChainEvent): number {
	return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex;
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
