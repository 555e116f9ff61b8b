import type { z } from "zod";
import { assert } from "#core/fault/assert.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import type { Priced, Prices } from "#plugins/prices/contract.ts";
import type { Intent, Plan } from "#plugins/wallets/contract.ts";
import { USD_DECIMALS } from "#plugins/wallets/limits.ts";
import type { OpenLink } from "#plugins/wallets/link/createLinks.ts";
import { chainShown, type LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import type { linkSchema } from "#plugins/wallets/link/linkSchema.ts";
import { paymentsOf } from "#plugins/wallets/link/paymentsOf.ts";
import { renderCancellation, requestOf } from "#plugins/wallets/link/renderCancellation.ts";
import { usdMicros } from "#plugins/wallets/spend/usdMicros.ts";

type Rendered = z.input<typeof linkSchema>;

/** A link's question as somebody reads it, and as their wallet is asked. */
export function renderLink(
	context: Pick<LinkContext, "chainOf"> & { deps: Pick<LinkContext["deps"], "clock" | "prices"> },
	{ link, intents }: { link: OpenLink; intents: readonly Intent[] },
): Rendered {
	const nowMs = context.deps.clock.nowMs();
	const [first] = intents;
	assert(first?.plan, "a link is about something");
	const about = {
		purpose: link.purpose,
		kind: first.kind,
		planHash: link.planHash,
		expiresAt: new Date(link.expiresAtMs).toISOString(),
		expiresInMs: Math.max(0, link.expiresAtMs - nowMs),
	};
	if (link.terms) {
		const asked = { terms: link.terms, planHash: link.planHash, intent: first };
		return { ...about, ...renderCancellation(context, asked) };
	}
	const transactions = intents.map((intent) => {
		assert(intent.plan && intent.planHash, "what is asked about has a plan");
		return rendered(context, { intent, plan: intent.plan, planHash: intent.planHash, nowMs });
	});
	return {
		...about,
		transactions,
		total: totalOf(context.deps, { intents, nowMs }),
		request: link.purpose === "sign" ? requestOf(first.plan) : null,
	};
}

function rendered(
	{ chainOf, deps }: Parameters<typeof renderLink>[0],
	given: { intent: Intent; plan: Plan; planHash: string; nowMs: number },
): Rendered["transactions"][number] {
	const { intent, plan, planHash, nowMs } = given;
	const { chainId, spend } = plan;
	const { symbol, decimals, currency, raw } = spend;
	return {
		intentId: intent.id,
		chain: chainShown(chainOf, chainId),
		from: plan.from,
		to: plan.to,
		recipient: plan.recipient,
		spend: {
			amount: formatAmount({ units: raw, currency: { symbol, decimals } }),
			amountRaw: String(raw),
			symbol,
			currency,
			usd: usdOf(deps.prices, { priced: { chainId, currency }, raw, nowMs }),
		},
		payments: paymentsOf(plan),
		valueRaw: String(plan.valueRaw),
		data: plan.data,
		planHash,
		shown: { ...plan.shown },
	};
}

function totalOf(
	{ prices }: Parameters<typeof renderLink>[0]["deps"],
	{ intents, nowMs }: { intents: readonly Intent[]; nowMs: number },
): Rendered["total"] {
	const plans = intents.flatMap(({ plan }) => plan ?? []);
	const [first] = plans;
	if (!first) return null;
	const { chainId, spend } = first;
	const { currency, symbol, decimals } = spend;
	const isOne = plans.every((plan) => {
		return plan.chainId === chainId && plan.spend.currency === currency;
	});
	if (!isOne) return null;
	const raw = plans.reduce((sum, plan) => sum + plan.spend.raw, 0n);
	return {
		amount: formatAmount({ units: raw, currency: { symbol, decimals } }),
		symbol,
		usd: usdOf(prices, { priced: { chainId, currency }, raw, nowMs }),
	};
}

function usdOf(
	prices: Prices,
	{ priced, raw, nowMs }: { priced: Priced; raw: bigint; nowMs: number },
): number | null {
	const micros = usdMicros(raw, prices.usdRate(priced, nowMs));
	return micros === null ? null : toDisplayNumber(micros, USD_DECIMALS);
}
