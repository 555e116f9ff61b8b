import type { Queryable } from "#core/db/Database.ts";
import { editDistance } from "#core/text/editDistance.ts";
import { ASSETS_MAX } from "#plugins/trading/registry/limits.ts";
import { isTicker, skeletonOf } from "#plugins/trading/registry/symbols.ts";
import { assetRows } from "#plugins/trading/sql/assetRows.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** What the unknown name stands for in a trade. */
export type NamedAs = "bought" | "sold" | "settlement";

/** A shorter name is near to too many. */
const NEAR_LETTERS_MIN = 3;

/**
 * Denies a trade of something that the registry does not have, and says what may be meant: a ticker
 * that is near, what trades are settled in, or how an NFT is bought.
 */
export async function unknownAsset(
	{ db, chainId }: { db: Queryable; chainId: number },
	{ text, as }: { text: string; as: NamedAs },
): Promise<Denial> {
	const near = nearestTicker(text, await assetRows.tickers(db, chainId, ASSETS_MAX));
	return { code: "asset_not_registered", detail: `${absence(text, as)} ${advice(as, near)}` };
}

function absence(text: string, as: NamedAs): string {
	if (as === "settlement") return `Nothing is settled in "${text}" here.`;
	return `No stock token here is called "${text}".`;
}

function advice(as: NamedAs, near: string | null): string {
	if (as === "settlement") return "Name ETH, WETH or USDG.";
	if (near !== null) return `The nearest ticker is ${near}.`;
	if (as === "sold") return "Each token is in GET /v1/stock-tokens.";
	return "For an NFT: buy <collection> #<id> for at most <amount> eth.";
}

/**
 * Returns the one ticker that looks like this text or differs in one letter; null for none, or for
 * several.
 */
function nearestTicker(text: string, tickers: readonly string[]): string | null {
	const name = text.trim().replace(/^\$/, "").toUpperCase();
	if (!isTicker(name) || name.length < NEAR_LETTERS_MIN) return null;
	const near = tickers.filter((ticker) => {
		return skeletonOf(ticker) === skeletonOf(name) || editDistance(name, ticker) === 1;
	});
	return near.length === 1 ? (near[0] ?? null) : null;
}
