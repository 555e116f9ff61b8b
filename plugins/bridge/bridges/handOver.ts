// Records the intents of a bridge, and hands its signatures to the provider once.

import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { type AuthorizeRequest, BRIDGE_AUTHORIZE } from "#plugins/bridge/bridges/authorizeKind.ts";
import { mustAsk, switchDenial } from "#plugins/bridge/bridges/bridgeBody.ts";
import { BRIDGE_DEPOSIT, type DepositRequest } from "#plugins/bridge/bridges/planDeposit.ts";
import { seekAuthorized } from "#plugins/bridge/bridges/seekAuthorized.ts";
import { QUOTE_MARGIN_MS } from "#plugins/bridge/limits.ts";
import { type Authorization, readAuthorization } from "#plugins/bridge/quote/authorizations.ts";
import type { WireStep } from "#plugins/bridge/relay/wire.ts";
import {
	type Bridge,
	changeBridge,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import {
	type HandOver,
	type HandOverState,
	insertHandOver,
	moveHandOver,
	quoteOfOrder,
	readHandOvers,
	readQuote,
	type StoredQuote,
} from "#plugins/bridge/sql/quotes.ts";
import type { Denial, NewIntent, Profile } from "#plugins/wallets/contract.ts";

type Given = { bridge: Bridge; row: HandOver; quote: StoredQuote; signal: AbortSignal };

type Outcome = { state: HandOverState; detail?: string; more?: readonly WireStep[] };

const ASK_TIMEOUT_MS = 5_000;

/**
 * Takes a bridge further whose owner signs in place of depositing: hands over what is signed, once,
 * and then asks the chain whether the money was taken. Does nothing for other bridges.
 */
export async function handOver(
	context: BridgeContext,
	id: string,
	signal: AbortSignal,
): Promise<void> {
	const { db } = context.core;
	const [bridge, rows] = await Promise.all([readBridge(db, id), readHandOvers(db, id)]);
	const [first] = rows;
	const row = rows.at(-1);
	if (!bridge?.route || !first || !row || bridge.depositedAt !== null) return;
	const signed = await context.wallets.execution.read(first.intentId, bridge.profileId);
	// Until then its intent says where it stands.
	if (signed?.status !== "confirmed") return;
	const orderId = signed.plan?.shown["orderId"];
	const quote = await quoteOfOrder(db, { bridgeId: id, seq: bridge.quoteSeq, orderId });
	if (!quote) return;
	const given = { bridge, row, quote, signal };
	if (row.state === "ready" && (await handOne(context, given))) return;
	const [payment] = quote.authorizations;
	if (payment?.kind === "payment" && first.state !== "ready") {
		await seekAuthorized(context, { bridge, rows: await readHandOvers(db, id), payment, signal });
	}
}

/**
 * Records the intent that deposits, or signs, by a bridge's newest quote, with the bounds that hold
 * for every plan of it, and returns its id; null where the bridge has no quote. The caller holds
 * the bridge and writes the id there, in the same transaction.
 */
export async function recordDeposit(
	context: BridgeContext,
	tx: Tx,
	{ bridge, profile }: { bridge: Bridge; profile: Profile },
): Promise<string | null> {
	const { wallets } = context;
	const { id: bridgeId, route, quoteSeq, channel, walletId } = bridge;
	const quote = await readQuote(tx, { bridgeId, seq: quoteSeq ?? 0 });
	if (!quote || !route) return null;
	const wallet = profile.wallets.find(({ id }) => id === walletId) ?? null;
	const { chainId } = route.origin;
	const request: DepositRequest = {
		...{ bridgeId, amountRaw: String(route.amountRaw) },
		minimumOutRaw: String(quote.minimumOutRaw),
	};
	const asks = mustAsk(bridge, route, profile.wallets) || quote.told.isLossUnknown;
	const common = { profile, wallet, chainId, channel, asks };
	if (quote.authorizations.length > 0) {
		return await recordAuthorization(context, tx, { ...common, bridgeId, request, step: 0 });
	}
	const [intent] = await wallets.execution.create(tx, [
		{ ...common, kind: BRIDGE_DEPOSIT, request },
	]);
	return intent?.id ?? null;
}

/**
 * Records the intent that signs a step in place of a deposit, with the row by which its signature
 * is handed over, and returns its id.
 */
async function recordAuthorization(
	{ wallets, core }: BridgeContext,
	tx: Tx,
	given: Omit<NewIntent, "kind" | "request"> & {
		bridgeId: string;
		step: number;
		request: DepositRequest;
		/** The authorization, where the provider asked for it only later. */
		asked?: Authorization;
	},
): Promise<string | null> {
	const { bridgeId, step, asked = null, request: bounds, ...rest } = given;
	const request: AuthorizeRequest = { ...bounds, step };
	const [intent] = await wallets.execution.create(tx, [
		{ ...rest, kind: BRIDGE_AUTHORIZE, request },
	]);
	if (!intent) return null;
	const at = new Date(core.clock.nowMs());
	await insertHandOver(tx, { bridgeId, step, intentId: intent.id, asked, at });
	return intent.id;
}

/** Reads the profile of a bridge's owner, as it is now. */
export async function profileOf(
	{ wallets }: Pick<BridgeContext, "wallets">,
	profileId: string,
): Promise<Profile> {
	const caller = { channel: "agent", authority: "session", profileId } as const;
	return (await wallets.principalOf(caller)).profile;
}

/**
 * Hands over one signature; returns true where there was none, so no result has to be looked for.
 */
async function handOne(context: BridgeContext, given: Given): Promise<boolean> {
	const { bridge, row, quote, signal } = given;
	const { execution } = context.wallets;
	const isFirst = row.step === 0;
	if (!isFirst) await execution.advance([row.intentId], signal);
	const authorization = row.asked ?? quote.authorizations[row.step];
	const signature = await execution.signatureOf(row.intentId);
	const refusal = refusalNow(context, bridge, quote);
	if (!authorization || signature === null || refusal) {
		if (isFirst && refusal) await close(context, bridge, refusal);
		return isFirst;
	}
	if (!(await begin(context, given))) return isFirst;
	const outcome = await send(context, { authorization, signature, signal });
	await write(context, given, outcome);
	return false;
}

/** Returns why a signature is not handed over now; null: it is. Nobody else has it yet. */
function refusalNow(
	{ settings, core }: BridgeContext,
	{ channel, heldAt }: Bridge,
	{ deadlineMs }: StoredQuote,
): Denial | null {
	const off = switchDenial(settings, channel);
	if (off) return off;
	if (heldAt !== null)
		return { code: "bridge_disabled", detail: "An operator stopped this bridge." };
	if (deadlineMs - core.clock.nowMs() > QUOTE_MARGIN_MS) return null;
	return { code: "quote_expired", detail: "The bridge's quote has ended." };
}

async function close(context: BridgeContext, { id }: Bridge, denial: Denial): Promise<void> {
	const { core, steps } = context;
	const { code: errorCode, detail } = denial;
	const at = new Date(core.clock.nowMs());
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, id);
		const rows = await readHandOvers(tx, id);
		if (!held || rows.some(({ state }) => state !== "ready")) return;
		const event = held.heldAt === null ? "reject" : "disable";
		await moveBridge(tx, held, { event, at, change: { errorCode, detail, lookAt: null } });
	};
	await steps.run("bridge.close", () => core.db.transaction(act));
}

