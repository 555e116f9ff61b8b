import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const WORD = /^0x[0-9a-f]{64}$/i;
const QUANTITY = /^0x[0-9a-f]{1,13}$/i;
const TOPICS_MAX = 4;
/** The last second that PostgreSQL and JavaScript both can name without trouble: year 9999. */
const TIMESTAMP_MAX = 253_402_300_799;

/**
 * Checks an `eth_getLogs` answer, log by log, and puts it in chain order.
 *
 * Written out by hand: a schema library takes longer for ten thousand logs than fetching them.
 * Logs that a reorg took back (`removed`) are left out.
 */
export function parseLogs(answer: unknown, range: { from: number; to: number }): RawLog[] {
	if (!Array.isArray(answer)) throw scannerFault.inconsistent({ detail: "logs are not a list" });
	const logs: RawLog[] = [];
	for (const value of answer) {
		const log = parseLog(value);
		const block = Number(log.blockNumber);
		if (!(block >= range.from && block <= range.to)) {
			const detail = `a log of block ${log.blockNumber} in ${range.from}..${range.to}`;
			throw scannerFault.inconsistent({ detail });
		}
		if (log.removed !== true) logs.push(log);
	}
	return logs.sort(byPosition);
}

function byPosition(a: RawLog, b: RawLog): number {
	return Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);
}

function parseLog(value: unknown): RawLog {
	if (!isRecord(value)) throw scannerFault.inconsistent({ detail: "a log is not an object" });
	const { address, topics, data } = value;
	if (!Array.isArray(topics) || topics.length > TOPICS_MAX) throw bad("topics");
	return {
		address: hexOf(address, "address", ADDRESS),
		topics: topics.map((topic) => hexOf(topic, "topic", WORD)),
		data: dataOf(data),
		blockNumber: quantityOf(value["blockNumber"], "blockNumber"),
		blockHash: hexOf(value["blockHash"], "blockHash", WORD),
		transactionHash: hexOf(value["transactionHash"], "transactionHash", WORD),
		transactionIndex: quantityOf(value["transactionIndex"], "transactionIndex"),
		logIndex: quantityOf(value["logIndex"], "logIndex"),
		blockTimestamp: timestampOf(value["blockTimestamp"]),
		removed: value["removed"] === true,
	};
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}

function isHex(value: unknown): value is Hex {
	return typeof value === "string" && value.startsWith("0x");
}

function hexOf(value: unknown, field: string, pattern: RegExp): Hex {
	if (!isHex(value) || !pattern.test(value)) throw bad(field);
	return lowerCase(value);
}

function dataOf(value: unknown): Hex {
	if (!isHex(value) || value.length % 2 !== 0) throw bad("data");
	return lowerCase(value);
}

function quantityOf(value: unknown, field: string): Hex {
	if (!isHex(value) || !QUANTITY.test(value)) throw bad(field);
	return value;
}

/** Some nodes send none, and some send 0 where they do not know: then the header is asked. */
function timestampOf(value: unknown): Hex | undefined {
	if (!isHex(value) || !QUANTITY.test(value)) return undefined;
	const seconds = Number(value);
	return seconds > 0 && seconds <= TIMESTAMP_MAX ? value : undefined;
}

function lowerCase(value: Hex): Hex {
	return value.toLowerCase() as Hex;
}

function bad(field: string) {
	return scannerFault.inconsistent({ detail: `a log's ${field} is malformed` });
}
