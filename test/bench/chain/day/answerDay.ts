import type { Hex } from "#core/chain/Hex.ts";
import type { DayChain } from "#test/bench/chain/day/DayChain.ts";
import {
	blockHashOf,
	placeOf,
	renderDayHeader,
	renderDayLogs,
	renderDayTransaction,
} from "#test/bench/chain/day/renderDayBlock.ts";
import { fitsQuery, type LogQuery } from "#test/sim/node/fitsQuery.ts";
import type { SentLog } from "#test/sim/node/renderBlock.ts";

export type DayNode = { chain: DayChain; head: number };
export type DayCall = { id: unknown; method: string; params?: readonly unknown[] };

const CHAIN_ID: Hex = "0x7a69";
/** `name()` of every contract: one word of text, as Solidity encodes it. */
const NAME = `0x${"20".padStart(64, "0")}${"3".padStart(64, "0")}${"446179".padEnd(64, "0")}`;
const TRUE = `0x${"1".padStart(64, "0")}`;

/** Answers one call as JSON: the whole response, with its id. */
export function answerDay(node: DayNode, { id, method, params = [] }: DayCall): string {
	const result = resultOf(node, method, params);
	const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},`;
	if (result !== null) return `${head}"result":${result}}`;
	return `${head}"error":{"code":-32601,"message":"${method} is not available"}}`;
}

/** Returns the result as JSON; null for an unknown method. */
function resultOf(node: DayNode, method: string, params: readonly unknown[]): string | null {
	const { chain, head } = node;
	const [first, second] = params;
	switch (method) {
		case "eth_chainId":
			return `"${CHAIN_ID}"`;
		case "eth_blockNumber":
			return `"0x${head.toString(16)}"`;
		case "eth_getBlockByNumber":
		case "eth_getBlockByHash": {
			const number = numberOf(node, first);
			return number === null ? "null" : renderDayHeader(chain, number, second === true);
		}
		case "eth_getTransactionByHash": {
			const place = placeOf(first);
			const isKnown = place !== null && place.block <= head;
			return JSON.stringify(isKnown ? renderDayTransaction(chain, place) : null);
		}
		case "eth_getLogs":
			return JSON.stringify(logsOf(node, first as LogQuery));
		case "eth_call":
			return callOf(first as { data?: string; input?: string });
		case "eth_getCode":
			return '"0x60"';
		default:
			return null;
	}
}

function callOf({ data, input }: { data?: string; input?: string }): string {
	const selector = (data ?? input ?? "").slice(0, 10);
	return selector === "0x06fdde03" || selector === "0x95d89b41" ? `"${NAME}"` : `"${TRUE}"`;
}

function numberOf({ head }: DayNode, asked: unknown): number | null {
	if (asked === "latest") return head;
	if (typeof asked !== "string") return 0;
	const isHash = asked.length === 66;
	const number = Number(isHash ? `0x${asked.slice(6)}` : asked);
	if (isHash && blockHashOf(number) !== asked) return null;
	return number >= 0 && number <= head ? number : null;
}

function logsOf(node: DayNode, query: LogQuery): SentLog[] {
	const at = query.blockHash === undefined ? null : numberOf(node, query.blockHash);
	const from = at ?? Number(query.fromBlock ?? 0);
	const to = Math.min(at ?? Number(query.toBlock ?? node.head), node.head);
	const logs: SentLog[] = [];
	for (let number = Math.max(from, 1); number <= to; number++) {
		for (const log of renderDayLogs(node.chain, number)) if (fitsQuery(log, query)) logs.push(log);
	}
	return logs;
}
