// Renders stock tokens for the public and for operators.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { toDisplayNumber } from "#core/money.ts";
import type { LastPrice } from "#plugins/trading/prices/createReference.ts";
import { multiplierText } from "#plugins/trading/shares.ts";
import { ASSET_STATUSES, type AssetRow } from "#plugins/trading/sql/assets.ts";

export const MICROS_DECIMALS = 6;

/** The members of a price in every answer. */
export const priceParts = {
	priceUsd: field
		.number("US dollars for one whole token, by its feed; null: nobody knows.", 412.5)
		.nullable(),
	priceAgeSeconds: field
		.integer("How long ago the feed said so; null without a price.", 12)
		.nullable(),
	market: z.enum(["open", "closed"]).nullable().meta({
		description:
			"`closed`: nothing moves now, and the price is the last one. Null without a price.",
	}),
};

export const stockTokenSchema = z
	.object({
		chain: field.text("Slug of the chain.", "robinhood"),
		chainId: field.integer("EIP-155 id of the chain.", 4_663),
		address: field.address("The token's contract; with the chain, what it is known by."),
		symbol: field.text("Its ticker.", "TSLA"),
		name: field.text("Its name, as the issuer has it.", "Tesla"),
		decimals: field.integer("Decimals of its amounts.", 18),
		status: z.enum(ASSET_STATUSES).meta({
			description:
				"Only `active` is traded. `paused`: the issuer or the token says so. " +
				"`delisted_pending_review`: it left the issuer's list, and waits for an operator.",
		}),
		multiplier: field
			.decimal("Shares that one token shows as (ERC-8056); null where it has none.", "1.0025")
			.nullable(),
		pendingMultiplier: field
			.decimal("What that becomes; null where no change is announced.", "3")
			.nullable(),
		pendingAt: field.time("When it becomes that.").nullable(),
		feed: field.addressText("Its price feed; null where it has none.").nullable(),
		...priceParts,
		checkedBlock: field.digits("Block at which it was last checked on chain.", "1204117"),
		checkedAt: field.time("When that was."),
	})
	.meta({ id: "StockToken", description: "A stock token of the registry." });

export const stockTokenPageSchema = z
	.object({
		data: z.array(stockTokenSchema).meta({ description: "Stock tokens, by ticker." }),
		page: pageSchema,
	})
	.meta({ id: "StockTokenPage", description: "A page of stock tokens." });

export const reviewedTokenSchema = stockTokenSchema
	.omit({ priceUsd: true, priceAgeSeconds: true, market: true })
	.extend({
		uid: field.text("The issuer's own id.", `0x${"4a".repeat(32)}`).nullable(),
		flaws: z.array(z.string()).meta({
			description: "What the last check found wrong; empty: nothing.",
			examples: [["decimals_wrong"]],
		}),
		isListed: field.flag("Whether the issuer's newest list has it."),
		heldBy: field.text("Who refused it; null: nobody.", "operator:ops").nullable(),
		feedSetBy: field
			.text("Who named its feed; null: the configuration.", "operator:ops")
			.nullable(),
		firstSeenAt: field.time("When the issuer's list had it first."),
		changedAt: field.time("When its status last changed, or somebody decided about it."),
		unlistedAt: field.time("Since when it was not on the list, until somebody looked.").nullable(),
	})
	.meta({ id: "ReviewedStockToken", description: "A stock token as operators see it." });

/**
 * Renders a stock token for the public. An announced multiplier counts from its time on, without a
 * transaction: the feed's price has it in it then, and so do holdings.
 */
export function renderStockToken(
	row: AssetRow,
	{ chain, price, nowMs }: { chain: string; price: LastPrice | null; nowMs: number },
) {
	const { pendingAt, pendingMultiplier: multiplier } = row;
	const isInForce = pendingAt !== null && pendingAt.getTime() <= nowMs;
	const now = isInForce ? { ...row, multiplier, pendingMultiplier: null, pendingAt: null } : row;
	return { ...rendered(now, chain), ...renderPrice(price) };
}

/** Renders a stock token for operators. */
export function renderReviewed(row: AssetRow, chain: string) {
	const { uid, flaws, isListed, heldBy, feedSetBy, firstSeenAt, changedAt, unlistedAt } = row;
	return {
		...rendered(row, chain),
		...{ uid, flaws, isListed, heldBy, feedSetBy },
		firstSeenAt: firstSeenAt.toISOString(),
		changedAt: changedAt.toISOString(),
		unlistedAt: unlistedAt?.toISOString() ?? null,
	};
}

export function renderPrice(price: LastPrice | null) {
	return {
		priceUsd: price && toDisplayNumber(price.microsPerUnit, MICROS_DECIMALS),
		priceAgeSeconds: price && Math.floor(price.ageMs / 1_000),
		market: price?.market ?? null,
	};
}

/** Renders a token without its price. */
function rendered(row: AssetRow, chain: string) {
	return {
		...{ chain, chainId: row.chainId, address: row.address, symbol: row.symbol, name: row.name },
		...{ decimals: row.decimals, status: row.status, feed: row.feed },
		multiplier: multiplierText(row.multiplier),
		pendingMultiplier: multiplierText(row.pendingMultiplier),
		pendingAt: row.pendingAt?.toISOString() ?? null,
		checkedBlock: String(row.checkedBlock),
		checkedAt: row.checkedAt.toISOString(),
	};
}