/** Records that the signature goes out now; returns true for one caller in all time. */
async function begin(context: BridgeContext, { bridge, row }: Given): Promise<boolean> {
	const { core, steps } = context;
	const at = new Date(core.clock.nowMs());
	const { bridgeId, step } = row;
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.heldAt !== null || held.depositedAt !== null) return false;
		// Called off, or closed, by somebody else a moment ago.
		if (held.status === "rejected" || held.status === "disabled") return false;
		if (!(await moveHandOver(tx, { bridgeId, step, from: "ready", to: "handed", at })))
			return false;
		const change = { lookAt: at, errorCode: null, detail: null };
		if ((await moveBridge(tx, held, { event: "execute", at, change })) === null) {
			await changeBridge(tx, held.id, change);
		}
		return true;
	};
	return await steps.run("bridge.hand_over", () => core.db.transaction(act));
}

/**
 * Hands a signature to the provider. What is silent, unreadable or odd may have been taken; a
 * refusal that says so was not, and yet they have it: so the chain is asked after either. Only what
 * never left this process is ready still.
 */
async function send(
	context: BridgeContext,
	given: { authorization: Authorization; signature: Hex; signal: AbortSignal },
): Promise<Outcome> {
	const { relay, steps } = context;
	const { authorization, signature, signal } = given;
	const { body } = authorization;
	try {
		const more = await steps.run("bridge.permit", () =>
			relay.permit({ signature, body }, { purpose: "trade", signal }),
		);
		return { state: "taken", more };
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		if (error.meta["isSent"] === false) return { state: "ready", detail: error.code };
		const isRefused = error.code === "bridge_provider_refused";
		return { state: isRefused ? "refused" : "doubtful", detail: error.code };
	}
}

