// Handles steps that an owner's own wallet sends: their hashes, and allowances left over.

import { z } from "zod";
import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { chainFault } from "#core/chain/reads/readBlocks.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { sleep } from "#core/time.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { profileOf } from "#plugins/bridge/bridges/handOver.ts";
import { depositPlan } from "#plugins/bridge/bridges/planDeposit.ts";
import {
	depositsIn,
	followSecond,
	freeOf,
	insertFree,
	isCall,
	quoteOfCall,
	type SeenTransaction,
} from "#plugins/bridge/bridges/secondDeposit.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import {
	ADVANCE_TIMEOUT_MS,
	SEEK_EVERY_MS,
	STEP_SEEN_EVERY_MS,
	STEP_SEEN_WAIT_MS,
} from "#plugins/bridge/limits.ts";
import { type Bridge, changeBridge, lockBridge, moveBridge } from "#plugins/bridge/sql/bridges.ts";
import { readQuote, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import { noteDepositLog, readClaims } from "#plugins/bridge/sql/secondDeposits.ts";
import {
	ALLOWANCE,
	type AllowanceRequest,
	type Intent,
	type Principal,
	type Profile,
} from "#plugins/wallets/contract.ts";

type Asked = { bridge: Bridge; hash: Hex; signal: AbortSignal };

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);
const transactionSchema = z.object({
	hash: anyCaseWordSchema,
	from: anyCaseAddressSchema,
	to: anyCaseAddressSchema.nullable(),
	value: quantity,
	input: z.string().transform((text) => text.toLowerCase()),
	chainId: quantity.optional(),
});

/** A deposit, its allowance, and what took the allowance before that back. */
const STEPS_MAX = 3;
/** Lists the statuses of a deposit that was not reported as sent. */
const UNSENT: readonly string[] = [
	...["created", "confirmation_required", "signature_required"],
	...["waiting", "rejected", "expired"],
];
/** Ends of a bridge without a deposit, as far as anybody knows. */
const ENDS_BEFORE: readonly string[] = ["failure", "rejected", "disabled"];

/**
 * Takes back what the depository may still take of a token, once for each key, by an intent of its
 * own. Where nothing is left it is confirmed without being sent.
 */
export async function revokeAllowance(
	{ wallets, ending, core }: BridgeContext,
	given: {
		principal: Principal;
		bridge: Bridge;
		quote: StoredQuote | null;
		idempotencyKey: string | null;
		render(): Promise<object>;
	},
): Promise<Response> {
	const { principal, bridge, quote, idempotencyKey, render } = given;
	const { profile } = principal;
	const { route } = bridge;
	if (!route || !quote || !mayBeLeftOver(bridge, quote)) throw bridgeFault.bridgeState();
	const request: AllowanceRequest = {
		...{ token: route.origin.currency, spender: quote.depository, amountRaw: "0", for: "bridge" },
		shown: { summary: `Takes back the bridge's right to your ${route.origin.symbol}.` },
	};
	const wallet = profile.wallets.find(({ id }) => id === bridge.walletId) ?? null;
	return await wallets.once({
		...{ principal, idempotencyKey, route: `POST /v1/bridges/intents/${bridge.id}/revoke` },
		body: { bridgeId: bridge.id },
		intents: [
			{
				...{ kind: ALLOWANCE, profile, wallet, chainId: route.origin.chainId },
				...{ channel: "api", request },
			},
		],
		async answer(ids, recorded) {
			let urls = {};
			try {
				const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
				const [intent] = await wallets.execution.advance(ids, signal, recorded);
				// Its owner is asked, by the same names as for the bridge itself.
				if (intent?.status === "confirmation_required") {
					urls = { confirmUrl: (await wallets.link(intent, "confirm")).url };
				}
				if (intent?.status === "signature_required") {
					urls = { signUrl: (await wallets.link(intent, "sign")).url };
				}
			} catch (error) {
				if (!(error instanceof Fault)) throw error;
				core.log.warn("an allowance could not be taken back now", { error });
			}
			return { status: 202, body: { ...(await render()), ...urls } };
		},
	});
}

