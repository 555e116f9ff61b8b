import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { switchDenial } from "#plugins/bridge/bridges/channelRules.ts";
import { handOver } from "#plugins/bridge/bridges/handOver.ts";
import { quoteBridge } from "#plugins/bridge/bridges/quoteBridge.ts";
import { profileOf, recordDeposit } from "#plugins/bridge/bridges/recordDeposit.ts";
import { resolveRoute } from "#plugins/bridge/bridges/resolveRoute.ts";
import { seekDeposit } from "#plugins/bridge/bridges/signedStep.ts";
import { syncIntent } from "#plugins/bridge/bridges/syncIntent.ts";
import {
	type Bridge,
	changeBridge,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { insertQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Denial, WalletCapability } from "#plugins/wallets/contract.ts";

/**
 * Takes a bridge as far as it goes before its deposit: from what was asked for to a stored quote,
 * to recorded intents, to whatever those are. It may be called at any time by anybody: each step
 * is taken under the bridge's row, and once.
 */
export async function advanceBridge(
	context: BridgeContext,
	id: string,
	signal: AbortSignal,
): Promise<void> {
	const { db } = context.core;
	let begun = await readBridge(db, id);
	if (begun?.status === "created") {
		await quote(context, begun, signal);
		begun = await readBridge(db, id);
	}
	if (begun?.status === "quoted" && begun.lookAt !== null) {
		await execute(context, begun);
		begun = await readBridge(db, id);
	}
	if (!begun || begun.intentId === null || begun.depositedAt !== null) return;
	if (begun.status === "executing") {
		await context.wallets.execution.advance([begun.intentId], signal);
	}
	await seekDeposit(context, begun, signal);
	await syncIntent(context, id);
	await handOver(context, id, signal);
}

/** Resolves what was asked for, and stores a checked quote with every step. */
async function quote(context: BridgeContext, bridge: Bridge, signal: AbortSignal): Promise<void> {
	const { core, settings, steps } = context;
	const off = switchDenial(settings, bridge.channel);
	if (off) return await reject(context, bridge.id, off);
	const wallet = await walletOf(context, bridge);
	if ("code" in wallet) return await reject(context, bridge.id, wallet);
	const options = { purpose: "trade", signal } as const;
	try {
		const found = await resolveRoute(context, { request: bridge.request, wallet, options });
		if (found.kind === "bad") return await reject(context, bridge.id, found.denial);
		const { resolved } = found;
		const quoted = await steps.run("bridge.quote", () => quoteBridge(context, resolved, options));
		if (quoted.kind === "bad") return await reject(context, bridge.id, quoted.denial);
		const act = async (tx: Tx) => {
			const held = await lockBridge(tx, bridge.id);
			if (held?.status !== "created") return;
			const at = new Date(core.clock.nowMs());
			const seq = await insertQuote(tx, { bridgeId: bridge.id, ...quoted, at });
			// A dry run ends here: it is looked at no more.
			const lookAt = settings.isDryRun ? null : at;
			const change = { route: resolved.route, quoteSeq: seq, lookAt };
			await moveBridge(tx, held, { event: "quote", at, change });
		};
		await steps.run("bridge.store", () => core.db.transaction(act));
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		// Nothing was sent: whoever asked is told, and may ask again.
		await reject(context, bridge.id, { code: error.code, detail: error.publicDetail });
	}
}

/** Delegated ones are sent from here; with the others their owner signs each step. */
const SENDS: readonly WalletCapability[] = [
	"embedded/delegated",
	"embedded/manual",
	"external/manual",
];

async function walletOf(context: BridgeContext, { profileId, walletId }: Bridge) {
	const none = { code: "no_executable_wallet", detail: "Your profile has no wallet to use." };
	if (walletId === null) return none;
	const { wallets } = await profileOf(context, profileId);
	const wallet = wallets.find(({ id }) => id === walletId);
	if (wallet && SENDS.includes(wallet.capability)) return wallet;
	return { ...none, detail: "The wallet is switched off, or an operator has to look at it." };
}

async function reject(context: BridgeContext, id: string, denial: Denial): Promise<void> {
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
}

/** Records the deposit as an intent, with its bounds, in the transaction that says so. */
async function execute(context: BridgeContext, { id, profileId }: Bridge): Promise<void> {
	const { core, settings, steps } = context;
	if (settings.isDryRun) return await changeBridge(core.db, id, { lookAt: null });
	const profile = await profileOf(context, profileId);
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, id);
		if (held?.status !== "quoted" || held.intentId !== null) return;
		const intentId = await recordDeposit(context, tx, { bridge: held, profile });
		if (intentId === null) return;
		const at = new Date(core.clock.nowMs());
		await moveBridge(tx, held, { event: "execute", at, change: { intentId, lookAt: at } });
	};
	await steps.run("bridge.begin", () => core.db.transaction(act));
}