/** Writes the answer down, with the step that it asks for. */
async function write(context: BridgeContext, given: Given, outcome: Outcome): Promise<void> {
	const { core, steps } = context;
	const { bridge, row, quote } = given;
	const { bridgeId, step } = row;
	const more = (outcome.more ?? []).filter(
		({ kind }) => kind === "signature" || kind === "transaction",
	);
	const next = await appendedStep(context, { bridge, row, quote, more });
	const isOdd = next === "odd";
	const state = isOdd ? "doubtful" : outcome.state;
	const detail = isOdd ? "step_unknown" : outcome.detail;
	const profile = next === null || isOdd ? null : await profileOf(context, bridge.profileId);
	const at = new Date(core.clock.nowMs());
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		const to = { bridgeId, step, from: "handed", to: state, at } as const;
		const moved = await moveHandOver(tx, { ...to, ...(detail !== undefined && { detail }) });
		if (!held?.route || !moved) return;
		if (state === "refused" || state === "doubtful") {
			const errorCode = isOdd ? "step_unknown" : `hand_over_${state}`;
			await moveBridge(tx, held, { event: "doubt", at, change: { errorCode } });
		}
		const wallet = profile?.wallets.find(({ id }) => id === held.walletId);
		if (!profile || !wallet || next === null || next === "odd") return;
		const { chainId } = held.route.origin;
		const { amountRaw } = held.route;
		await recordAuthorization(context, tx, {
			...{ profile, wallet, chainId, channel: held.channel, bridgeId, step: step + 1 },
			request: {
				...{ bridgeId, amountRaw: String(amountRaw) },
				minimumOutRaw: String(quote.minimumOutRaw),
			},
			...(next !== "quoted" && { asked: next }),
		});
	};
	await steps.run("bridge.handed", () => core.db.transaction(act));
}

/**
 * Returns the next signature: the quote's next one, or one that the provider asks for only now.
 * `odd`: it asks for something that was not agreed to, which is refused; null: nothing follows.
 */
async function appendedStep(
	{ directory, core }: BridgeContext,
	given: Pick<Given, "bridge" | "row" | "quote"> & { more: readonly WireStep[] },
): Promise<Authorization | "quoted" | "odd" | null> {
	const { bridge, row, quote, more } = given;
	if (row.step === 0 && quote.authorizations.length > 1) return "quoted";
	const [step] = more;
	if (!step) return null;
	// One signature for the order, behind the one for the money: there is no third.
	if (row.step !== 0 || more.length !== 1 || !bridge.route) return "odd";
	const { chainId } = bridge.route.origin;
	const options = { purpose: "trade", signal: AbortSignal.timeout(ASK_TIMEOUT_MS) } as const;
	const chains = await directory.knownChains(options).catch(() => []);
	const origin = chains.find(({ id }) => id === chainId);
	if (!origin) return "odd";
	const asked = { route: bridge.route, origin, nowMs: core.clock.nowMs() };
	const { requestId, orderId } = quote;
	const read = readAuthorization(asked, { step, kind: "order", requestId, orderId });
	return "flaw" in read ? "odd" : read;
}
