import { z } from "zod";
import { amountText, type QuotedSwap } from "#plugins/trading/swap/planSwap.ts";
import type { SwapRequest } from "#plugins/trading/swap/tradeRequest.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

const shown = z.object({
	buy: z.string(),
	exact: z.enum(["in", "out"]),
	leastRaw: z.string().regex(/^\d+$/),
});

/**
 * Returns what the owner must know about a swap before they agree; later plans are compared with
 * it.
 */
export function shownSwap(
	request: SwapRequest,
	{ quoted, leastRaw, mostRaw }: { quoted: QuotedSwap; leastRaw: bigint; mostRaw: bigint },
): Plan["shown"] & { summary: string } {
	const { sell, buy, exact, side } = request;
	const expected = { in: BigInt(quoted.inRaw), out: BigInt(quoted.outRaw) };
	const most = `${exact === "out" ? "at most " : ""}${amountText(mostRaw, sell)}`;
	const least = `${exact === "in" ? "at least " : ""}${amountText(leastRaw, buy)}`;
	const about =
		exact === "in"
			? `about ${amountText(expected.out, buy)} expected`
			: `about ${amountText(expected.in, sell)} expected`;
	return {
		action: side,
		summary: `Swaps ${most} for ${least} (${about}) through Uniswap V3.`,
		...{ sell: sell.address, buy: buy.address, exact },
		...{ leastRaw: String(leastRaw), mostRaw: String(mostRaw) },
		expectedRaw: String(exact === "in" ? expected.out : expected.in),
		route: quoted.hops.map(({ pool, tokenIn, tokenOut, fee }) => ({
			pool,
			tokenIn,
			tokenOut,
			fee,
		})),
		quote: {
			...{ source: quoted.source, blockNumber: quoted.blockNumber },
			...{ impactBps: quoted.impactBps, divergenceBps: quoted.divergenceBps },
			...{ missing: quoted.missing, at: new Date(quoted.askedAtMs).toISOString() },
		},
	};
}

/** Returns the part of a plan that a new plan is compared with; null for plans of other kinds. */
export function readShownSwap(of: Plan["shown"]): z.output<typeof shown> | null {
	return shown.safeParse(of).data ?? null;
}
