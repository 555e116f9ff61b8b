import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

const hex = (pattern: RegExp) =>
	z
		.string()
		.regex(pattern)
		.transform((text) => text.toLowerCase() as Hex);

const logSchema = z.object({
	address: hex(/^0x[0-9a-f]{40}$/i),
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

/** A group may be a list of logs, or an object that holds one, as receipts and fixtures do. */
const groupSchema = z.union([
	z.array(logSchema),
	z.object({ logs: z.array(logSchema) }).transform(({ logs }) => logs),
]);

const NO_HASH: Hex = `0x${"0".repeat(64)}`;

/**
 * Reads a file of logs into transactions: a list of logs, a list of groups of them, or an object
 * with `logs` or `groups`. Logs with a hash belong to that transaction; the others of a group
 * stand for one transaction together, in the order of the file.
 */
export function parseLogFile(text: string): RawLog[][] {
	return groupsOf(parseJson(text)).flatMap((group, index) =>
		transactionsOf(parseGroup(group, index)),
	);
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw scannerFault.logFile({ public: `The file is not JSON: ${String(cause)}`, cause });
	}
}

function groupsOf(value: unknown): unknown[] {
	if (!Array.isArray(value)) {
		const holdsGroups = typeof value === "object" && value !== null && "groups" in value;
		return holdsGroups && Array.isArray(value.groups) ? groupsOf(value.groups) : [value];
	}
	const isLog = (item: unknown) => typeof item === "object" && item !== null && "topics" in item;
	return value.length > 0 && value.every(isLog) ? [value] : value;
}

function parseGroup(group: unknown, index: number): FileLog[] {
	const parsed = groupSchema.safeParse(group);
	if (parsed.success) return parsed.data;
	const lines = z.prettifyError(parsed.error);
	throw scannerFault.logFile({ public: `Group ${index} is not a list of logs:\n${lines}` });
}

function transactionsOf(logs: readonly FileLog[]): RawLog[][] {
	const numbered = areNumbered(logs);
	const transactions = new Map<Hex, RawLog[]>();
	for (const [position, log] of logs.entries()) {
		const hash = log.transactionHash ?? NO_HASH;
		const list = transactions.get(hash) ?? [];
		transactions.set(hash, list);
		list.push({
			address: log.address,
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

/** Whether the logs' own numbers tell them apart; else their order in the file does. */
function areNumbered(logs: readonly FileLog[]): boolean {
	const places = new Set(logs.map((log) => `${log.transactionHash} ${log.logIndex}`));
	const all = logs.every(({ logIndex }) => logIndex !== undefined && logIndex !== null);
	return all && places.size === logs.length;
}
