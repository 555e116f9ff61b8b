import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { QUOTE_LIFETIME_MS } from "#plugins/trading/limits.ts";
import { quoteRows } from "#plugins/trading/swap/planSwap.ts";
import { boundsOf } from "#plugins/trading/swap/tradeRequest.ts";
import type { Assessed } from "#plugins/trading/trade/assessTrade.ts";
import {
	dollars,
	quoteSchema,
	renderQuote,
	tradeCurrency,
} from "#plugins/trading/trade/renderTrade.ts";

/** What a trade would give now. */
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
		notionalUsd: field.decimal("What it is worth, in dollars.", "50.00").nullable(),
		divergenceBps: field.integer("How far the sources are apart, in basis points.", 4).nullable(),
		sourcesMissing: z
			.array(z.string())
			.meta({ description: "Sources that did not answer.", examples: [[]] }),
		quotes: z.array(quoteSchema).meta({ description: "What every source said." }),
		policy: z.array(z.record(z.string(), z.unknown())).meta({
			description: "Each check that was made, and what it said.",
			examples: [[{ check: "registry", outcome: "passed" }]],
		}),
		expiresAt: field.time("It is good until then.").nullable(),
	})
	.meta({ id: "TradeQuotation", description: "What a trade would give now." });

export type QuoteView = z.output<typeof quoteViewSchema>;

/** Renders a quote as an answer. */
export function quoteView(assessed: Assessed): QuoteView {
	const { outcome, answers, picked, policy, notionalUsdMicros } = assessed;
	if (outcome.kind === "hold") {
		throw tradeFault.validationError({ public: "To hold something needs no quote." });
	}
	const terms = outcome.kind === "swap" ? outcome.terms : null;
	const trouble = outcome.kind === "refused" ? outcome.denial : (terms?.review ?? null);
	const bounds = terms ? boundsOf(terms) : null;
	const route = picked?.route;
	return {
		isPossible: outcome.kind === "swap" && trouble === null,
		...{ code: trouble?.code ?? null, reason: trouble?.detail ?? null },
		...{ sell: terms?.sell ?? null, buy: terms?.buy ?? null, exact: terms?.exact ?? null },
		inRaw: route ? String(route.inRaw) : null,
		outRaw: route ? String(route.outRaw) : null,
		leastReceivedRaw: bounds ? String(bounds.leastRaw) : null,
		mostSpentRaw: bounds ? String(bounds.mostRaw) : null,
		notionalUsd: dollars(notionalUsdMicros),
		...{ divergenceBps: picked?.divergenceBps ?? null },
		sourcesMissing: [...(picked?.missing ?? [])],
		quotes: quoteRows(answers, picked).map(renderQuote),
		policy: policy.map((check) => ({ ...check })),
		expiresAt: picked ? new Date(picked.askedAtMs + QUOTE_LIFETIME_MS).toISOString() : null,
	};
}
