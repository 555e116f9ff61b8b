// Reads the intents that a link asks about, and renders its question.

import { z } from "zod";
import { hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { formatAmount, toDisplayNumber } from "#core/money.ts";
import type { Priced, Prices } from "#plugins/prices/contract.ts";
import { type CancelTerms, cancelTerms } from "#plugins/wallets/cancel/planCancellation.ts";
import { errorForLink } from "#plugins/wallets/intent/intentError.ts";
import { readBatch, readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { USD_DECIMALS } from "#plugins/wallets/limits.ts";
import {
	chainShown,
	type LinkContext,
	linkFault,
	type OpenLink,
} from "#plugins/wallets/link/createLinks.ts";
import type { LinkOutcome, linkSchema } from "#plugins/wallets/link/linkSchema.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import { hashBatch } from "#plugins/wallets/plan.ts";
import { usdMicros } from "#plugins/wallets/spend/spend.ts";
import { UNREADABLE } from "#plugins/wallets/submission/strays.ts";
import {
	isCancellable,
	readPayment,
	selfTransfer,
} from "#plugins/wallets/submission/submission.ts";

export type ShownPayment = {
	recipient: string;
	isSeller: boolean;
	amount: string;
	symbol: string;
};

type RenderedLink = z.input<typeof linkSchema>;

type RenderedCancellation = Pick<RenderedLink, "transactions" | "total" | "request">;

/** Parses the payments of a kind that pays several at once, from what it shows. */
const shownPayments = z.object({
	seller: z.string().optional(),
	payments: z.array(
		z.object({
			recipient: z.string(),
			amountRaw: z.string().regex(/^\d{1,78}$/),
			symbol: z.string(),
			decimals: z.int().min(0).max(255),
		}),
	),
});

const GWEI = { symbol: "gwei", decimals: 9 };
/** The coin of a chain that is not defined any more: every known one has a coin like this. */
const COIN = { symbol: "ETH", decimals: 18 };

/**
 * Reads the intents that a link asks about, in their current state. Throws `not_found` where they
 * no longer wait, or were planned anew since: this link cannot approve them.
 */
export async function readLinked(
	db: Queryable,
	link: OpenLink,
	options: { mayHaveExpired?: boolean } = {},
): Promise<Intent[]> {
	const { intentId, purpose, planHash } = link;
	const [intent] = await readIntents(db, [intentId]);
	if (!intent) throw linkFault.notFound();
	if (purpose === "cancel") {
		const isOpen = await isToBeCancelled(db, { link, mayBeOver: options.mayHaveExpired === true });
		if (!isOpen) throw linkFault.notFound();
		return [intent];
	}
	const intents = purpose === "confirm" ? await readBatch(db, intent) : [intent];
	const waits = purpose === "confirm" ? "confirmation_required" : "signature_required";
	const isOpen = intents.every(({ status }) => {
		return status === waits || (options.mayHaveExpired === true && status === "expired");
	});
	if (!isOpen || hashBatch(intents) !== planHash) throw linkFault.notFound();
	return intents;
}

/** Returns the state and the transactions of an intent, without anything about its owner. */
export function outcomeOf(
	{ chainOf }: Pick<LinkContext, "chainOf">,
	{ kind, status, errorCode, error, transactionHash, cancellation, chainId }: Intent,
): LinkOutcome {
	const chain = chainShown(chainOf, chainId);
	return {
		kind,
		status,
		errorCode,
		error: errorForLink(error),
		transactionHash,
		cancellation,
		chain,
	};
}

/** Returns a link's question: sentences for its page, and transactions for the wallet. */
export function renderLink(
	context: Pick<LinkContext, "chainOf"> & { deps: Pick<LinkContext["deps"], "clock" | "prices"> },
	{ link, intents }: { link: OpenLink; intents: readonly Intent[] },
): RenderedLink {
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

/** Reads who gets what of a plan's spend, where its kind says so. */
export function paymentsOf({ shown }: Pick<Plan, "shown">): ShownPayment[] {
	const { data } = shownPayments.safeParse(shown);
	if (!data) return [];
	return data.payments.map(({ recipient, amountRaw, symbol, decimals }) => ({
		recipient,
		isSeller: recipient === data.seller,
		amount: formatAmount({ units: BigInt(amountRaw), currency: { symbol, decimals } }),
		symbol,
	}));
}

/**
 * Shows a cancellation as its owner reads it, and as their wallet is asked for it: what it does,
 * under which nonce, at which price, and which payment cannot be mined once it is.
 */
export function renderCancellation(
	{ chainOf }: Pick<LinkContext, "chainOf">,
	{ terms, planHash, intent }: { terms: CancelTerms; planHash: string; intent: Intent },
): RenderedCancellation {
	const { chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, paymentHash } = terms;
	const { from, to, data, valueRaw } = selfTransfer(terms);
	const { symbol } = chainOf(chainId)?.nativeCurrency ?? COIN;
	const gwei = (units: bigint) => `${formatAmount({ units, currency: GWEI })} gwei`;
	const cancels = intent.plan?.shown["summary"];
	const shown = {
		action: "cancel",
		summary:
			`Sends nothing, from your address to itself, under nonce ${nonce} and at a higher price than ` +
			"your payment with that nonce. Once this is mined, the payment cannot be.",
		...(typeof cancels === "string" && { cancels }),
		...(paymentHash && { cancelsTransaction: paymentHash }),
		nonce: String(nonce),
		maxFeePerGas: gwei(maxFeePerGas),
		maxPriorityFeePerGas: gwei(maxPriorityFeePerGas),
	};
	const spend = { amount: "0", amountRaw: "0", symbol, currency: ZERO_ADDRESS, usd: 0 };
	return {
		transactions: [
			{
				intentId: intent.id,
				chain: chainShown(chainOf, chainId),
				...{ from, to, recipient: to, spend, payments: [] },
				...{ valueRaw: String(valueRaw), data, planHash, shown },
			},
		],
		total: { amount: "0", symbol, usd: 0 },
		request: {
			...requestOf({ from, to, valueRaw, data, chainId }),
			nonce: hexQuantity(nonce),
			maxFeePerGas: hexQuantity(maxFeePerGas),
			maxPriorityFeePerGas: hexQuantity(maxPriorityFeePerGas),
		},
	};
}

/** Writes a transaction as EIP-1193's `eth_sendTransaction` takes it; a wallet adds the rest. */
export function requestOf({
	from,
	to,
	valueRaw,
	data,
	chainId,
}: Pick<Plan, "from" | "to" | "valueRaw" | "data" | "chainId">) {
	return { from, to, value: hexQuantity(valueRaw), data, chainId: hexQuantity(chainId) };
}

/**
 * Says whether what a link to cancel asks for still takes the payment's nonce: it is bound to its
 * terms, and the payment has the nonce of these and hangs. `mayBeOver`: what was signed meanwhile
 * can be reported until the payment is final, because what was mined can still leave the chain.
 */
async function isToBeCancelled(
	db: Queryable,
	{ link, mayBeOver }: { link: OpenLink; mayBeOver: boolean },
): Promise<boolean> {
	const { terms, planHash, intentId } = link;
	if (!terms || cancelTerms.hash(terms) !== planHash) return false;
	const payment = await readPayment(db, intentId);
	if (!payment) return false;
	const isSame =
		(payment.nonce ?? payment.seenNonce) === terms.nonce &&
		payment.sender === terms.from &&
		payment.chainId === terms.chainId;
	const isOpen = mayBeOver ? payment.finalAtMs === null : isCancellable(payment);
	return isSame && isOpen;
}

function rendered(
	{ chainOf, deps }: Parameters<typeof renderLink>[0],
	given: { intent: Intent; plan: Plan; planHash: string; nowMs: number },
): RenderedLink["transactions"][number] {
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
		shown: { ...plan.shown, ...askedAbout(intent) },
	};
}

/** Returns what the owner has to know before a yes: this wallet sent a like payment already. */
function askedAbout({ looksPaid = null }: Intent): Record<string, string> {
	if (looksPaid === null) return {};
	return looksPaid === UNREADABLE
		? { sentBefore: "Nobody can say whether this was paid already: say yes only if not." }
		: { sentBefore: `${looksPaid} is like it. Say yes only if this is a second payment.` };
}

function usdOf(
	prices: Prices,
	{ priced, raw, nowMs }: { priced: Priced; raw: bigint; nowMs: number },
): number | null {
	const micros = usdMicros(raw, prices.usdRate(priced, nowMs));
	return micros === null ? null : toDisplayNumber(micros, USD_DECIMALS);
}

function totalOf(
	{ prices }: Parameters<typeof renderLink>[0]["deps"],
	{ intents, nowMs }: { intents: readonly Intent[]; nowMs: number },
): RenderedLink["total"] {
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
