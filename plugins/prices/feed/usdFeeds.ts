import { z } from "zod";
import { DECIMALS_MAX } from "#core/money/limits.ts";
import {
	FEEDS_MAX,
	HEARTBEAT_SECONDS_DEFAULT,
	HEARTBEAT_SECONDS_MAX,
} from "#plugins/prices/limits.ts";

const address = z
	.string()
	.regex(/^0x[0-9a-fA-F]{40}$/, "an address is 0x and 40 hex digits")
	.transform((text) => text.toLowerCase())
	.pipe(z.templateLiteral(["0x", z.string()]));

const chainId = z.string().regex(/^[1-9][0-9]{0,15}$/, "a chain is named by its decimal id");

const feed = z.strictObject({
	feed: address,
	heartbeatSeconds: z
		.number()
		.int()
		.min(1)
		.max(HEARTBEAT_SECONDS_MAX)
		.default(HEARTBEAT_SECONDS_DEFAULT),
	feedChain: z.number().int().positive().optional(),
	decimals: z.number().int().min(0).max(DECIMALS_MAX).optional(),
	symbol: z.string().trim().min(1).max(32).optional(),
});

/**
 * The shape of `USD_FEEDS_JSON`: by chain id, then by token (the zero address is the chain's coin).
 *
 * @example {"1":{"0x0000000000000000000000000000000000000000":{"feed":"0x5f4e…","heartbeatSeconds":3600}}}
 */
export const usdFeeds = z.record(chainId, z.record(address, feed)).refine(
	(chains) => {
		const counts = Object.values(chains).map((tokens) => Object.keys(tokens).length);
		return counts.reduce((sum, count) => sum + count, 0) <= FEEDS_MAX;
	},
	{ message: `at most ${FEEDS_MAX} feeds` },
);

export type UsdFeeds = z.output<typeof usdFeeds>;