/** Returns whether an allowance may be left over: a token's bridge ended without its deposit. */
export function mayBeLeftOver(
	{ status, route, depositedAt }: Bridge,
	quote: StoredQuote | null,
): boolean {
	const isToken = route !== null && route.origin.currency !== ZERO_ADDRESS;
	const isAllowed = isToken && quote !== null && quote.authorizations.length === 0;
	return isAllowed && status === "failure" && depositedAt === null;
}

/**
 * Takes the hash of a step that its owner's own wallet sent. It counts once the origin chain shows
 * it as the very call that is asked for: sender, chain, what is called, value and calldata. One
 * that was taken before changes nothing; all else is refused, and nothing is written.
 */
export async function takeStepResult(
	context: BridgeContext,
	given: { bridge: Bridge; profile: Profile; hash: Hex; signal: AbortSignal },
): Promise<void> {
	const { wallets } = context;
	const { bridge, profile, hash, signal } = given;
	const intents = await readSteps(context, bridge);
	const [deposit] = intents;
	const known = [bridge.depositHash, bridge.outHash];
	if ([...known, ...intents.map((one) => one.transactionHash)].includes(hash)) return;
	const wallet = profile.wallets.find(({ id }) => id === bridge.walletId);
	const isSignedHere = wallet?.capability === "embedded/delegated";
	if (!wallet || isSignedHere) throw bridgeFault.stepResultForeign();
	const seen = await waitFor(context, { bridge, hash, signal });
	if (seen === null) throw bridgeFault.stepResultUnseen();
	for (const intent of intents) {
		if (intent.plan && isAsked(intent) && isCall(seen, intent.plan)) {
			await wallets.execution.signed(intent.id, hash);
			return;
		}
	}
	if (deposit && (await takeEarly(context, { bridge, deposit, hash, seen }))) return;
	if (await takeWithin(context, { bridge, intents, hash, seen, signal })) return;
	// The owner may also send a deposit that we did not ask for, because its steps are shown.
	const status = deposit?.status ?? "rejected";
	if (await followSecond(context, { bridge, deposit: { status }, seen, signal })) return;
	throw bridgeFault.stepResultForeign();
}

/**
 * Looks for a deposit that its owner's wallet sent without a report to us: the provider sees each
 * that names its order. The provider's answer is a hint: the chain must show the call that was
 * asked for.
 */
export async function seekDeposit(
	context: BridgeContext,
	given: {
		bridge: Bridge;
		/** However short a time ago it was looked for: what follows ends the bridge. */
		isUrgent?: boolean;
		signal: AbortSignal;
	},
): Promise<void> {
	const { bridge, isUrgent = false, signal } = given;
	const nowMs = context.core.clock.nowMs();
	const sinceMs = nowMs - (bridge.hintedAt?.getTime() ?? 0);
	if ((!isUrgent && sinceMs < SEEK_EVERY_MS) || !(await isAwaited(context, bridge))) return;
	const intents = await readSteps(context, bridge);
	const [deposit] = intents;
	if (!deposit || !UNSENT.includes(deposit.status)) return;
	const requestId = await requestIdOf(context, bridge, deposit);
	if (requestId === null) return;
	await changeBridge(context.core.db, bridge.id, { hintedAt: new Date(nowMs) });
	try {
		const word = await context.steps.run("bridge.status", () =>
			context.relay.status(requestId, { purpose: "poll", signal }),
		);
		for (const hash of word.kind === "seen" ? word.depositHashes : []) {
			if (await takeNamed(context, { bridge, intents, deposit, hash, signal })) return;
		}
	} catch (error) {
		// It was only to know sooner: what its owner tells, or a later look, says the same.
		if (!(error instanceof Fault)) throw error;
	}
}

