// Stores, shows, confirms and cancels trades.

import type { Tx } from "#core/db/Database.ts";
import { assert, Fault } from "#core/fault.ts";
import { invalidTrade, tradeFault } from "#plugins/trading/faults.ts";
import { ADVANCE_TIMEOUT_MS } from "#plugins/trading/limits.ts";
import {
	insertQuotes,
	insertTrade,
	listTrades,
	readQuotes,
	readTrade,
	type Trade,
	type TradesQuery,
} from "#plugins/trading/sql/trades.ts";
import { quoteRows, type SwapDeps, type TradeRequest } from "#plugins/trading/swap/planSwap.ts";
import { TRADE } from "#plugins/trading/swap/tradeKind.ts";
import { type Assessed, assessTrade } from "#plugins/trading/trade/assessTrade.ts";
import { createRevokes } from "#plugins/trading/trade/createRevokes.ts";
import {
	purposeOf,
	renderTrade,
	type TradeView,
	tradeSchema,
} from "#plugins/trading/trade/renderTrade.ts";
import type { TradeWish } from "#plugins/trading/trade/tradeBody.ts";
import type {
	Channel,
	Intent,
	Principal,
	Profile,
	Recorded,
	Wallet,
	Wallets,
} from "#plugins/wallets/contract.ts";

