// Renders trades and quotes for their owner.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { QUOTE_LIFETIME_MS } from "#plugins/trading/limits.ts";
import { priceLine, shortened } from "#plugins/trading/prices/judgePrice.ts";
import { bothText, multiplierText, tradeAmounts } from "#plugins/trading/shares.ts";
import type { QuoteRow, Trade } from "#plugins/trading/sql/trades.ts";
import {
	amountsOf,
	boundsOf,
	quoteRows,
	type SwapRequest,
	type TradeCurrency,
	tradeRequest,
} from "#plugins/trading/swap/planSwap.ts";
import type { Assessed } from "#plugins/trading/trade/assessTrade.ts";
import { tradeWish } from "#plugins/trading/trade/tradeBody.ts";
import {
	cancellationSchema,
	type Intent,
	intentCode,
	intentErrorSchema,
	ownersTurn,
} from "#plugins/wallets/contract.ts";

const MICROS_IN_CENT = 10_000n;

/** A one-time link that asks the owner of a trade. */
const tradeQuestion = z
	.object({
		url: field.url("Where its owner says yes, or signs.", "https://app.example.com/links/x7Zk"),
		expiresAt: field.time("Until when it can be answered."),
	})
	.meta({ id: "TradeQuestion", description: "A one-time link that asks the owner of a trade." });

/** Describes an allowance of a trade that is no longer needed. */
export const leftoverSchema = z
	.object({
		token: field.addressText("The token that may be taken."),
		spender: field.addressText("Who may take it: Uniswap's router."),
		amountRaw: field
			.digits("How much, in base units; null: the chain does not say now.", "50000000")
			.nullable(),
	})
	.meta({ id: "LeftoverAllowance", description: "An allowance that a trade left behind." });

/** The answer to revoking an allowance. */
export const revokeSchema = z
	.object({
		intentId: field.id("The intent that takes it back."),
		status: field.text("Where that stands.", "submitted"),
		errorCode: intentCode("Why it was rejected, or failed."),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
		link: tradeQuestion
			.nullable()
			.meta({ description: "Null where its owner is asked for nothing." }),
	})
	.meta({ id: "TradeRevocation", description: "Taking back what a trade left behind." });

/** A currency of a trade, in answers. */
const tradeCurrency = z
	.object({
		address: field.addressText("Its contract; the zero address is the chain's own coin."),
		symbol: field.text("Its symbol.", "USDG"),
		decimals: field.integer("Digits behind the point in base units.", 6),
		multiplier: field
			.decimal("Shares that one token shows as; null for what is no stock.", "3")
			.nullable(),
	})
	.meta({ id: "TradeCurrency", description: "What is spent or received." });

/** The answer of one source, for clients. */
const quoteSchema = z
	.object({
		source: field.text("Who said it: `local` is the chain's own quoter.", "local"),
		isTaken: field.flag("Whether this way is the one that is taken."),
		askedAt: field.time("When it was asked."),
		inRaw: field.digits("What goes in, in base units.", "50000000").nullable(),
		outRaw: field.digits("What comes out, in base units.", "120000000000000000").nullable(),
		blockNumber: field.digits("The block it was found at.", "1234567").nullable(),
		impactBps: field.integer("How far it moves the price, in basis points.", 12).nullable(),
		requestId: field.text("The source's own name for its answer.", "7f0c").nullable(),
		hops: z
			.array(z.unknown())
			.nullable()
			.meta({ description: "The pools; null: not executed here.", examples: [null] }),
		code: field.text("Why the source said nothing.", "router_unavailable").nullable(),
	})
	.meta({ id: "TradeQuote", description: "What one source said for a trade." });

const PURPOSES = new Map<string, "confirm" | "sign">([
	["confirmation_required", "confirm"],
	["signature_required", "sign"],
]);

const priceText = field
	.text(
		"What it gives beside the fair price, and what says that price; or that nothing sure does.",
		"You get at least 0.12 TSLA; that is 0.85 % below the fair price of 0.121 TSLA, from feed and pool.",
	)
	.nullable();