/** Takes a deposit that the provider names; returns whether it is the bridge's own. */
async function takeNamed(
	context: BridgeContext,
	given: Asked & { intents: readonly Intent[]; deposit: Intent },
): Promise<boolean> {
	const { bridge, deposit, hash, signal } = given;
	const seen = await readTransaction(context, { bridge, hash, signal });
	if (!seen) return false;
	if (deposit.plan && isAsked(deposit) && isCall(seen, deposit.plan)) {
		await context.wallets.execution.signed(deposit.id, hash);
		return true;
	}
	if (await takeEarly(context, { bridge, deposit, hash, seen })) return true;
	try {
		if (await takeWithin(context, { ...given, seen })) return true;
		await followSecond(context, { bridge, deposit, seen, signal });
	} catch (error) {
		// Another one that the provider names may be in a block already.
		if (!(error instanceof Fault)) throw error;
	}
	return false;
}

/**
 * Takes the bridge's own deposit that its wallet sent inside another call: the question is called
 * off, and the bridge follows what the depository's log shows. False: it is none, or the bridge has
 * sent, or deposited, by its own question.
 */
async function takeWithin(
	context: BridgeContext,
	given: Asked & { intents: readonly Intent[]; seen: SeenTransaction },
): Promise<boolean> {
	const { core, steps, wallets, alarm } = context;
	const { bridge, intents, hash, seen, signal } = given;
	const [deposit] = intents;
	if (!deposit || bridge.depositedAt !== null || !UNSENT.includes(deposit.status)) return false;
	// The call itself is the question's own, or a deposit of its own where that was called off.
	if (await quoteOfCall(context, bridge, seen)) return false;
	const found = await depositsIn(context, given);
	const planned = deposit.plan?.shown["orderId"] ?? null;
	const own = found?.deposits.find(({ quote: { seq, orderId } }) => {
		return planned === null ? seq === bridge.quoteSeq : planned === orderId;
	});
	if (!found || !own) return false;
	const by = { actor: `profile:${bridge.profileId}`, isUnsentOnly: true, signal };
	for (const { id: intentId } of intents) {
		await wallets.execution.cancel(intentId, by).catch((error: unknown) => {
			// It was sent, or is over. Where nobody can say now, it is asked again later.
			const isOver = error instanceof Fault && error.code === "intent_state";
			if (!isOver) throw error;
		});
	}
	const left = await wallets.execution.read(deposit.id, bridge.profileId);
	// Its own transaction is under way as well: the other one is a deposit of its own.
	if (!left || !(isWithdrawn(left) || UNSENT.includes(left.status))) return false;
	if (!isWithdrawn(left)) throw chainFault.chainUnreadable({ detail: "the question stands" });
	const act = async (tx: Tx): Promise<string[] | null> => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.depositedAt !== null || held.intentId !== deposit.id) return null;
		// It is followed as a deposit of its own already.
		const claims = await readClaims(tx, { bridgeId: bridge.id, depositHash: hash });
		if (!freeOf(found.deposits, claims).includes(own)) return null;
		const at = new Date(core.clock.nowMs());
		const change = {
			...{ depositedAt: found.minedAt, depositHash: hash, lookAt: at, stoppedAt: null },
			...{ errorCode: null, detail: null, hintedAt: null, failedAt: null },
		};
		if ((await moveBridge(tx, held, { event: "deposit", at, change })) === null) return null;
		await noteDepositLog(tx, { bridgeId: bridge.id, depositLog: own.place });
		// A batch may pay for the order twice, or for an older quote's too.
		return await insertFree(context, tx, { bridge: held, hash, found });
	};
	const more = await steps.run("bridge.sync", () => core.db.transaction(act));
	for (const id of more ?? []) alarm("second_deposit", id);
	return more !== null;
}

/** Returns whether a deposit was never sent by its own question, and cannot be any more. */
export function isWithdrawn({ status, transactionHash }: Intent): boolean {
	return transactionHash === null && (status === "rejected" || status === "expired");
}

/**
 * Returns whether a bridge's wallet can send its deposit without us: it is the owner's own, or
 * nobody can say that it is not. Its steps are shown from the first quote on.
 */
export async function maySendItself(
	context: Pick<BridgeContext, "wallets">,
	{ profileId, walletId }: Pick<Bridge, "profileId" | "walletId">,
): Promise<boolean> {
	try {
		const { wallets } = await profileOf(context, profileId);
		return wallets.find(({ id }) => id === walletId)?.capability !== "embedded/delegated";
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return true;
	}
}