type TradesDeps = SwapDeps & {
	wallets: Pick<Wallets, "execution" | "once" | "link" | "cancel" | "requireOwnPage">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

export type TradeAsked = {
	principal: Principal;
	wish: TradeWish;
	/** The command's text; null where the parsed form was sent. */
	command: string | null;
	walletId: string | undefined;
	/** Names the request together with its key. */
	route: string;
	idempotencyKey: string | null;
	/** Two requests with equal bodies are the same request. */
	body: unknown;
	channel: Channel;
	/** True: the owner must approve by a link first, whatever their profile's settings are. */
	asks: boolean;
};

/** `intentId`: the intent of the trade, or of the step before it. */
type Continued = { trade: Trade; intentId: string | null; recorded?: Recorded | null };

type ViewMore = Omit<Parameters<typeof renderTrade>[1], "quotes">;

export type Trades = ReturnType<typeof createTrades>;

const QUOTES_SHOWN = 20;

/** Makes the operations on trades: quote, request, show, list, confirm, cancel, revoke. */
export function createTrades(deps: TradesDeps) {
	return { ...asking(deps), ...looking(deps), ...moving(deps) };
}

function asking(deps: TradesDeps) {
	return {
		/** Returns what a wish would give now; stores and reserves nothing. */
		async quote(asked: Pick<TradeAsked, "principal" | "wish" | "walletId">): Promise<Assessed> {
			const { profile } = asked.principal;
			const wallet = walletOf(profile, asked.walletId);
			const signal = AbortSignal.any([deps.ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
			return assessTrade(deps, { wish: asked.wish, profile, wallet, signal });
		},
		/** Stores a wish with its assessment, executes it as far as possible now, and answers 201. */
		async ask(asked: TradeAsked): Promise<Response> {
			const { principal, wish, route, idempotencyKey, body } = asked;
			const { profile } = principal;
			const wallet = walletOf(profile, asked.walletId);
			const signal = AbortSignal.any([deps.ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
			const assessed = await assessTrade(deps, { wish, profile, wallet, signal });
			let made: Intent | null = null;
			return deps.wallets.once({
				...{ principal, route, idempotencyKey, body },
				intents: [],
				async record(tx, id) {
					made = await record(deps, tx, { id, asked, assessed, wallet });
				},
				answer: (_, __, id) => answer(deps, { profile, id, made }),
			});
		},
	};
}

function looking(deps: TradesDeps) {
	const revokes = createRevokes(deps);
	return {
		async list(query: TradesQuery): Promise<{ items: TradeView[]; nextId: string | null }> {
			const found = await listTrades(deps.db, { ...query, limit: query.limit + 1 });
			const shown = found.slice(0, query.limit);
			const items = await Promise.all(shown.map((trade) => view(deps, trade)));
			const nextId = found.length > query.limit ? (shown.at(-1)?.id ?? null) : null;
			return { items, nextId };
		},
		/** Returns the stored state of one trade, without asking the chain. */
		async stand(profile: Profile, id: string): Promise<TradeView> {
			return view(deps, await own(deps, profile.id, id));
		},
		/** Returns one trade with its remaining allowance, and where asked for with a new link. */
		async show(
			profile: Profile,
			id: string,
			{ isLinked = false }: { isLinked?: boolean } = {},
		): Promise<TradeView> {
			const trade = await own(deps, profile.id, id);
			const intent = await intentIn(deps, trade);
			const wallet = profile.wallets.find((one) => one.id === trade.walletId)?.address;
			const leftover = await revokes.leftoverOf(trade, { intent, wallet });
			const asking = isLinked && intent ? await deps.wallets.execution.asking(intent) : null;
			const link = asking && (await linkOf(deps, asking).catch(withoutLink));
			return viewOf(deps, trade, { intent, leftover, link });
		},
		/** Revokes the remaining allowance of a finished trade. */
		async revoke(
			id: string,
			asked: { principal: Principal; route: string; idempotencyKey: string | null },
		): Promise<Response> {
			const trade = await own(deps, asked.principal.profile.id, id);
			return revokes.revoke(trade, { ...asked, intent: await intentOf(deps, trade) });
		},
	};
}

function moving(deps: TradesDeps) {
	const { execution, cancel } = deps.wallets;
	return {
		/**
		 * Confirms the plan with this hash, or the stored one, and continues the trade: it is planned
		 * again, and sent within the confirmed bounds. What a program prepared is confirmed on a page
		 * of ours alone.
		 */
		async confirm(
			profile: Profile,
			id: string,
			{ planHash, request }: { planHash: Intent["planHash"] | undefined; request: Request },
		): Promise<TradeView> {
			const trade = await own(deps, profile.id, id);
			const asked = await execution.asking(await intentOf(deps, trade));
			deps.wallets.requireOwnPage(request, asked);
			const agreed = planHash ?? asked.planHash;
			if (asked.status !== "confirmation_required" || !agreed) throw tradeFault.tradeState();
			if (agreed !== asked.planHash) throw tradeFault.planChanged();
			await execution.approve(asked.id, agreed);
			await continueTrade(deps, { trade, intentId: asked.id });
			return view(deps, trade);
		},
		/** Cancels a trade: directly if it was not sent, else by its nonce. */
		async cancel(profile: Profile, id: string): Promise<TradeView> {
			const trade = await own(deps, profile.id, id);
			const { id: intentId } = await intentOf(deps, trade);
			const { cancelUrl } = await cancel(intentId, { profile, signal: deps.ending });
			return view(deps, trade, { cancelUrl });
		},
	};
}

/** Returns the trade; throws `not_found` for another profile's trade as for a missing one. */
async function own({ db }: TradesDeps, profileId: string, id: string): Promise<Trade> {
	const trade = await readTrade(db, id);
	if (trade?.profileId !== profileId) throw tradeFault.notFound();
	return trade;
}

async function view(
	deps: TradesDeps,
	trade: Trade,
	more: Partial<ViewMore> = {},
): Promise<TradeView> {
	return viewOf(deps, trade, { ...more, intent: await intentIn(deps, trade) });
}

/** Returns the wallet that trades: the named one, else the canonical one; null if there is none. */
function walletOf(profile: Profile, walletId: string | undefined): Wallet | null {
	const { wallets, canonicalWalletId } = profile;
	if (walletId === undefined) {
		return wallets.find(({ id }) => id === canonicalWalletId) ?? wallets[0] ?? null;
	}
	const wallet = wallets.find(({ id }) => id === walletId);
	if (!wallet) throw invalidTrade("walletId", "is no wallet of yours");
	return wallet;
}

function requestOf(tradeId: string, { outcome }: Assessed): TradeRequest {
	switch (outcome.kind) {
		case "swap":
			return { kind: "swap", tradeId, ...outcome.terms };
		case "hold":
			return { kind: "hold", tradeId };
		default:
			return { kind: "refused", tradeId, denial: outcome.denial };
	}
}

/** Writes trade, quotes and intent in one transaction, so that none exists without the others. */
async function record(
	{ bounds, clock, chainId, wallets }: TradesDeps,
	tx: Tx,
	given: { id: string; asked: TradeAsked; assessed: Assessed; wallet: Wallet | null },
): Promise<Intent> {
	const { id, asked, assessed, wallet } = given;
	const { channel, command, wish } = asked;
	const { profile } = asked.principal;
	const { answers, picked, policy, notionalUsdMicros } = assessed;
	const request = requestOf(id, assessed);
	const isUnsure = request.kind === "swap" && request.quoted.price?.kind === "ask";
	// Nothing goes at a price that nothing supports before its owner said yes to the figures.
	const asks = asked.asks || isUnsure;
	const text = (raw: bigint | null) => (raw === null ? null : String(raw));
	const [intent] = await wallets.execution.create(tx, [
		{ kind: TRADE, profile, wallet, chainId, channel, asks, request },
	]);
	assert(intent, "what was asked for is recorded");
	await insertTrade(tx, {
		...{ id, intentId: intent.id, profileId: profile.id, walletId: wallet?.id ?? null },
		...{ chainId, channel, command, wish, terms: request },
		settings: {
			...{ ...bounds, minLiquidityUsdMicros: text(bounds.minLiquidityUsdMicros) },
			unpricedUsdMicrosMax: text(bounds.unpricedUsdMicrosMax),
			profile: {
				requireTradeConfirmation: profile.requireTradeConfirmation,
				...{ perTradeUsdMax: text(profile.perTradeUsdMax), revision: profile.revision },
				dailyUsdMax: text(profile.dailyUsdMax),
			},
			wallet: wallet && { capability: wallet.capability, revision: wallet.revision },
			asks,
		},
		...{ policy: policy.map((check) => ({ ...check })), notionalUsdMicros },
		createdAt: new Date(clock.nowMs()),
	});
	await insertQuotes(tx, id, quoteRows(answers, picked));
	return intent;
}

async function answer(
	deps: TradesDeps,
	{ profile, id, made }: { profile: Profile; id: string | null; made: Intent | null },
): Promise<{ status: number; body: TradeView }> {
	const trade = id === null ? null : await readTrade(deps.db, id);
	assert(trade, "a trade is recorded with its key");
	const recorded = made && { intents: [made], profile };
	const intent = await continueTrade(deps, { trade, intentId: trade.intentId, recorded });
	assert(intent, "an intent that was created is there");
	const asking = await deps.wallets.execution.asking(intent);
	const link = await linkOf(deps, asking);
	// Its first step was written down meanwhile.
	const shown = intent.afterId === null ? trade : ((await readTrade(deps.db, trade.id)) ?? trade);
	return { status: 201, body: await viewOf(deps, shown, { intent, link }) };
}

/**
 * Continues a trade, and returns its intent. If that fails now, the intent is returned as it is and
 * the service retries later: an error would make the owner trade once more.
 */
async function continueTrade(
	deps: TradesDeps,
	{ trade, intentId, recorded = null }: Continued,
): Promise<Intent | null> {
	const { execution } = deps.wallets;
	if (intentId === null) return null;
	try {
		const signal = AbortSignal.any([deps.ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		const [intent = null] = await execution.advance([intentId], signal, recorded);
		return intent;
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		deps.log[level]("a trade could not be taken further now", { error });
		return execution.read(intentId, trade.profileId);
	}
}

/** Makes the link that asks an intent's owner; null where they are asked nothing. */
async function linkOf({ wallets }: TradesDeps, asking: Intent) {
	const purpose = purposeOf(asking);
	return purpose && (await wallets.link(asking, purpose));
}

/**
 * Returns null where no link can be made, so that the answer has none: `waitsFor` says how to get
 * one. Throws all errors but Faults.
 */
function withoutLink(error: unknown): null {
	if (error instanceof Fault) return null;
	throw error;
}

async function intentIn({ wallets }: TradesDeps, trade: Trade): Promise<Intent | null> {
	const { intentId, profileId } = trade;
	return intentId === null ? null : wallets.execution.read(intentId, profileId);
}

async function intentOf(deps: TradesDeps, trade: Trade): Promise<Intent> {
	const intent = await intentIn(deps, trade);
	if (!intent) throw tradeFault.tradeState();
	return intent;
}

async function viewOf(deps: TradesDeps, trade: Trade, more: ViewMore): Promise<TradeView> {
	const quotes = await readQuotes(deps.db, trade.id, QUOTES_SHOWN);
	const { intent } = more;
	const isBehind = intent?.status === "waiting";
	const asking = isBehind ? await deps.wallets.execution.asking(intent) : intent;
	return tradeSchema.parse(renderTrade(trade, { ...more, asking, quotes }));
}
