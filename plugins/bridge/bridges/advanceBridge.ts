// Takes a bridge from what was asked for to its recorded deposit.

import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { switchDenial } from "#plugins/bridge/bridges/bridgeBody.ts";
import { handOver, profileOf, recordDeposit } from "#plugins/bridge/bridges/handOver.ts";
import { balanceDenial, neededFor } from "#plugins/bridge/bridges/planDeposit.ts";
import { quoteBridge, takenDenial } from "#plugins/bridge/bridges/quoteBridge.ts";
import { readRouteRules, resolveRoute } from "#plugins/bridge/bridges/resolveRoute.ts";
import { seekDeposit } from "#plugins/bridge/bridges/signedStep.ts";
import { syncIntent } from "#plugins/bridge/bridges/syncIntent.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import {
	type Bridge,
	changeBridge,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { insertQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Denial, WalletCapability } from "#plugins/wallets/contract.ts";

const FIRST_QUOTE = 1;

/** Wallets that bridges may use: this service sends for delegated ones; else the owner signs. */
const SENDS: readonly WalletCapability[] = [
	"embedded/delegated",
	"embedded/manual",
	"external/manual",
];

/**
 * Takes a bridge as far as it goes before its deposit: from the request to a stored quote, to
 * recorded intents, to their states. Any caller may call it at any time: each step is taken under
 * the lock of the bridge's row, and once.
 *
 * Returns the bridge as it was last read or written; null where it may have changed since. A caller
 * that has the row passes it, because its owner waits for each round trip.
 */
export async function advanceBridge(
	context: BridgeContext,
	given: { id: string; known?: Bridge | null; signal: AbortSignal },
): Promise<Bridge | null> {
	const { db } = context.core;
	const { id, known, signal } = given;
	let begun = known ?? (await readBridge(db, id));
	if (begun?.status === "created") {
		begun = (await quote(context, begun, signal)) ?? (await readBridge(db, id));
	}
	if (begun?.status === "quoted" && begun.lookAt !== null) {
		begun = (await execute(context, begun)) ?? (await readBridge(db, id));
	}
	if (!begun || begun.intentId === null || begun.depositedAt !== null) return begun;
	if (begun.status === "executing") {
		await context.wallets.execution.advance([begun.intentId], signal);
	}
	await seekDeposit(context, { bridge: begun, signal });
	await syncIntent(context, id, signal);
	await handOver(context, id, signal);
	return null;
}

/**
 * Resolves what was asked for, and stores a checked quote with every step. Returns the bridge as it
 * was stored; null where it was not.
 */
async function quote(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<Bridge | null> {
	const { core, settings, steps } = context;
	const off = switchDenial(settings, bridge.channel);
	if (off) return await reject(context, bridge.id, off);
	const [wallet, rules] = await Promise.all([
		walletOf(context, bridge),
		readRouteRules(core.db, bridge.profileId),
	]);
	if ("code" in wallet) return await reject(context, bridge.id, wallet);
	const options = { purpose: "trade", signal } as const;
	try {
		const { request } = bridge;
		const found = await resolveRoute(context, { request, wallet, rules, options });
		if (found.kind === "bad") return await reject(context, bridge.id, found.denial);
		const { resolved } = found;
		const [quoted, short] = await Promise.all([
			steps.run("bridge.quote", () => quoteBridge(context, resolved, options)),
			shortageOf(context, resolved.route, signal),
		]);
		if (short && !settings.isDryRun) return await reject(context, bridge.id, short);
		if (quoted.kind === "bad") return await reject(context, bridge.id, quoted.denial);
		const act = async (tx: Tx) => {
			// Both travel together.
			const [held, taken] = await Promise.all([
				lockBridge(tx, bridge.id),
				takenDenial(tx, quoted.quote),
			]);
			if (held?.status !== "created") return null;
			if (taken) return taken;
			const at = new Date(core.clock.nowMs());
			// A dry run ends here: it is looked at no more.
			const lookAt = settings.isDryRun ? null : at;
			const { route } = resolved;
			// Nothing was quoted before, and its row is held: so this is the first.
			const change = { route, quoteSeq: FIRST_QUOTE, lookAt };
			sentWithCommit(tx, () =>
				insertQuote(tx, { bridgeId: bridge.id, ...quoted, at, seq: FIRST_QUOTE }),
			);
			sentWithCommit(tx, () => moveBridge(tx, held, { event: "quote", at, change }));
			return { ...held, ...change, status: "quoted", changedAt: at } as const;
		};
		const stored = await steps.run("bridge.store", () => core.db.transaction(act));
		return stored && "code" in stored ? await reject(context, bridge.id, stored) : stored;
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		// Nothing was sent: whoever asked is told, and may ask again.
		return await reject(context, bridge.id, { code: error.code, detail: error.publicDetail });
	}
}

/** Returns how much the wallet lacks; null: it has enough, or its plan has to find out. */
async function shortageOf(
	context: BridgeContext,
	route: BridgeRoute,
	signal: AbortSignal,
): Promise<Denial | null> {
	const { currency, chainId } = route.origin;
	const valueRaw = currency === ZERO_ADDRESS ? route.amountRaw : 0n;
	const needed = neededFor(context, { route, step: { valueRaw } });
	const asked = { owner: route.user, needed, signal };
	const denial = await balanceDenial(context.readers.own(chainId), asked);
	return denial?.code === "balance_insufficient" ? denial : null;
}

/** Sends a statement together with the commit, after those before it. */
function sentWithCommit(tx: Tx, run: () => Promise<unknown>): void {
	tx.beforeCommit(async () => void (await run()), { singleStatement: true });
}

async function walletOf(context: BridgeContext, { profileId, walletId }: Bridge) {
	const none = { code: "no_executable_wallet", detail: "Your profile has no wallet to use." };
	if (walletId === null) return none;
	const { wallets } = await profileOf(context, profileId);
	const wallet = wallets.find(({ id }) => id === walletId);
	if (wallet && SENDS.includes(wallet.capability)) return wallet;
	return { ...none, detail: "The wallet is switched off, or an operator has to look at it." };
}

async function reject(context: BridgeContext, id: string, denial: Denial): Promise<null> {
	const { core, steps } = context;
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, id);
		if (!held) return;
		const { code: errorCode, detail } = denial;
		const at = new Date(core.clock.nowMs());
		const change = { errorCode, detail, lookAt: null };
		await moveBridge(tx, held, { event: "reject", at, change });
	};
	await steps.run("bridge.close", () => core.db.transaction(act));
	return null;
}

/**
 * Records the deposit as an intent, with its bounds, in the transaction that says so. Returns the
 * bridge as it was stored; null where it was not.
 */
async function execute(context: BridgeContext, { id, profileId }: Bridge): Promise<Bridge | null> {
	const { core, settings, steps } = context;
	if (settings.isDryRun) {
		await changeBridge(core.db, id, { lookAt: null });
		return null;
	}
	const profile = await profileOf(context, profileId);
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, id);
		if (held?.status !== "quoted" || held.intentId !== null) return null;
		const intentId = await recordDeposit(context, tx, { bridge: held, profile });
		if (intentId === null) return null;
		const at = new Date(core.clock.nowMs());
		const change = { intentId, lookAt: at };
		await moveBridge(tx, held, { event: "execute", at, change });
		return { ...held, ...change, status: "executing", changedAt: at } as const;
	};
	return await steps.run("bridge.begin", () => core.db.transaction(act));
}
