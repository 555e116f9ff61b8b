// Reads a chain's logs in pages of blocks, so far at once, and says where to go on.

import { z } from "zod";
import { type Address, type Hex, hexQuantity } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";

export type Read = (
	method: string,
	params: readonly unknown[],
	signal: AbortSignal,
) => Promise<unknown>;

export type Log = z.output<typeof logSchema>;

type Asked = {
	address: Address;
	topics: readonly (Hex | readonly Hex[] | null)[];
	fromBlock: bigint;
	/** The newest block that is read. */
	toBlock: bigint;
	signal: AbortSignal;
};

/** What was read; `readTo` is the newest block of it, below `fromBlock` where nothing was. */
export type LogPages = { logs: readonly Log[]; readTo: bigint };

/** Most public nodes answer so many blocks; one that wants fewer gets fewer. */
const BLOCKS_PER_PAGE = 2_000n;
const BLOCKS_PER_PAGE_MIN = 125n;
const FEWER = 4n;
/** The most pages of one look: what is left is read by the next. */
const PAGES_MAX = 10;
const LOGS_MAX = 2_000;

const isHex = (text: string): text is Hex => /^0x[0-9a-fA-F]*$/.test(text);
const hex = z.string().refine(isHex);
export const logSchema = z.object({
	...{ address: anyCaseAddressSchema, transactionHash: anyCaseWordSchema },
	...{ topics: z.array(hex).max(4), data: hex },
});
const logsSchema = z.array(logSchema).max(LOGS_MAX);

/**
 * Reads logs from a block on, page by page, up to a newest block or to what one look may ask. A
 * page that a node refuses is asked for in smaller ones. What was read until a node fails counts;
 * throws where that is nothing.
 */
export async function readLogPages(read: Read, asked: Asked): Promise<LogPages> {
	const { address, topics, fromBlock, toBlock, signal } = asked;
	const logs: Log[] = [];
	let [next, blocks] = [fromBlock, BLOCKS_PER_PAGE];
	for (let pages = 0; pages < PAGES_MAX && next <= toBlock; ) {
		const last = next + blocks - 1n < toBlock ? next + blocks - 1n : toBlock;
		const range = { fromBlock: hexQuantity(next), toBlock: hexQuantity(last) };
		try {
			const told = await read("eth_getLogs", [{ address, topics, ...range }], signal);
			logs.push(...logsSchema.parse(told).filter((log) => log.address === address));
			next = last + 1n;
			pages++;
		} catch (error) {
			if (blocks / FEWER >= BLOCKS_PER_PAGE_MIN && !signal.aborted) blocks /= FEWER;
			else if (next > fromBlock) break;
			else throw error;
		}
	}
	return { logs, readTo: next - 1n };
}
