// Makes the source of the sale lane, and samples the logs that its filter leaves out.

import { type Address, type Hex, hexQuantity, type RawLog } from "#core/chain/Hex.ts";
import { parseHead } from "#core/chain/heads/Head.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import type {
	ChainEvent,
	PricedSale,
	Sale,
	UndecodedLog,
	Venue,
} from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/laneHealth.ts";
import {
	DEAR_RECEIPTS_MAX,
	LOG_ANSWER_BYTES_MAX,
	STRANGER_SAMPLE_BELOW,
	STRANGER_SAMPLE_BLOCKS,
	STRANGER_SAMPLE_MS,
	STRANGERS_NAMED_MAX,
} from "#plugins/chain-scanner/limits.ts";
import {
	createLogProof,
	readSoundly,
	sampleLogs,
} from "#plugins/chain-scanner/range/createLogProof.ts";
import type { LaneSource, LaneSteps } from "#plugins/chain-scanner/range/model.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import { adapterOf, proveSales, readMoves } from "#plugins/chain-scanner/sale/proveSales.ts";

export type TransactionReading = {
	sales: { sale: Sale; venue: Venue }[];
	undecoded: (UndecodedLog & { log: RawLog })[];
};

/** Says of each sale whether its receipt has to be read (`EventSink.areDear`). */
type AreDear = (sales: readonly PricedSale[]) => Promise<readonly boolean[]>;

const UINT256_MAX = 2n ** 256n - 1n;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/**
 * Makes the source of the sale lane: the fulfilment logs of every venue. The item is decoded before
 * anything else.
 */
