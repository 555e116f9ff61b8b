// Creates, lists, quotes anew and shows bridges, for routes, tools and operators.

import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert, Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { advanceBridge } from "#plugins/bridge/bridges/advanceBridge.ts";
import { profileOf, recordDeposit } from "#plugins/bridge/bridges/handOver.ts";
import { replaceQuote } from "#plugins/bridge/bridges/quoteBridge.ts";
import { type BridgeView, renderBridge, renderMove } from "#plugins/bridge/bridges/renderBridge.ts";
import { readSteps, revokeAllowance, takeStepResult } from "#plugins/bridge/bridges/signedStep.ts";
import { cancelBridge } from "#plugins/bridge/bridges/syncIntent.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { ADVANCE_TIMEOUT_MS, OPEN_BRIDGES_MAX, TAKE_UP_AFTER_MS } from "#plugins/bridge/limits.ts";
import { isUnsent } from "#plugins/bridge/model.ts";
import type { Authorization } from "#plugins/bridge/quote/authorizations.ts";
import {
	type Bridge,
	type BridgeRequest,
	changeBridge,
	insertBridge,
	listBridges,
	listUnfinishedFirst,
	lockBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { listMoves, sumUnfinished } from "#plugins/bridge/sql/moves.ts";
import { readHandOvers, readQuote, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Channel, Intent, Principal, Profile } from "#plugins/wallets/contract.ts";

type BridgeAsked = {
	principal: Principal;
	request: BridgeRequest;
	/** Names the request together with its key: a route, or a tool. */
	route: string;
	tool?: string;
	idempotencyKey: string | null;
	channel: Channel;
	/** True: the owner approves by a link first, whatever their profile's settings are. */
	asks: boolean;
};

export type Bridges = ReturnType<typeof createBridges>;

/** Says what the owner is asked for, by the status of the intent that waits for them. */
const PURPOSES = new Map<string, "confirm" | "sign">([
	["confirmation_required", "confirm"],
	["signature_required", "sign"],
]);

/** Makes what people, programs and operators do with bridges. */
export function createBridges(context: BridgeContext) {
	const { core } = context;

	/** Reads a profile's own bridge; another profile's is answered as not found. */
	async function own(profileId: string, id: string): Promise<Bridge> {
		const bridge = await readBridge(core.db, id);
		if (bridge?.profileId !== profileId) throw bridgeFault.notFound();
		return bridge;
	}

	async function view(bridge: Bridge, { isAsked = false } = {}): Promise<BridgeView> {
		const [quote, intents] = await Promise.all([quoteOf(bridge), readSteps(context, bridge)]);
		const [deposit] = intents;
		const signed = await signersOf(context, bridge, quote);
		const urls = await linksOf(context, isAsked ? deposit : undefined);
		return renderBridge(bridge, { quote, intents, ...signed, ...urls });
	}

	async function quoteOf({ id, depositOf, quoteSeq: seq }: Bridge): Promise<StoredQuote | null> {
		return seq === null ? null : await readQuote(core.db, { bridgeId: depositOf ?? id, seq });
	}

	const goOn = (id: string, known: Bridge | null = null) => takeFurther(context, { id, known });

	return {
		own,
		goOn,
		show: view,
		view: async (profileId: string, id: string) => view(await own(profileId, id)),
		quoteOf,
		/** Records a bridge, once for each key, takes it as far as it goes, and answers 201. */
		create: (asked: BridgeAsked): Promise<Response> => create(context, asked, { goOn, view }),
		async list(query: { profileId: string; afterId: string | null; limit: number }) {
			const found = await listBridges(core.db, { ...query, limit: query.limit + 1 });
			const shown = found.slice(0, query.limit);
			const items = await Promise.all(shown.map((bridge) => view(bridge)));
			return { items, nextId: found.length > query.limit ? (shown.at(-1)?.id ?? null) : null };
		},
		/** Lists a profile's unfinished bridges, and then the newest. */
		async listUnfinishedFirst(profileId: string, limit: number): Promise<BridgeView[]> {
			const found = await listUnfinishedFirst(core.db, { profileId, limit });
			return await Promise.all(found.map((bridge) => view(bridge)));
		},
		/** Takes back an allowance that a bridge left over, and answers 202 with the bridge. */
		async revoke(principal: Principal, id: string, idempotencyKey: string | null) {
			const bridge = await own(principal.profile.id, id);
			const quote = await quoteOf(bridge);
			const render = async () => view(await own(principal.profile.id, id));
			const asked = { principal, bridge, quote, idempotencyKey, render };
			return revokeAllowance(context, asked);
		},
		/** Reads a bridge's timeline, the oldest line first. */
		moves: async (profileId: string, id: string) =>
			(await listMoves(core.db, (await own(profileId, id)).id)).map(renderMove),
		/** Reads how much of each currency a profile's unfinished bridges carry. */
		sums: (profileId: string) => sumUnfinished(core.db, profileId),
		/** Calls a bridge off, as long as nothing of it was sent. */
		async cancel(profileId: string, id: string): Promise<BridgeView> {
			const signal = AbortSignal.any([context.ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
			await cancelBridge(context, await own(profileId, id), signal);
			return view(await own(profileId, id));
		},
		/** Replaces the quote. Once a step was sent, or recorded to be sent, this is refused. */
		async requote(profileId: string, id: string): Promise<BridgeView> {
			await requoteBridge(context, await own(profileId, id));
			await goOn(id);
			return view(await own(profileId, id), { isAsked: true });
		},
		/** Records a hash that an owner's wallet reported, and returns the bridge in its new state. */
		async takeResult(principal: Principal, id: string, hash: Hex): Promise<BridgeView> {
			const { profile } = principal;
			const bridge = await own(profile.id, id);
			const signal = AbortSignal.any([context.ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
			await takeStepResult(context, { bridge, profile, hash, signal });
			await goOn(id);
			return view(await own(profile.id, id), { isAsked: true });
		},
	};
}

/**
 * Quotes a bridge again, where nothing of it was sent. A signing request to its owner's own wallet
 * is cancelled first, and made again by the newer quote: if two deposits could be signed, the
 * second would be a second payment.
 */
async function requoteBridge(context: BridgeContext, bridge: Bridge): Promise<void> {
	const asked = await signableOf(context, bridge);
	const isSent = bridge.depositHash !== null || !(isUnsent(bridge.status) || asked);
	if (isSent) throw bridgeFault.requoteAfterSubmission();
	if (bridge.route === null) throw bridgeFault.quoteMissing();
	const denial = await replaceQuote(context, bridge, context.ending);
	if (denial) {
		const { code: errorCode, detail } = denial;
		throw bridgeFault.bridgeState({ public: detail, members: { errorCode } });
	}
	if (asked) await askAnew(context, bridge, asked);
}

/** Makes the link by which the owner answers what a deposit, or a step before it, waits for. */
async function linksOf({ wallets }: BridgeContext, deposit: Intent | undefined) {
	const asking = deposit ? await wallets.execution.asking(deposit) : null;
	const purpose = asking ? PURPOSES.get(asking.status) : undefined;
	const link = asking && purpose ? await wallets.link(asking, purpose) : null;
	return {
		confirmUrl: purpose === "confirm" ? (link?.url ?? null) : null,
		signUrl: purpose === "sign" ? (link?.url ?? null) : null,
	};
}

/** Reads the intents that sign in place of transactions, and what the provider asked for later. */
async function signersOf(
	{ core, wallets }: BridgeContext,
	{ id, profileId }: Bridge,
	quote: StoredQuote | null,
): Promise<{ signers: (Intent | null)[]; later: Authorization[] }> {
	if (!quote || quote.authorizations.length === 0) return { signers: [], later: [] };
	const rows = await readHandOvers(core.db, id);
	const signers = rows.map((row) => wallets.execution.read(row.intentId, profileId));
	return { signers: await Promise.all(signers), later: rows.flatMap(({ asked }) => asked ?? []) };
}

/**
 * Takes a bridge as far as it goes now, and returns its new state; null where that has to be read.
 * If it cannot go on now, the current state is returned: a job continues it.
 */
async function takeFurther(
	context: BridgeContext,
	{ id, known }: { id: string; known: Bridge | null },
): Promise<Bridge | null> {
	const { core, ending } = context;
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		return await advanceBridge(context, { id, known, signal });
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		core.log[level]("a bridge could not be taken further now", { error });
		return null;
	}
}

async function create(
	context: BridgeContext,
	asked: BridgeAsked,
	{
		goOn,
		view,
	}: {
		goOn(id: string, known: Bridge | null): Promise<Bridge | null>;
		view(bridge: Bridge, options: { isAsked: boolean }): Promise<BridgeView>;
	},
): Promise<Response> {
	const { core, wallets } = context;
	const { principal, request, route, tool, idempotencyKey, channel, asks } = asked;
	const { profile } = principal;
	const walletId = walletOf(profile);
	let inserted: Bridge | null = null;
	return await wallets.once({
		...{ principal, route, idempotencyKey, intents: [] },
		body: tool === undefined ? request : { tool, ...request },
		async record(tx, id) {
			const createdAt = new Date(core.clock.nowMs());
			// Whoever recorded it takes it further at once; a job does where that process died.
			const lookAt = new Date(createdAt.getTime() + TAKE_UP_AFTER_MS);
			const profileId = profile.id;
			inserted = await insertBridge(tx, {
				...{ id, profileId, walletId, channel, asks, request, createdAt, lookAt },
				openMax: OPEN_BRIDGES_MAX,
			});
			if (!inserted) throw bridgeFault.bridgesTooMany();
		},
		async answer(_ids, recorded, id) {
			assert(id !== null, "a bridge that was recorded has an id");
			// An earlier request's is where that request, and the jobs, have taken it.
			const stands = await goOn(id, recorded === null ? null : inserted);
			const bridge = stands ?? (await readBridge(core.db, id));
			assert(bridge, "a bridge that was recorded is there");
			return { status: 201, body: await view(bridge, { isAsked: true }) };
		},
	});
}

function walletOf({ canonicalWalletId, wallets }: Profile): string | null {
	return canonicalWalletId ?? wallets[0]?.id ?? null;
}

/**
 * Returns the intent that the owner's wallet is asked to sign first, as long as it was not signed;
 * null where it is none, or where a step before it was sent.
 */
async function signableOf(
	{ wallets }: BridgeContext,
	{ status, intentId, profileId }: Bridge,
): Promise<Intent | null> {
	if (status !== "signature_required" || intentId === null) return null;
	const deposit = await wallets.execution.read(intentId, profileId);
	if (!deposit) return null;
	const asking = await wallets.execution.asking(deposit);
	const isFirst = asking.afterId === null;
	return asking.status === "signature_required" && isFirst ? asking : null;
}

/**
 * Records the new deposit in place of the one before, then cancels the old one. In the other order
 * another process could find a bridge whose deposit is cancelled, and end it. If the old one was
 * signed meanwhile it stays, and the new one is cancelled instead.
 */
async function askAnew(context: BridgeContext, bridge: Bridge, asked: Intent): Promise<void> {
	const { wallets, ending } = context;
	const { intentId, profileId } = bridge;
	if (intentId === null) return;
	const next = await putDeposit(context, { bridge, before: intentId });
	const by = { actor: `profile:${profileId}`, isUnsentOnly: true, signal: ending };
	try {
		await wallets.execution.cancel(asked.id, by);
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		await putDeposit(context, { bridge, before: next, now: intentId });
		await wallets.execution.cancel(next, by);
		throw bridgeFault.requoteAfterSubmission();
	}
	await wallets.execution.advance([next], ending);
}

/** Makes another intent the deposit of a bridge: a new one, unless one is named. Returns its id. */
async function putDeposit(
	context: BridgeContext,
	{ bridge, before, now }: { bridge: Bridge; before: string; now?: string },
): Promise<string> {
	const { core, steps } = context;
	const profile = await profileOf(context, bridge.profileId);
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		// It was told of a signature in between.
		if (!held || held.intentId !== before || held.depositedAt !== null) {
			throw bridgeFault.bridgeState();
		}
		const intentId = now ?? (await recordDeposit(context, tx, { bridge: held, profile }));
		if (intentId === null) throw bridgeFault.quoteMissing();
		await changeBridge(tx, bridge.id, { intentId, lookAt: new Date(core.clock.nowMs()) });
		return intentId;
	};
	return await steps.run("bridge.begin", () => core.db.transaction(act));
}
