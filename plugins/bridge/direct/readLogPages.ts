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
	/** From the newest block down: what is left over are the oldest ones. */
	isNewestFirst?: boolean;
	signal: AbortSignal;
};

/**
 * What was read; `readTo` is the newest block of it, below `fromBlock` where nothing was. From the
 * newest down it is the oldest of it, above `toBlock` where nothing was.
 */
export type LogPages = { logs: readonly Log[]; readTo: bigint };

/**
 * The blocks of a page at first: most public nodes answer this many; for others it is reduced, down
 * to one.
 */
const BLOCKS_PER_PAGE = 2_000n;
const FEWER = 4n;
/** Limits the pages of one lookup: the rest is read by the next one. */
const PAGES_MAX = 10;
/** The same where they are as small as this, so that a look keeps up with a fast chain. */
const SMALL_PAGES_MAX = 60;
const SMALL_PAGE = 125n;
const LOGS_MAX = 2_000;

const isHex = (text: string): text is Hex => /^0x[0-9a-fA-F]*$/.test(text);
const hex = z.string().refine(isHex);
export const logSchema = z.object({
	...{ address: anyCaseAddressSchema, transactionHash: anyCaseWordSchema },
	...{ topics: z.array(hex).max(4), data: hex },
});
const logsSchema = z.array(logSchema).max(LOGS_MAX);

/**
 * Reads logs from a block on, page by page, up to a newest block or the limit of one lookup. A page
 * that a node refuses is asked for in smaller ones. If a node fails later, the pages before count;
 * throws where there are none.
 */
export async function readLogPages(read: Read, asked: Asked): Promise<LogPages> {
	const { address, topics, fromBlock, toBlock, isNewestFirst = false, signal } = asked;
	const logs: Log[] = [];
	const wanted = toBlock - fromBlock + 1n;
	let [done, blocks] = [0n, BLOCKS_PER_PAGE];
	const pagesMax = () => (blocks < SMALL_PAGE ? SMALL_PAGES_MAX : PAGES_MAX);
	for (let pages = 0; pages < pagesMax() && done < wanted; ) {
		const count = blocks < wanted - done ? blocks : wanted - done;
		const first = isNewestFirst ? toBlock - done - count + 1n : fromBlock + done;
		const range = { fromBlock: hexQuantity(first), toBlock: hexQuantity(first + count - 1n) };
		try {
			const told = await read("eth_getLogs", [{ address, topics, ...range }], signal);
			logs.push(...logsSchema.parse(told).filter((log) => log.address === address));
			done += count;
			pages++;
		} catch (error) {
			// Also a page with too many logs is a smaller one.
			if (blocks > 1n && !signal.aborted) blocks = blocks / FEWER || 1n;
			else if (done > 0n) break;
			else throw error;
		}
	}
	return { logs, readTo: isNewestFirst ? toBlock - done + 1n : fromBlock + done - 1n };
}
