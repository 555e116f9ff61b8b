// Lets operators list, retry and stop bridges, and take chains out, from HTTP and the shell.

import { z } from "zod";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert, Fault } from "#core/fault.ts";
import { type CliCommand, type CliContext, serviceKey } from "#core/plugin/Plugin.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import type { Bridges } from "#plugins/bridge/bridges/createBridges.ts";
import type { BridgeView } from "#plugins/bridge/bridges/renderBridge.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import type { BridgeEvent } from "#plugins/bridge/model.ts";
import { operateChains } from "#plugins/bridge/operator/operateChains.ts";
import { wireUint } from "#plugins/bridge/relay/order.ts";
import type { Accepted } from "#plugins/bridge/sql/arrivals.ts";
import {
	type Bridge,
	type BridgeChange,
	changeBridge,
	isWakeable,
	listOpenBridges,
	lockBridge,
	moveBridge,
	readBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { PIN_ROLES } from "#plugins/bridge/sql/pins.ts";

type BridgeOperations = ReturnType<typeof operateBridges>;

/**
 * Holds an operator's change of a bridge that is locked; throws a Fault where it is not allowed.
 */
type Changed = { move?: BridgeEvent; change: BridgeChange };
type Change = { actor: string; action: string; to(held: Bridge, at: Date): Changed };

type Audited = { actor: string; action: string; id: string; detail: Record<string, unknown> };

/** Parses the arrival that an operator was shown, and accepts. */
export const shownArrival = z.strictObject({
	transactionHash: anyCaseWordSchema,
	amountRaw: wireUint,
	currency: anyCaseAddressSchema,
});
export type ShownArrival = z.output<typeof shownArrival>;

/** Maps an error code to the end that paid less than was promised. */
const SHORT_ENDS = new Map<string, Accepted["end"]>([
	["fill_short", "fill"],
	["refund_short", "refund"],
]);

/** Statuses of an intent of which nothing was sent. */
const WAITING: readonly string[] = ["created", "confirmation_required", "signature_required"];

/** Names the service that only the commands below use. */
export const BridgeOperatorKey = serviceKey<BridgeOperations>()("bridge");

/** The actor in the audit log: anyone with a shell on the machine. */
const ACTOR = "svc";
const LISTED_MAX = 200;
const USAGE =
	"bridge list | show|retry|look|close|disable <id> | " +
	"accept <id> <transactionHash> <amountRaw> <currency>";
const CHAIN_USAGE = "bridge-chain <chainId> <true|false>";
const CLOSED = "bridge.closed";
const PIN_USAGE = "bridge-pin <chainId> <depository|proxy|solver|filler> <address> [codeHash]";

/**
 * The operators' command about bridges. Nothing is sent from here: what is to go on is made
 * due, and the running service takes it up.
 */
const bridgeCommand: CliCommand = {
	name: "bridge",
	usage: USAGE,
	summary: "list open bridges; show, retry or stop one of anybody's",
	async run(args, context) {
		const [what, ...rest] = args;
		if (what === "list" && rest.length === 0) return withOperations(context, list);
		const [named, ...shown] = rest;
		const id = z.uuid().safeParse(named).data?.toLowerCase();
		if (id === undefined) throw usage(USAGE);
		if (what === "accept") {
			const [transactionHash, amountRaw, currency, ...more] = shown;
			const { data } = shownArrival.safeParse({ transactionHash, amountRaw, currency });
			if (!data || more.length > 0) throw usage(USAGE);
			return withOperations(context, async ({ accept }) =>
				print(context, await accept(id, data, ACTOR)),
			);
		}
		if (shown.length > 0) throw usage(USAGE);
		switch (what) {
			case "show":
				return withOperations(context, async ({ show }) => print(context, await show(id)));
			case "retry":
			case "look":
			case "close":
			case "disable":
				return withOperations(context, async (operations) =>
					print(context, await operations[what](id, ACTOR)),
				);
			default:
				throw usage(USAGE);
		}
	},
};

const chainCommand: CliCommand = {
	name: "bridge-chain",
	usage: CHAIN_USAGE,
	summary: "take a chain out of bridging, or back in, for new bridges",
	async run(args, context) {
		const [id, word, ...rest] = args;
		const { data: chainId } = chainIdText.safeParse(id);
		const isOn = word === "true" ? true : word === "false" ? false : null;
		if (chainId === undefined || isOn === null || rest.length > 0) throw usage(CHAIN_USAGE);
		return withOperations(context, async ({ switchChain }) => {
			const before = await switchChain({ chainId, isOn }, ACTOR);
			const was = before === null ? "was not set before" : `was ${before} before`;
			context.out(`${chainId} ${isOn}`);
			context.note(`bridging over chain ${chainId} is ${isOn}; it ${was}`);
			return 0;
		});
	},
};

const pinCommand: CliCommand = {
	name: "bridge-pin",
	usage: PIN_USAGE,
	summary: "trust a contract or solver of the bridge provider's as it is now",
	async run(args, context) {
		const [id, word, text, hash, ...rest] = args;
		const { data: codeHash } = anyCaseWordSchema.optional().safeParse(hash);
		const { data: chainId } = chainIdText.safeParse(id);
		const { data: role } = z.enum(PIN_ROLES).safeParse(word);
		const { data: address } = anyCaseAddressSchema.safeParse(text);
		const isCode = hash === undefined || codeHash !== undefined;
		if (!chainId || !role || !address || !isCode || rest.length > 0) throw usage(PIN_USAGE);
		return withOperations(context, async ({ pin }) => {
			const named = { chainId, role, address, codeHash: codeHash ?? null };
			for (const one of await pin(named, ACTOR)) {
				context.out([one.role, one.address, one.codeHash ?? "-"].join("\t"));
			}
			return 0;
		});
	},
};

/** Commands of `bun run svc` about bridges. */
export const operatorCommands: readonly CliCommand[] = [bridgeCommand, chainCommand, pinCommand];

const chainIdText = z
	.string()
	.regex(/^[1-9][0-9]{0,15}$/)
	.transform(Number)
	.pipe(z.int());

/**
 * Makes what operators do with anybody's bridges. Each change is in the audit log with its actor,
 * in the transaction that makes it. It is written down and made due: where `goOn` is given it is
 * taken further at once, else the running service does so in its next turn.
 */
export function operateBridges(
	context: BridgeContext,
	{ bridges, goOn = async () => {} }: { bridges: Bridges; goOn?(id: string): Promise<unknown> },
) {
	const { core, steps } = context;

	async function find(id: string): Promise<Bridge> {
		const bridge = await readBridge(core.db, id);
		if (!bridge) throw bridgeFault.notFound();
		return bridge;
	}

	const show = async (id: string): Promise<BridgeView> => bridges.show(await find(id));

	async function change(id: string, asked: Change): Promise<BridgeView> {
		await changeHeld(context, id, asked);
		// What is closed would be found where it was at once.
		if (asked.action !== CLOSED) await goOn(id);
		return await show(id);
	}

	/** Looks for a bridge's money again, also after it was given up; returns its new state. */
	const look = (id: string, actor: string): Promise<BridgeView> =>
		change(id, { actor, action: "bridge.looked", to: lookedAt });

	return {
		show,
		look,
		/**
		 * Accepts payments of the provider that are less than promised as the bridge's end: those that
		 * the operator was shown, and nothing that took their place.
		 */
		accept: (id: string, shown: ShownArrival, actor: string): Promise<BridgeView> =>
			change(id, { actor, action: "bridge.accepted", to: accepting(shown) }),
		/** Closes a bridge whose money is not found, by an operator's decision: no job looks again. */
		close: (id: string, actor: string): Promise<BridgeView> =>
			change(id, { actor, action: CLOSED, to: closed }),
		/** Lists open bridges, newest first, and says whether there are more. */
		async list(limit: number): Promise<{ bridges: BridgeView[]; hasMore: boolean }> {
			const found = await listOpenBridges(core.db, limit + 1);
			const listed = found.slice(0, limit);
			const shown = await Promise.all(listed.map((bridge) => bridges.show(bridge)));
			return { bridges: shown, hasMore: found.length > listed.length };
		},
		/** Continues a bridge that stopped. A quote that is still valid is used again. */
		async retry(id: string, actor: string): Promise<BridgeView> {
			const bridge = await find(id);
			if (bridge.status !== "created" && bridge.status !== "quoted") return await look(id, actor);
			const at = new Date(core.clock.nowMs());
			const act = async (tx: Tx) => {
				await changeBridge(tx, id, { lookAt: at, heldAt: null, errorCode: null });
				await audit(context, tx, { actor, action: "bridge.retried", id, detail: {} });
			};
			await steps.run("bridge.begin", () => core.db.transaction(act));
			await goOn(id);
			return await show(id);
		},
		/** Ends a bridge, or holds back its next step. Its money is followed all the same. */
		async disable(id: string, actor: string): Promise<BridgeView> {
			const bridge = await find(id);
			const at = new Date(core.clock.nowMs());
			const act = async (tx: Tx) => {
				const held = await lockBridge(tx, id);
				assert(held, "a bridge that was read is there");
				await changeBridge(tx, id, { heldAt: at });
				if (held.intentId === null) {
					const change = { lookAt: null, errorCode: "bridge_disabled" };
					await moveBridge(tx, held, { event: "disable", at, change });
				}
				const detail = { status: held.status };
				await audit(context, tx, { actor, action: "bridge.disabled", id, detail });
			};
			await steps.run("bridge.close", () => core.db.transaction(act));
			await callOff(context, bridge, actor);
			await goOn(id);
			return await show(id);
		},
		...operateChains(context),
	};
}

/** Writes down what an operator did with a bridge, in one transaction with what it changes. */
async function changeHeld(
	context: BridgeContext,
	id: string,
	{ actor, action, to }: Change,
): Promise<void> {
	const { core, steps } = context;
	const at = new Date(core.clock.nowMs());
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, id);
		if (!held) throw bridgeFault.notFound();
		const { move = null, change } = to(held, at);
		const moved = move && (await moveBridge(tx, held, { event: move, at, change }));
		if (!moved) await changeBridge(tx, id, change);
		const detail = { status: held.status, arrived: String(held.arrivedRaw ?? "") };
		await audit(context, tx, { actor, action, id, detail });
	};
	await steps.run("bridge.begin", () => core.db.transaction(act));
}

