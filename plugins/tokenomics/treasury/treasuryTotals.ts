import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { field } from "#core/http/openapi/field.ts";
import { decimalString } from "#core/money/decimalString.ts";
import { shownRevenue } from "#plugins/tokenomics/ledger/shownRevenue.ts";
import { SHOWN_CURRENCIES as limit } from "#plugins/tokenomics/limits.ts";
import type { Contracts } from "#plugins/tokenomics/manifest/createContracts.ts";
import type { KnownCurrency } from "#plugins/tokenomics/sql/currencies.ts";
import { type OfContract, type Total, totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";
import { BUCKET_NAMES, bucketName } from "#plugins/tokenomics/treasury/renderEntry.ts";

/** A sum of the treasury ledger, as it is shown. */
export const totalSchema = z
	.object({
		currency: field.addressText("What it is counted in; zeros: the chain's coin."),
		symbol: field.text("What it is called, by its own contract.", "ETH").nullable(),
		entryType: z.enum(["revenue_received", "share_earned", "share_paid", "buyback_burned"]).meta({
			description: "What is added up. `share_earned` is what the split makes of revenue.",
		}),
		bucket: bucketName.nullable().meta({ description: "Whose share it is." }),
		entries: field.integer("How many entries that are.", 12),
		amount: field.decimal("All of them, in whole units.", "3.25").nullable(),
		amountRaw: field.digits("The same in base units.", "3250000000000000000"),
		burnedRaw: field.digits("What of the token was burned for it, in base units.", "5").nullable(),
	})
	.meta({ id: "TreasuryTotal", description: "A sum of the treasury ledger." });

/** Reads the sums of the contracts in force on a chain, of the currencies that are shown. */
export async function readTotals(
	db: Queryable,
	contracts: Contracts,
	chainId: number,
): Promise<Total[]> {
	const found = await contracts.addressesOf(chainId);
	if (!found) return [];
	const { router, burner } = found;
	const [revenue, burns] = await Promise.all([
		router ? revenueOf(db, { chainId, contract: router }, contracts.currencies) : [],
		burner
			? totals.oldest(db, { chainId, contract: burner }, { kind: "buyback_burned", limit })
			: [],
	]);
	return [...revenue, ...burns];
}

/** Returns a sum as it is shown; in whole units where the currency says how many digits. */
export function renderTotal(
	{ kind, currency, bucket, entries: count, amount, burned }: Total,
	known: ReadonlyMap<string, KnownCurrency>,
): z.output<typeof totalSchema> {
	const { symbol = null, decimals = null } = known.get(currency) ?? {};
	return {
		...{ currency, symbol, entryType: TOTAL_NAMES.get(kind) ?? "revenue_received" },
		bucket: BUCKET_NAMES[bucket] ?? null,
		entries: count,
		amount: decimals === null ? null : decimalString(amount, decimals),
		amountRaw: String(amount),
		burnedRaw: kind === "buyback_burned" ? String(burned) : null,
	};
}

/** Reads what came in, was earned and was paid. */
async function revenueOf(
	db: Queryable,
	of: OfContract,
	named: readonly Address[],
): Promise<Total[]> {
	const revenue = await shownRevenue(db, of, { named, limit });
	const keys = (["earned", "share_paid"] as const).flatMap((kind) =>
		revenue.flatMap(({ currency }) =>
			BUCKET_NAMES.map((_, bucket) => totalKey(kind, { currency, bucket })),
		),
	);
	const sums = await totals.ofKeys(db, of, keys);
	const place = (sum: Total) =>
		keys.findIndex(
			({ kind, currency, bucket }) =>
				sum.kind === kind && sum.currency === currency && sum.bucket === bucket,
		);
	return [...revenue, ...sums.sort((one, other) => place(one) - place(other))];
}

const TOTAL_NAMES = new Map<Total["kind"], z.output<typeof totalSchema>["entryType"]>([
	["revenue", "revenue_received"],
	["earned", "share_earned"],
	["share_paid", "share_paid"],
	["buyback_burned", "buyback_burned"],
]);
