// Runs `svc decode`: reads a file of logs, and prints the sales that they mean.

import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Address, type Hex, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { CliCommand } from "#core/plugin/Plugin.ts";
import {
	type Sale,
	type UndecodedLog,
	type Venue,
	VenuePoint,
} from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { proveSales, tokenMoves } from "#plugins/chain-scanner/sale/proveSales.ts";
import { readTransaction, strangersIn } from "#plugins/chain-scanner/sale/saleSource.ts";

export type DecodedLogs = {
	sales: { sale: Sale; venue: Venue }[];
	undecoded: UndecodedLog[];
	/**
	 * Logs that were read, but may mean something else together with logs that are not in the file.
	 */
	doubts: UndecodedLog[];
	/** Logs of a venue's kind by a contract that no venue names: nobody can say what they mean. */
	strangers: UndecodedLog[];
};

/** Holds one group of the file: its transactions, or what is wrong with it. */
export type LogGroup =
	| {
			kind: "read";
			transactions: RawLog[][];
			/** True: the file says that it is a receipt, so it has all logs of the transaction. */
			isReceipt: boolean;
	  }
	| { kind: "malformed"; problem: string };

export type LogFileOptions = {
	/** Returns the assumed emitter of a log without an address, by its first topic. */
	emitterOf(topic: Hex | undefined): Address | undefined;
};

/** The caller of a match who has an order of their own appears to trade with themselves. */
const MIRROR = "trades with its own offerer: the order that it was matched with may be missing";

const hex = (pattern: RegExp) =>
	z
		.string()
		.regex(pattern)
		.transform((text) => text.toLowerCase() as Hex);

const logSchema = z.object({
	// Some fixtures do not name a log's emitter: the venue is then known by its topic alone.
	address: hex(/^0x[0-9a-f]{40}$/i).nullish(),
	topics: z.array(hex(/^0x[0-9a-f]{64}$/i)).max(4),
	data: hex(/^0x([0-9a-f]{2})*$/i),
	transactionHash: hex(/^0x[0-9a-f]{64}$/i).nullish(),
	logIndex: z
		.union([
			z.int().min(0),
			z
				.string()
				.regex(/^(0x[0-9a-f]{1,8}|\d{1,9})$/i)
				.transform(Number),
		])
		.nullish(),
});

type FileLog = z.output<typeof logSchema>;

const groupSchema = z.array(logSchema);

const NO_HASH: Hex = `0x${"0".repeat(64)}`;

/** Reads logs from a file by hand: shows the sales that the sale lane would find. */
export const decodeCommand: CliCommand = {
	name: "decode",
	usage: "decode <file.json>",
	summary: "print the sales that the logs of a file mean, one JSON line each",
	async run([path], { contributions, out, note }) {
		if (path === undefined) {
			throw scannerFault.logFile({ public: "decode needs a file: bun run svc decode <file.json>" });
		}
		const text = await readFile(path, "utf8").catch((cause) => {
			throw scannerFault.logFile({ public: `${path} cannot be read: ${cause.message}`, cause });
		});
		const venues = contributions(VenuePoint);
		let failures = 0;
		for (const group of parseLogFile(text, { emitterOf: (topic) => emitterOf(venues, topic) })) {
			if (group.kind === "malformed") {
				note(group.problem);
				failures++;
				continue;
			}
			for (const logs of group.transactions) {
				const { sales, undecoded, doubts, strangers } = decodeLogs(logs, venues, group);
				for (const { sale, venue } of sales) out(JSON.stringify(describeSale(sale, venue)));
				for (const { logIndex, problem } of [...undecoded, ...doubts, ...strangers]) {
					note(`log ${logIndex}: ${problem}`);
				}
				failures += undecoded.length;
			}
		}
		return failures > 0 ? 1 : 0;
	},
};

/**
 * Reads the sales of one transaction of a file, and names what is missing.
 *
 * A file may contain a whole receipt, or selected logs. With any log of another contract it is read
 * as a receipt, and its tokens' logs decide; without one, and where the file does not say that it
 * is a receipt, it is not known what moved.
 */
export function decodeLogs(
	logs: readonly RawLog[],
	venues: readonly Venue[],
	{ isReceipt = false }: { isReceipt?: boolean } = {},
): DecodedLogs {
	const unknown = strangersIn(logs, venues);
	const strangers = unknown.map(({ address, topics: [event = ""], logIndex }) => {
		const problem = `has a venue's topic, ${event.slice(0, 10)}, and is of no known contract: ${address}`;
		return { logIndex: Number(logIndex), problem };
	});
	// A log of a venue's kind says nothing of whether the tokens' logs are in the file as well.
	const isOfOthers = logs.some((log) => {
		return !unknown.includes(log) && !venues.some((one) => one.contracts.includes(log.address));
	});
	const { sales, undecoded } = readTransaction(logs, venues);
	if (isReceipt || isOfOthers) {
		return { sales: proveSales(sales, tokenMoves(logs)), undecoded, doubts: [], strangers };
	}
	const proven = proveSales(sales, null);
	const mirrors = proven.filter(({ sale }) => sale.reason === "self_trade");
	const places = new Set(mirrors.map(({ sale }) => sale.logIndex));
	const doubts = [...places].map((logIndex) => ({ logIndex, problem: MIRROR }));
	return { sales: proven, undecoded, doubts, strangers };
}