function lookedAt(held: Bridge, at: Date): Changed {
	if (!isWakeable(held)) throw bridgeFault.bridgeState();
	return { change: { lookAt: at } };
}

/** Throws unless the accepted amount was found: nothing is accepted before it has arrived. */
function accepting({ transactionHash, amountRaw, currency }: ShownArrival): Change["to"] {
	return (held, at) => {
		const { errorCode, outHash, outChainId: chainId, outCurrency, arrivedRaw: raw } = held;
		const end = errorCode === null ? undefined : SHORT_ENDS.get(errorCode);
		if (held.status !== "uncertain" || !end) throw bridgeFault.bridgeState();
		const isShown = outHash === transactionHash && outCurrency === currency && raw === amountRaw;
		if (!isShown || !raw || chainId === null) throw bridgeFault.arrivalChanged();
		const accepted = { end, chainId, currency, raw, hash: transactionHash };
		return { change: { acceptedAt: at, accepted, lookAt: at } };
	};
}

function closed(held: Bridge, at: Date): Changed {
	const isOpen = ["uncertain", "timed_out", "failure"].includes(held.status);
	if (!isOpen) throw bridgeFault.bridgeState();
	const detail = "An operator closed it: ask for a look where it turns up.";
	const change = { lookAt: null, stoppedAt: at, errorCode: "closed_by_operator", detail };
	return { move: held.depositedAt === null ? "give_up" : "fail", change };
}