/** A trade as its owner sees it. */
export const tradeSchema = z
	.object({
		id: field.id("Names the trade."),
		kind: z.enum(["buy", "sell", "hold"]).meta({ description: "What was asked for." }),
		status: field.text(
			"`created`, `waiting`, `rejected`, `confirmation_required`, `review_required`, " +
				"`signature_required`, `submitting`, `submitted`, `uncertain`, `confirmed`, `failed`, " +
				"`expired` or `dry_run`.",
			"submitted",
		),
		errorCode: intentCode("Why it was rejected, or failed."),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		asks: z.enum(["confirm", "sign"]).nullable().meta({
			description: "What its owner is asked for now: a yes, or the signature of their own wallet.",
		}),
		waitsFor: field
			.text(
				"What it, or the step before it, waits for its owner to do, and where the link comes from.",
				'It waits for your yes: POST /v1/links with {"intentId":"0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"} makes the link.',
			)
			.nullable(),
		reason: field
			.text("The same in a sentence, where there is one.", "It is not known.")
			.nullable(),
		command: field
			.text("As it was typed; null where its parsed form was sent.", "sell 2 AAPL")
			.nullable(),
		wish: tradeWish.meta({
			description: "Its parsed form.",
			examples: [{ kind: "buy_with", asset: "TSLA", spend: "50", settlement: "USDG" }],
		}),
		chainId: field.integer("EIP-155 id of the chain.", 4663),
		walletId: field.text("The wallet that trades, by its id.", "0198c1d2").nullable(),
		sell: tradeCurrency.nullable().meta({ description: "What is spent." }),
		buy: tradeCurrency.nullable().meta({ description: "What is received." }),
		exact: z.enum(["in", "out"]).nullable().meta({ description: "Which side is exact." }),
		amountRaw: field.digits("The exact amount, in base units.", "50000000").nullable(),
		expectedRaw: field.digits("What the other side is expected to be.", "1200").nullable(),
		leastReceivedRaw: field.digits("Less is never received.", "1100").nullable(),
		mostSpentRaw: field.digits("More is never spent.", "50000000").nullable(),
		amounts: tradeAmounts.nullable().meta({ description: "Its amounts as tokens and as shares." }),
		notionalUsd: field.text("What it is worth, in dollars.", "50.00").nullable(),
		price: priceText,
		divergenceBps: field.integer("How far the sources are apart, in basis points.", 4).nullable(),
		sourcesMissing: z
			.array(z.string())
			.meta({ description: "Sources that may have a way, and did not say.", examples: [[]] }),
		quotes: z.array(quoteSchema).meta({ description: "What every source said, the newest last." }),
		settings: kept("What was in force when it was asked for.", { slippageBps: 50 }),
		policy: z
			.array(kept("One check.", { check: "registry", outcome: "passed" }))
			.meta({ description: "Each check that was made, and what it said." }),
		plan: kept("What is or was to be sent, in sentences and figures.", {
			action: "buy",
		}).nullable(),
		planHash: field.hashText("Names that plan.").nullable(),
		approval: kept("The exact allowance that it needed first, and the intent that gave it.", {
			amountRaw: "50000000",
		}).nullable(),
		leftover: leftoverSchema
			.nullable()
			.meta({ description: "What it left allowed; only where one trade is read by its id." }),
		intentId: field.id("The intent that moves the money.").nullable(),
		transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
		cancellation: cancellationSchema,
		settled: kept("What the receipt says: spent and received, in base units.", {
			spentRaw: "50000000",
		}).nullable(),
		link: tradeQuestion
			.nullable()
			.meta({ description: "A one-time link; in the answer that made it alone." }),
		cancelUrl: field
			.url(
				"A one-time link by which its owner's wallet signs its cancellation.",
				"https://a.example",
			)
			.nullable(),
		createdAt: field.time("When it was asked for."),
		changedAt: field.time("When it last changed."),
	})
	.meta({ id: "Trade", description: "A trade of yours, whatever became of it." });

export type TradeView = z.output<typeof tradeSchema>;

export const tradePageSchema = z
	.object({
		data: z.array(tradeSchema).meta({ description: "Trades, newest first." }),
		page: pageSchema,
	})
	.meta({ id: "TradePage", description: "A page of your trades." });