export function saleSource(
	rpc: Rpc,
	venues: readonly Venue[],
	report: UndecodedReport,
	areDear: AreDear = async () => [],
): LaneSource {
	const address = [...new Set(venues.flatMap((venue) => venue.contracts))];
	const topics = [...new Set(venues.flatMap((venue) => venue.topics))];
	// Without a venue an empty list would mean "any", and fetch every log of the chain.
	const filters = address.length === 0 ? [] : [{ address, topics: [topics] }];
	const prove = createLogProof(rpc);
	const steps: LaneSteps = {
		filters,
		async ask(range, options) {
			// A block that the mint lane will read whole is read so at once: that is one call less.
			const isWhole = async () => {
				const areWhole = (await options.remembered?.areMostWhole(options.signal)) ?? false;
				return () => areWhole;
			};
			const read = await readSoundly(rpc, filters, range, { isWhole, ...options });
			if (range.from >= options.unsettledFrom) await prove({ ...read, filters }, options.signal);
			return read;
		},
		async decode(read, range, { signal }) {
			const { logs, blocks, parentHash, madeMs, logCount, answerBytes, blockTimeMs } = read;
			const timeOf = ({ blockNumber }: RawLog) => {
				const occurredAtMs = blockTimeMs.get(Number(blockNumber));
				assert(occurredAtMs !== undefined, "the time of every block with a log was read");
				return occurredAtMs;
			};
			const readings = [...groupByTransaction(logs)].flatMap((transaction) => {
				const [first] = transaction;
				if (!first) return [];
				return [{ first, occurredAtMs: timeOf(first), ...readTransaction(transaction, venues) }];
			});
			const dear = await dearSales(readings, areDear);
			const needed = readings.filter(({ sales }) => sales.some(needsReceipt));
			const doubted = readings.filter((one) => {
				return !needed.includes(one) && one.sales.some(({ sale }) => dear.has(sale));
			});
			const open = [...needed, ...doubted.slice(0, DEAR_RECEIPTS_MAX)].map(({ first }) => {
				return { hash: first.transactionHash, blockHash: first.blockHash };
			});
			const moves = await readMoves(rpc, open, signal);
			const events: ChainEvent[] = [];
			const problems: TransactionReading["undecoded"] = [];
			for (const { first, occurredAtMs, sales: read, undecoded } of readings) {
				const moved = moves.get(first.transactionHash) ?? null;
				problems.push(...undecoded);
				for (const { sale, venue } of proveSales(read, moved)) {
					const event = eventOf(sale, venue, first, occurredAtMs);
					// Without its receipt a sale is as it was read, and so still the same object.
					const isUnproven = moved === null && sale.accepted && dear.has(sale);
					events.push(isUnproven ? { ...event, reason: "price_unproven" } : event);
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
		isScarce: () => rpc.isScarce?.() ?? false,
		sample: (range, signal) => sampleLogs(rpc, filters, range, signal),
		read: async (range, options) => steps.decode(await steps.ask(range, options), range, options),
		steps,
	};
}

/**
 * Says whether the venue's logs do not show who gave the token, or which token it is. Nearly all
 * sales show both, and their receipts are never read.
 */
export function needsReceipt({
	sale,
	venue,
}: {
	sale: Sale;
	venue: Pick<Venue, "adapters">;
}): boolean {
	return sale.sellerUnproven === true || adapterOf(sale, venue) !== undefined;
}

/**
 * Reads the venue logs of one transaction, venue by venue.
 *
 * A venue may be another plugin's: an exception counts as its logs not decoding, and so does a sale
 * that cannot be stored or that has the identity of another. The lane goes on.
 */
export function readTransaction(
	logs: readonly RawLog[],
	venues: readonly Venue[],
): TransactionReading {
	const reading: TransactionReading = { sales: [], undecoded: [] };
	const taken = new Set<string>();
	for (const venue of venues) {
		const own = logsOf(venue, logs);
		if (own.length > 0) readVenue(venue, own, { reading, taken });
	}
	return reading;
}

/**
 * Returns the logs that have a venue's topic and are of no venue's contract: a fork of a
 * marketplace, or one of its contracts that nobody has told us of.
 */
export function strangersIn<Log extends Pick<RawLog, "address" | "topics">>(
	logs: readonly Log[],
	venues: readonly Venue[],
): Log[] {
	const contracts = new Set(venues.flatMap((venue) => venue.contracts));
	const topics = new Set(venues.flatMap((venue) => venue.topics));
	return logs.filter(({ address, topics: [event] }) => {
		return event !== undefined && topics.has(event) && !contracts.has(address);
	});
}

/**
 * Makes a job that counts, once an hour on each chain, the logs of `strangersIn` in a few blocks:
 * lanes filter by address, and would never show that a marketplace has moved.
 */
export function sampleStrangersJob(
	{ indexed, metrics, log }: Pick<Core, "indexed" | "metrics" | "log">,
	venues: readonly Venue[],
): Job {
	const samples = metrics.counter({
		name: "venue_samples_total",
		help: "Hourly samples of logs with a venue's topic, by whether the node answered.",
		labels: ["chain", "outcome"],
	});
	const strangers = metrics.counter({
		name: "venue_stranger_logs_total",
		help: "Sampled logs with a venue's topic that no venue's contract wrote, by contract.",
		labels: ["chain", "contract"],
	});
	const named = new Map<string, Set<Address>>();
	return {
		name: "chain-scanner.sample-strangers",
		schedule: { everyMs: STRANGER_SAMPLE_MS },
		lock: "cluster",
		timeoutMs: 60_000,
		async run({ signal }) {
			if (venues.length === 0) return;
			for (const { chain, rpcFor } of indexed) {
				try {
					const known = named.get(chain.slug) ?? new Set();
					named.set(chain.slug, known);
					for (const { address } of await sampleStrangers(rpcFor("names"), venues, signal)) {
						if (known.size < STRANGERS_NAMED_MAX) known.add(address);
						const contract = known.has(address) ? address : "other";
						strangers.inc({ chain: chain.slug, contract });
					}
					samples.inc({ chain: chain.slug, outcome: "answered" });
				} catch (error) {
					if (signal.aborted) return;
					samples.inc({ chain: chain.slug, outcome: "failed" });
					log.debug("logs of other contracts were not sampled", { chain: chain.slug, error });
				}
			}
		},
	};
}

/** Reads the venues' topics of a few blocks below the head, whatever contract wrote them. */
async function sampleStrangers(
	rpc: Rpc,
	venues: readonly Venue[],
	signal: AbortSignal,
): Promise<RawLog[]> {
	const newest = { method: "eth_getBlockByNumber", params: ["latest", false] };
	const head = parseHead(await rpc.call(newest, { signal }));
	if (!head) throw scannerFault.inconsistent({ detail: "the node has no newest block" });
	const to = Math.max(0, head.number - STRANGER_SAMPLE_BELOW);
	const from = Math.max(0, to - STRANGER_SAMPLE_BLOCKS + 1);
	const topics = [[...new Set(venues.flatMap((venue) => venue.topics))]];
	const range = { fromBlock: hexQuantity(from), toBlock: hexQuantity(to) };
	const logs = await rpc.call(
		{ method: "eth_getLogs", params: [{ ...range, topics }] },
		{ signal, bodyBytesMax: LOG_ANSWER_BYTES_MAX },
	);
	return strangersIn(parseLogs(logs, { from, to }), venues);
}

/**
 * Returns the sales that are too dear for the marketplace's word alone: the log of a listing says
 * what was paid, and not that the token came.
 */
async function dearSales(
	readings: readonly { occurredAtMs: number; sales: readonly { sale: Sale }[] }[],
	areDear: AreDear,
): Promise<ReadonlySet<Sale>> {
	const sales = readings.flatMap(({ occurredAtMs, sales: read }) => {
		return read.flatMap(({ sale }) => (sale.accepted ? [{ sale, occurredAtMs }] : []));
	});
	if (sales.length === 0) return new Set();
	const priced = sales.map(({ sale, occurredAtMs }) => ({ ...sale, occurredAtMs }));
	const found = await areDear(priced);
	return new Set(sales.flatMap(({ sale }, index) => (found[index] ? [sale] : [])));
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
		reason: sale.reason ?? (sale.tips ? "other_currency_tip" : null),
	};
}

/**
 * Orders events: a venue may name its sales in any order, and one transaction may have several
 * venues.
 */
function byPosition(a: ChainEvent, b: ChainEvent): number {
	return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex;
}

function logsOf({ contracts, topics }: Venue, logs: readonly RawLog[]): RawLog[] {
	const own: RawLog[] = [];
	let [address, topic, isOwn] = ["", "", false];
	for (const log of logs) {
		const [event = ""] = log.topics;
		// Most logs of a transaction have the contract and kind of the one before.
		if (log.address !== address || event !== topic) {
			({ address } = log);
			topic = event;
			isOwn = contracts.includes(log.address) && topics.some((known) => known === event);
		}
		if (isOwn) own.push(log);
	}
	return own;
}

function readVenue(
	venue: Venue,
	own: readonly RawLog[],
	{ reading, taken }: { reading: TransactionReading; taken: Set<string> },
): void {
	const byIndex = new Map(own.map((log) => [Number(log.logIndex), log]));
	try {
		const { sales, undecoded } = venue.decode(own);
		for (const sale of sales) {
			const log = byIndex.get(sale.logIndex);
			const flaw = log ? flawOf(sale) : "is of no log";
			const identity = `${sale.logIndex} ${sale.subIndex}`;
			const problem = flaw ?? (taken.has(identity) ? "was read twice" : null);
			taken.add(identity);
			if (problem === null) reading.sales.push({ sale, venue });
			else pushProblem(reading, log ?? own[0], `a sale of venue ${venue.id} ${problem}`);
		}
		for (const { logIndex, problem } of undecoded) {
			pushProblem(reading, byIndex.get(logIndex) ?? own[0], problem);
		}
	} catch (error) {
		const problem = `venue ${venue.id} failed: ${String(error).slice(0, 200)}`;
		for (const log of own) pushProblem(reading, log, problem);
	}
}

/** Returns what makes a sale impossible to store or to count; null where it is sound. */
function flawOf(sale: Sale): string | null {
	const { contract, seller, buyer, currency, quantity, subIndex, tokenId, totalRaw } = sale;
	const areAddresses = ADDRESS.test(contract) && ADDRESS.test(seller) && ADDRESS.test(buyer);
	if (!areAddresses || (currency !== null && !ADDRESS.test(currency))) {
		return "has a malformed address";
	}
	if (!Number.isSafeInteger(subIndex) || subIndex < 0) return "has no place";
	if (tokenId < 0n || tokenId > UINT256_MAX) return "has a token id beyond 256 bits";
	if (quantity < 1n || quantity > UINT256_MAX) return "has a quantity beyond 256 bits";
	if (totalRaw !== null && (totalRaw < 0n || totalRaw > UINT256_MAX)) {
		return "has a price beyond 256 bits";
	}
	if ((totalRaw === null) !== (currency === null)) return "has half a price";
	return null;
}

function pushProblem(reading: TransactionReading, log: RawLog | undefined, problem: string): void {
	if (log) reading.undecoded.push({ log, logIndex: Number(log.logIndex), problem });
}