async function list(operations: BridgeOperations, { out, note }: CliContext): Promise<number> {
	const { bridges, hasMore } = await operations.list(LISTED_MAX);
	for (const { id, status, amount, origin, destination, errorCode, where } of bridges) {
		const what = origin ? `${amount} ${origin.symbol}` : amount;
		const way = `${origin?.chain ?? "?"} > ${destination?.chain ?? "?"}`;
		out([id, status, errorCode ?? "-", what, way, where].join("\t"));
	}
	if (hasMore) note(`there are more than ${LISTED_MAX}`);
	return 0;
}

async function audit(
	{ core }: BridgeContext,
	tx: Tx,
	{ actor, action, id, detail }: Audited,
): Promise<void> {
	await core.audit.append(tx, {
		...{ actor: `operator:${actor}`, action, subject: `bridge:${id}`, detail },
	});
}

/** Cancels an intent that waits for its owner; one that was sent, or is being sent, continues. */
async function callOff(
	{ wallets, ending }: BridgeContext,
	{ intentId, profileId }: Bridge,
	actor: string,
): Promise<void> {
	const deposit = intentId === null ? null : await wallets.execution.read(intentId, profileId);
	const intent = deposit && (await wallets.execution.asking(deposit));
	if (!intent || !WAITING.includes(intent.status)) return;
	try {
		await wallets.execution.cancel(intent.id, { actor: `operator:${actor}`, signal: ending });
	} catch (error) {
		// It moved meanwhile: its next plan is denied all the same.
		if (!(error instanceof Fault)) throw error;
	}
}

function usage(text: string) {
	return bridgeFault.command({ public: `bun run svc ${text}` });
}

async function withOperations(
	context: CliContext,
	act: (operations: BridgeOperations, context: CliContext) => Promise<number>,
): Promise<number> {
	const { needs, close } = await context.openCore({ operations: BridgeOperatorKey });
	try {
		return await act(needs.operations, context);
	} finally {
		await close();
	}
}

function print({ out }: CliContext, bridge: BridgeView): number {
	out(JSON.stringify(bridge, null, 2));
	return 0;
}