/**
 * Returns a sale as `svc decode` prints it. `priceRaw` is for one unit, as an event's price is;
 * amounts are decimal strings, and `currency` is the zero address for the chain's native currency.
 * `tips`, where there are any, are payments in other currencies that are not in the price.
 */
export function describeSale(sale: Sale, venue: Pick<Venue, "id">) {
	const { totalRaw, quantity, tips } = sale;
	return {
		venue: venue.id,
		contract: sale.contract,
		tokenId: sale.tokenId.toString(),
		quantity: quantity.toString(),
		priceRaw: totalRaw === null ? null : (totalRaw / quantity).toString(),
		currency: sale.currency,
		seller: sale.seller,
		buyer: sale.buyer,
		accepted: sale.accepted,
		reason: sale.reason,
		...(tips && { tips: tips.map(({ currency, raw }) => ({ currency, raw: raw.toString() })) }),
	};
}

/**
 * Reads a file of logs into groups of transactions: a list of logs, a list of groups of them, or an
 * object with `logs`, or with `groups` or `transactions` of them. Logs with a hash belong to that
 * transaction; the others of a group make one together, in the order of the file.
 */
export function parseLogFile(text: string, options: LogFileOptions): LogGroup[] {
	return groupsOf(parseJson(text)).map((group, index) => {
		const parsed = groupSchema.safeParse(logsIn(group));
		if (parsed.success) {
			const transactions = transactionsOf(parsed.data, options);
			return { kind: "read", transactions, isReceipt: isReceipt(group) };
		}
		const lines = z.prettifyError(parsed.error);
		return { kind: "malformed", problem: `group ${index} is not a list of logs:\n${lines}` };
	});
}

/** Says whether a group is a receipt, by a member that only receipts have. */
function isReceipt(group: unknown): boolean {
	if (typeof group !== "object" || group === null) return false;
	return "cumulativeGasUsed" in group || ("result" in group && isReceipt(group.result));
}

function groupsOf(value: unknown): unknown[] {
	if (!Array.isArray(value)) {
		const groups = heldGroups(value);
		return Array.isArray(groups) ? groupsOf(groups) : [value];
	}
	const isLog = (item: unknown) => typeof item === "object" && item !== null && "topics" in item;
	return value.length > 0 && value.every(isLog) ? [value] : value;
}

function heldGroups(value: unknown): unknown {
	if (typeof value !== "object" || value === null) return undefined;
	if ("groups" in value) return value.groups;
	return "transactions" in value ? value.transactions : undefined;
}

function parseJson(text: string): unknown {
	try {
		// Editors put a byte order mark first, which is no JSON.
		return JSON.parse(text.replace(/^\uFEFF/, ""));
	} catch (cause) {
		throw scannerFault.logFile({ public: `The file is not JSON: ${String(cause)}`, cause });
	}
}

/**
 * Returns the logs of a group: a list of logs, or an object that contains one, as receipts and
 * fixtures do.
 */
function logsIn(group: unknown): unknown {
	if (typeof group !== "object" || group === null) return group;
	// `result` is a node's answer: to `eth_getLogs` a list, about a receipt an object.
	return "logs" in group ? group.logs : "result" in group ? logsIn(group.result) : group;
}

function transactionsOf(logs: readonly FileLog[], options: LogFileOptions): RawLog[][] {
	const numbered = areNumbered(logs);
	const transactions = new Map<Hex, RawLog[]>();
	for (const [position, log] of logs.entries()) {
		const hash = log.transactionHash ?? NO_HASH;
		const list = transactions.get(hash) ?? [];
		transactions.set(hash, list);
		list.push({
			address: log.address ?? options.emitterOf(log.topics[0]) ?? ZERO_ADDRESS,
			topics: log.topics,
			data: log.data,
			blockNumber: "0x0",
			blockHash: NO_HASH,
			transactionHash: hash,
			transactionIndex: "0x0",
			logIndex: `0x${(numbered ? (log.logIndex ?? position) : position).toString(16)}`,
		});
	}
	const byIndex = (a: RawLog, b: RawLog) => Number(a.logIndex) - Number(b.logIndex);
	return [...transactions.values()].map((list) => list.sort(byIndex));
}

/** Returns whether the logs' own numbers are distinct; else their order in the file is used. */
function areNumbered(logs: readonly FileLog[]): boolean {
	const places = new Set(logs.map((log) => `${log.transactionHash} ${log.logIndex}`));
	const all = logs.every(({ logIndex }) => logIndex !== undefined && logIndex !== null);
	return all && places.size === logs.length;
}

/** Returns the newest contract of the venue that emits such logs. */
function emitterOf(venues: readonly Venue[], topic: Hex | undefined): Address | undefined {
	const venue = venues.find(({ topics }) => topic !== undefined && topics.includes(topic));
	return venue?.contracts.at(-1);
}
