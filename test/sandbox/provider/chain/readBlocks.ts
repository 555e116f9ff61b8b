import { type Hex, isHex, toEventSelector, toHex } from "viem";
import { z } from "zod";
import type { Rpc } from "../../Rpc.ts";
import type { ChainBlock } from "./ChainBlock.ts";
import { logAbi } from "./logAbi.ts";
import { readLog, TRANSFER_TOPIC } from "./readLog.ts";

const hex = z.custom<Hex>((value) => isHex(value));
const Header = z.object({ number: hex, hash: hex, parentHash: hex, timestamp: hex });
const Logs = z.array(
	z.object({
		address: hex,
		topics: z.array(hex),
		data: hex,
		blockHash: hex,
		transactionHash: hex,
		logIndex: hex,
	}),
);
const TOPICS = [
	TRANSFER_TOPIC,
	...logAbi.flatMap((item) => (item.type === "event" ? [toEventSelector(item)] : [])),
];

/** Reads blocks with their market logs, oldest first; the caller must bound `range`. */
export async function readBlocks(
	rpc: Rpc,
	range: { from: number; to: number },
): Promise<ChainBlock[]> {
	const filter = { fromBlock: toHex(range.from), toBlock: toHex(range.to), topics: [TOPICS] };
	const calls = Array.from({ length: range.to - range.from + 1 }, (_, n) => ({
		method: "eth_getBlockByNumber",
		params: [toHex(range.from + n), false],
	}));
	const headers = await rpc.batch(calls);
	const logs = Logs.parse(await rpc.call("eth_getLogs", [filter]));
	const byBlock = Map.groupBy(logs, (log) => log.blockHash);
	// A block that was replaced between the two answers has no logs under its old hash; the next
	// round sees that its child does not fit, and starts again.
	return headers.map((answer) => {
		const header = Header.parse(answer);
		const own = byBlock.get(header.hash) ?? [];
		own.sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
		const byTx = Map.groupBy(own, (log) => log.transactionHash);
		return {
			number: Number(header.number),
			hash: header.hash,
			parentHash: header.parentHash,
			timeS: Number(header.timestamp),
			transactions: [...byTx].map(([hash, mine]) => ({ hash, logs: mine.flatMap(readLog) })),
		};
	});
}
