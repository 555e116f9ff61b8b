import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { CURRENCIES_MAX } from "#plugins/tokenomics/buyback/limits.ts";
import { BURN_BUCKET } from "#plugins/tokenomics/buyback/readKeeper.ts";
import { refusal } from "#plugins/tokenomics/buyback/refusals.ts";
import type { LeftOver } from "#plugins/tokenomics/buyback/sizeRun.ts";
import { currencies } from "#plugins/tokenomics/sql/currencies.ts";
import { totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";

/**
 * Reads what revenue came in for burning in currencies that buybacks do not spend, by the ledger
 * alone: anybody may send the router any token, and none of those is asked anything.
 */
export async function readUnnamed(
	db: Queryable,
	asked: { chainId: number; router: Address; spent: readonly Address[] },
): Promise<LeftOver[]> {
	const { chainId, router, spent } = asked;
	const of = { chainId, contract: router };
	const revenue = await totals.oldest(db, of, {
		...{ kind: "revenue", limit: CURRENCIES_MAX + spent.length },
	});
	const others = revenue.flatMap(({ currency }) => (spent.includes(currency) ? [] : [currency]));
	if (others.length === 0) return [];
	const bucket = BURN_BUCKET;
	const keys = others.flatMap((currency) => [
		totalKey("earned", { currency, bucket }),
		totalKey("share_paid", { currency, bucket }),
	]);
	const [rows, known] = await Promise.all([
		totals.ofKeys(db, of, keys),
		currencies.among(db, chainId, others),
	]);
	const amountOf = (kind: string, currency: Address) =>
		rows.find((row) => row.kind === kind && row.currency === currency)?.amount ?? 0n;
	return others.slice(0, CURRENCIES_MAX).flatMap((currency) => {
		const raw = amountOf("earned", currency) - amountOf("share_paid", currency);
		const symbol = known.find(({ address }) => address === currency)?.symbol ?? "token";
		return raw > 0n ? [{ currency, symbol, raw, refusal: refusal("currency_not_named") }] : [];
	});
}
