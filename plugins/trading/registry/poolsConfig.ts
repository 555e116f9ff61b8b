import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";

/** The most pools that can be configured. */
export const POOLS_MAX = 256;
/** A pool's fee is below 100 %, in hundredths of a bip. */
const FEE_MAX = 999_999;

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
export const address = z
	.string()
	.transform((text) => text.toLowerCase())
	.refine(isAddress, "an address is 0x and 40 hex digits");

const pool = z
	.strictObject({
		address,
		tokens: z.tuple([address, address]),
		fee: z.int().min(1).max(FEE_MAX),
	})
	.refine(({ tokens: [one, other] }) => one !== other, "a pool has two tokens");

/**
 * The shape of `TRADE_POOLS_JSON`: Uniswap V3 pools, which have no hooks. The fee is in hundredths
 * of a bip, as the pool has it.
 *
 * @example [{"address":"0x…","tokens":["0x…","0x…"],"fee":3000}]
 */
export const poolsConfig = z.array(pool).max(POOLS_MAX);

export type PoolsConfig = z.output<typeof poolsConfig>;

/** The shape of `STOCK_FEEDS_JSON`: price feeds by token. */
export const feedsConfig = z
	.record(address, address)
	.refine((feeds) => Object.keys(feeds).length <= POOLS_MAX, `at most ${POOLS_MAX} feeds`);