/** Describes what a trade would give now. */
export const quoteViewSchema = z
	.object({
		isPossible: field.flag("Whether it would be sent as it stands."),
		code: field.text("Why not, or why an operator would look at it first.", "no_route").nullable(),
		reason: field.text("The same in a sentence.", "No pool leads there.").nullable(),
		sell: tradeCurrency.nullable().meta({ description: "What is spent." }),
		buy: tradeCurrency.nullable().meta({ description: "What is received." }),
		exact: z.enum(["in", "out"]).nullable().meta({ description: "Which side is exact." }),
		inRaw: field.digits("What goes in, in base units.", "50000000").nullable(),
		outRaw: field.digits("What comes out, in base units.", "120000000000000000").nullable(),
		leastReceivedRaw: field.digits("Less would never be received.", "1100").nullable(),
		mostSpentRaw: field.digits("More would never be spent.", "50000000").nullable(),
		amounts: tradeAmounts
			.nullable()
			.meta({ description: "Its amounts as tokens and as shares; null before it is quoted." }),
		notionalUsd: field.decimal("What it is worth, in dollars.", "50.00").nullable(),
		price: priceText,
		divergenceBps: field.integer("How far the sources are apart, in basis points.", 4).nullable(),
		sourcesMissing: z
			.array(z.string())
			.meta({ description: "Sources that may have a way, and did not say.", examples: [[]] }),
		quotes: z.array(quoteSchema).meta({ description: "What every source said." }),
		policy: z.array(z.record(z.string(), z.unknown())).meta({
			description: "Each check that was made, and what it said.",
			examples: [[{ check: "registry", outcome: "passed" }]],
		}),
		expiresAt: field.time("It is good until then.").nullable(),
	})
	.meta({ id: "TradeQuotation", description: "What a trade would give now." });

export type QuoteView = z.output<typeof quoteViewSchema>;

/** Renders one trade: its own row, and the status of its intent. */
export function renderTrade(
	trade: Trade,
	given: {
		intent: Intent | null;
		/** The intent that asks its owner: itself, or the step that it waits for. */
		asking?: Intent | null;
		quotes: readonly QuoteRow[];
		link?: { url: string; expiresAtMs: number } | null;
		cancelUrl?: string | null;
		leftover?: z.output<typeof leftoverSchema> | null;
	},
): z.input<typeof tradeSchema> {
	const { intent, asking = intent, quotes, link = null, cancelUrl = null, leftover = null } = given;
	const wish = tradeWish.parse(trade.wish);
	const request = tradeRequest.parse(trade.terms);
	const terms = request.kind === "swap" ? request : null;
	const { mostRaw, leastRaw } = terms ? boundsOf(terms) : { mostRaw: null, leastRaw: null };
	const isoTime = (ms: number) => new Date(ms).toISOString();
	const isHold = wish.kind === "hold";
	const quoted = terms?.quoted;
	return {
		...{ id: trade.id, kind: isHold ? "hold" : wish.kind.startsWith("buy") ? "buy" : "sell" },
		status: intent?.status ?? "created",
		...{ errorCode: intent?.errorCode ?? null, error: intent?.error ?? null },
		...{ asks: asking && purposeOf(asking), waitsFor: asking && ownersTurn(asking) },
		reason: intent?.error?.message ?? (request.kind === "refused" ? request.denial.detail : null),
		...{ command: trade.command, wish, chainId: trade.chainId, walletId: trade.walletId },
		...{ sell: terms && shownCurrency(terms.sell), buy: terms && shownCurrency(terms.buy) },
		exact: terms?.exact ?? null,
		amountRaw: terms?.amountRaw ?? null,
		expectedRaw: (terms?.exact === "in" ? quoted?.outRaw : quoted?.inRaw) ?? null,
		leastReceivedRaw: leastRaw === null ? null : String(leastRaw),
		mostSpentRaw: mostRaw === null ? null : String(mostRaw),
		amounts: terms && bothAmounts(terms),
		notionalUsd: dollars(trade.notionalUsdMicros),
		price: terms && priceOf(terms),
		divergenceBps: quoted?.divergenceBps ?? null,
		sourcesMissing: quoted?.missing ?? [],
		quotes: quotes.map(renderQuote),
		...{ settings: trade.settings, policy: [...trade.policy] },
		plan: intent?.plan ? { ...intent.plan.shown } : null,
		planHash: intent?.planHash ?? null,
		approval: trade.approval && { ...trade.approval, intentId: intent?.afterId ?? null },
		leftover,
		intentId: intent?.id ?? trade.intentId,
		transactionHash: intent?.transactionHash ?? null,
		cancellation: intent?.cancellation ?? null,
		settled: trade.settled,
		link: link && { url: link.url, expiresAt: isoTime(link.expiresAtMs) },
		cancelUrl,
		createdAt: trade.createdAt.toISOString(),
		changedAt: isoTime(intent?.changedAtMs ?? trade.createdAt.getTime()),
	};
}

/** Returns what an intent's owner is asked to do; null: nothing. */
export function purposeOf({ status }: Pick<Intent, "status">): "confirm" | "sign" | null {
	return PURPOSES.get(status) ?? null;
}

