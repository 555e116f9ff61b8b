// Finds a block by its time, and asks a second endpoint whether it is that old.

import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { hexQuantity } from "#core/chain/Hex.ts";
import { readAnswer, readableBy } from "#core/chain/reads/readBlocks.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	type Asking,
	askBeside,
	askBriefly,
	askHeard,
	type Others,
} from "#plugins/wallets/chain/secondOpinion.ts";

type Asked = { atMs: number; signal: AbortSignal; others?: Others };

/** Where the chain's own clock says nothing, so many blocks before its head. */
const BLOCKS_BEFORE_HEAD = 256;

const { blockNumber, seconds } = chainNumbers;
const blockTime = z.object({ number: blockNumber, timestamp: seconds });

/**
 * Finds the newest block that is not younger than a time by steps back from the head that double,
 * and then by halving; 0 where the chain is younger. Some forty small calls at most. A second
 * endpoint has to say so too: one that makes a block older would hide what was sent before it.
 * Where it says another thing, the older of both counts.
 *
 * Where no block came since then, or the chain's clock is wrong, it is some blocks before the head.
 */
export async function readBlockBefore(rpc: Rpc, asked: Asked): Promise<number> {
	const { signal, others = { areSilent: false } } = asked;
	const heard = new Set<string>();
	const low = await findBlockBefore(askHeard(rpc, heard), asked);
	if (low === 0) return low;
	const named = new Set<string>();
	const second = askBeside(rpc, heard, named);
	const again = await askBriefly({ others, signal }, (brief) =>
		readTime(second, hexQuantity(low), { ...asked, signal: brief }),
	);
	if (again?.isOld !== false) return low;
	rpc.distrust("disagreement", new Set([...heard, ...named]));
	return Math.min(low, await findBlockBefore(second, asked));
}

async function findBlockBefore(rpc: Asking, asked: Asked): Promise<number> {
	const head = await readTime(rpc, "latest", asked);
	if (head.isOld) return Math.max(0, head.number - BLOCKS_BEFORE_HEAD);
	let [low, high] = [head.number, head.number];
	for (let step = 1; low > 0; step *= 2) {
		low = Math.max(0, low - step);
		if ((await readTime(rpc, hexQuantity(low), asked)).isOld) break;
		high = low;
	}
	while (high - low > 1) {
		const middle = low + Math.floor((high - low) / 2);
		if ((await readTime(rpc, hexQuantity(middle), asked)).isOld) low = middle;
		else high = middle;
	}
	return low;
}

async function readTime(
	rpc: Asking,
	at: string,
	{ atMs, signal }: Asked,
): Promise<{ number: number; isOld: boolean }> {
	const call = { method: "eth_getBlockByNumber", params: [at, false] };
	const answer = await rpc.call(call, { signal, isReadable: readableBy([blockTime]) });
	const { number, timestamp } = readAnswer(blockTime, answer);
	return { number, isOld: timestamp * 1_000 <= atMs };
}