/** Returns whether the owner's wallet may send, or have sent, a deposit without a report to us. */
async function isAwaited(context: BridgeContext, bridge: Bridge): Promise<boolean> {
	const { status, failedAt } = bridge;
	if (status === "signature_required") return true;
	// It may still have been signed after that was given up.
	if (ENDS_BEFORE.includes(status)) return failedAt !== null;
	const isShown = status === "executing" || status === "confirmation_required";
	return isShown && (await maySendItself(context, bridge));
}

/**
 * Returns the intents of a bridge, the deposit first, then its approval, then the reset of an older
 * approval, where there were such steps.
 */
export async function readSteps(
	{ wallets }: Pick<BridgeContext, "wallets">,
	{ intentId, profileId }: Pick<Bridge, "intentId" | "profileId">,
): Promise<Intent[]> {
	const intents: Intent[] = [];
	for (let id = intentId; id !== null && intents.length < STEPS_MAX; ) {
		const intent = await wallets.execution.read(id, profileId);
		if (!intent) break;
		intents.push(intent);
		id = intent.afterId;
	}
	return intents;
}

/** Waits until a node shows a transaction: wallets report hashes before every node has them. */
async function waitFor(context: BridgeContext, asked: Asked): Promise<SeenTransaction | null> {
	for (let leftMs = STEP_SEEN_WAIT_MS; ; leftMs -= STEP_SEEN_EVERY_MS) {
		const seen = await readTransaction(context, asked);
		if (seen || leftMs <= 0 || asked.signal.aborted) return seen;
		await sleep(STEP_SEEN_EVERY_MS, asked.signal);
	}
}

/** Reads a transaction; null where there is none. Throws a Fault where no node can be read. */
export async function readTransaction(
	{ readers }: Pick<BridgeContext, "readers">,
	{ bridge, hash, signal }: Asked,
): Promise<SeenTransaction | null> {
	const read = readers.own(bridge.route?.origin.chainId ?? 0);
	if (read === null) throw bridgeFault.chainUnreadable();
	let told: unknown;
	try {
		told = await read("eth_getTransactionByHash", [hash], signal);
	} catch (error) {
		const detail = error instanceof Error ? error.name : "unreadable";
		throw bridgeFault.chainUnreadable({ detail });
	}
	const { data } = transactionSchema.nullable().safeParse(told);
	if (data === undefined || (data !== null && data.hash !== hash)) {
		throw bridgeFault.chainUnreadable({ detail: "no transaction" });
	}
	return data;
}

/** Returns whether the owner is, or was, asked to sign: a late transaction counts as well. */
function isAsked({ status }: Intent): boolean {
	return status === "signature_required" || status === "expired";
}

/**
 * Takes a deposit whose wallet did not wait for the allowance before it: the money left all the
 * same. False where the call is not the stored deposit's.
 */
async function takeEarly(
	context: BridgeContext,
	given: { bridge: Bridge; deposit: Intent; hash: Hex; seen: SeenTransaction },
): Promise<boolean> {
	const { bridge, deposit, hash, seen } = given;
	const { route } = bridge;
	const asked = { bridgeId: bridge.id, seq: bridge.quoteSeq ?? 0 };
	const quote = await readQuote(context.core.db, asked);
	const step = quote?.steps.at(-1);
	if (deposit.status !== "waiting" || !quote || !route || !step || !isCall(seen, step))
		return false;
	await context.wallets.execution.signed(
		deposit.id,
		hash,
		depositPlan(context, { route, quote, step }),
	);
	return true;
}

/** Returns the provider's request id by the plan that was asked about, else by the newest quote. */
async function requestIdOf(
	{ core }: BridgeContext,
	{ id: bridgeId, quoteSeq }: Bridge,
	{ plan }: Intent,
): Promise<Hex | null> {
	const { data } = anyCaseWordSchema.safeParse(plan?.shown["requestId"]);
	if (data !== undefined) return data;
	return (await readQuote(core.db, { bridgeId, seq: quoteSeq ?? 0 }))?.requestId ?? null;
}