/** Describes a trade in a few words, for a tool's line. */
export function tradeSentence(view: TradeView): string {
	const { kind, wish, exact } = view;
	const said = saidSwap(view);
	if (!said) {
		return `${kind === "hold" ? "Holding" : kind === "buy" ? "Buying" : "Selling"} ${wish.asset}`;
	}
	const [one, other] = exact === "in" ? ["exactly", "about"] : ["about", "exactly"];
	return `Swapping ${one} ${said.paid} for ${other} ${said.got}`;
}

/** Returns what goes in and what comes out, for a line; null where that is not known. */
export function saidSwap({ sell, buy, amounts }: Pick<TradeView, "sell" | "buy" | "amounts">) {
	if (!sell || !buy || !amounts) return null;
	return {
		paid: shortened(bothText(amounts.spent, sell.symbol)),
		got: shortened(bothText(amounts.received, buy.symbol)),
	};
}

/** Renders a quote as an answer. */
export function quoteView(assessed: Assessed): QuoteView {
	const { outcome, answers, picked, policy, notionalUsdMicros } = assessed;
	if (outcome.kind === "hold") {
		throw tradeFault.validationError({ public: "To hold something needs no quote." });
	}
	const terms = outcome.kind === "swap" ? outcome.terms : null;
	const price = terms && priceOf(terms);
	const asks = terms?.quoted.price?.kind === "ask" && price !== null;
	const question = asks
		? { code: "price_unknown", detail: `Its owner is asked first. ${price}` }
		: null;
	const trouble = outcome.kind === "refused" ? outcome.denial : (terms?.review ?? question);
	const bounds = terms ? boundsOf(terms) : null;
	const route = picked?.route;
	return {
		isPossible: outcome.kind === "swap" && trouble === null,
		...{ code: trouble?.code ?? null, reason: trouble?.detail ?? null },
		...{ sell: terms && shownCurrency(terms.sell), buy: terms && shownCurrency(terms.buy) },
		exact: terms?.exact ?? null,
		inRaw: route ? String(route.inRaw) : null,
		outRaw: route ? String(route.outRaw) : null,
		leastReceivedRaw: bounds ? String(bounds.leastRaw) : null,
		mostSpentRaw: bounds ? String(bounds.mostRaw) : null,
		...{ amounts: terms && bothAmounts(terms), notionalUsd: dollars(notionalUsdMicros), price },
		...{ divergenceBps: picked?.divergenceBps ?? null },
		sourcesMissing: [...(picked?.missing ?? [])],
		quotes: quoteRows(answers, picked).map(renderQuote),
		policy: policy.map((check) => ({ ...check })),
		expiresAt: picked ? new Date(picked.askedAtMs + QUOTE_LIFETIME_MS).toISOString() : null,
	};
}

/** Words the verdict on a swap's price; null where none is stored. */
function priceOf(
	terms: Pick<SwapRequest, "exact" | "amountRaw" | "limitRaw" | "quoted" | "sell" | "buy">,
) {
	const { quoted, exact, sell, buy } = terms;
	return quoted.price && priceLine(quoted.price, { exact, ...boundsOf(terms), sell, buy });
}

/** Renders one source's answer for the owner. */
function renderQuote(row: QuoteRow): z.output<typeof quoteSchema> {
	const { source, isTaken, impactBps, requestId, hops, code } = row;
	const text = (raw: bigint | null) => (raw === null ? null : String(raw));
	return {
		...{ source, isTaken, impactBps, requestId, code, hops: hops && [...hops] },
		askedAt: row.askedAt.toISOString(),
		...{ inRaw: text(row.inRaw), outRaw: text(row.outRaw), blockNumber: text(row.blockNumber) },
	};
}

/** Writes microdollars as dollars and cents, rounded down; null for unknown. */
function dollars(micros: bigint | null): string | null {
	if (micros === null) return null;
	const cents = micros / MICROS_IN_CENT;
	return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
}

function shownCurrency({ multiplier, ...currency }: TradeCurrency) {
	const perToken = multiplier === null ? null : BigInt(multiplier);
	return { ...currency, multiplier: multiplierText(perToken) };
}

function bothAmounts(
	terms: Pick<SwapRequest, "exact" | "amountRaw" | "limitRaw" | "quoted" | "sell" | "buy">,
): z.output<typeof tradeAmounts> {
	const { inRaw, outRaw } = terms.quoted;
	return amountsOf(terms, { ...boundsOf(terms), inRaw: BigInt(inRaw), outRaw: BigInt(outRaw) });
}

/** Describes JSON that is stored and shown unchanged. */
function kept(description: string, example: Record<string, unknown>) {
	return z.record(z.string(), z.unknown()).meta({ description, examples: [example] });
}
