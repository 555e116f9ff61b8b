// Asks the origin chain whether a signature that was handed over has been used.

import { encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { MINUTE_MS } from "#core/time.ts";
import type { BridgeContext, ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import { readMinedAt } from "#plugins/bridge/bridges/secondDeposit.ts";
import { readLogPages } from "#plugins/bridge/direct/readLogPages.ts";
import { LOOK_DELAYS, UNREADABLE_MS } from "#plugins/bridge/limits.ts";
import type { Authorization } from "#plugins/bridge/quote/authorizations.ts";
import {
	type Bridge,
	type BridgeMove,
	changeBridge,
	lockBridge,
	moveBridge,
} from "#plugins/bridge/sql/bridges.ts";
import type { HandOver } from "#plugins/bridge/sql/quotes.ts";

type Payment = Extract<Authorization, { kind: "payment" }>;

/** Says whether a token was taken by a signature. */
type AuthorizedState =
	/** Used by this transaction; null: none of the newest blocks shows which. */
	| { kind: "used"; hash: Hex | null }
	| { kind: "open" }
	/** The money was not taken, and cannot be any more: the signature has expired on chain. */
	| { kind: "void" }
	| { kind: "unreadable" };

type Given = { bridge: Bridge; rows: readonly HandOver[]; payment: Payment; signal: AbortSignal };

type Step = { nextMs: number | null; move: Omit<BridgeMove, "at"> | null };

const abi = parseAbi([
	"function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);
/** `AuthorizationUsed(address,bytes32)`, both indexed. */
const USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const BLOCKS_MAX = 10_000n;
/** The chain's newest block must be so far beyond the signature's end. */
const VOID_AFTER_S = 120n;

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);
const blockSchema = z.object({ number: quantity, timestamp: quantity });
/**
 * Asks the origin chain whether a signature that was handed over was used, whatever the provider
 * answered. Used: it is the deposit. Void: it cannot be used any more, and the money is in the
 * wallet.
 */
export async function seekAuthorized(context: BridgeContext, given: Given): Promise<void> {
	const { bridge, rows, payment, signal } = given;
	const { core, readers, steps } = context;
	const owner = bridge.route?.user;
	if (!owner) return;
	const state = await readAuthorized(context, { payment, owner, signal });
	const hash = state.kind === "used" ? state.hash : null;
	const read = readers.own(payment.chainId);
	const known = { createdAt: bridge.createdAt, nowMs: core.clock.nowMs(), signal };
	const minedAt = hash && (await readMinedAt(read, { hash, ...known }));
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.depositedAt !== null) return;
		const nowMs = core.clock.nowMs();
		const at = new Date(nowMs);
		const { nextMs, move } = stepOf({ state, rows, minedAt, nowMs });
		const lookAt = nextMs === null ? null : new Date(nowMs + nextMs);
		const change = { ...move?.change, lookAt };
		const moved = move && (await moveBridge(tx, held, { event: move.event, at, change }));
		if (!moved) await changeBridge(tx, held.id, { lookAt });
	};
	await steps.run("bridge.sync", () => core.db.transaction(act));
}

function stepOf(given: {
	state: AuthorizedState;
	rows: readonly HandOver[];
	/** When the block was made that took it; null: nobody says now. */
	minedAt: Date | null;
	nowMs: number;
}): Step {
	const { state, rows, minedAt, nowMs } = given;
	const ageMs = nowMs - (rows[0]?.handedAt?.getTime() ?? nowMs);
	const nextMs = LOOK_DELAYS.find(([untilMs]) => ageMs < untilMs)?.[1] ?? MINUTE_MS;
	switch (state.kind) {
		case "used": {
			// A node that knows no old logs knows that it was taken: the provider's word follows it then.
			if (state.hash === null && ageMs < UNREADABLE_MS) return { nextMs, move: null };
			// It was taken after it was handed over, at least.
			const depositedAt = minedAt ?? rows[0]?.handedAt ?? new Date(nowMs);
			const change = { depositedAt, depositHash: state.hash, hintedAt: null };
			return { nextMs: 0, move: { event: "deposit", change: { ...change, errorCode: null } } };
		}
		case "void": {
			const isRefused = rows.some((row) => row.state === "refused");
			const errorCode = isRefused ? "hand_over_refused" : "authorization_expired";
			return { nextMs: null, move: { event: "give_up", change: { errorCode } } };
		}
		default:
			return { nextMs, move: null };
	}
}

/** Reads from its token whether a signature was used, and from its logs by which transaction. */
export async function readAuthorized(
	{ readers }: Pick<BridgeContext, "readers">,
	given: { payment: Payment; owner: Address; signal: AbortSignal },
): Promise<AuthorizedState> {
	const { payment, owner, signal } = given;
	const { chainId, token, nonce, validBeforeS } = payment;
	const read = readers.own(chainId);
	if (read === null) return { kind: "unreadable" };
	try {
		// The block first: what is unused in a newer state was unused in that block.
		const block = blockSchema.parse(await read("eth_getBlockByNumber", ["latest", false], signal));
		const args = [owner, nonce] as const;
		const data = encodeFunctionData({ abi, functionName: "authorizationState", args });
		const told = await read("eth_call", [{ to: token, data }, "latest"], signal);
		const isUsed = z.literal([0n, 1n]).parse(quantity.parse(told)) === 1n;
		if (!isUsed) {
			return { kind: block.timestamp > validBeforeS + VOID_AFTER_S ? "void" : "open" };
		}
		return { kind: "used", hash: await hashOf(read, { ...given, head: block.number }) };
	} catch {
		return { kind: "unreadable" };
	}
}

async function hashOf(
	read: ChainReader,
	given: { payment: Payment; owner: Address; head: bigint; signal: AbortSignal },
): Promise<Hex | null> {
	const { payment, owner, head, signal } = given;
	const { token: address, nonce } = payment;
	const ownerWord: Hex = `0x${owner.slice(2).padStart(64, "0")}`;
	const topics = [USED, ownerWord, nonce] as const;
	const fromBlock = head > BLOCKS_MAX ? head - BLOCKS_MAX : 0n;
	const asked = { address, topics, fromBlock, toBlock: head, isNewestFirst: true, signal };
	const { logs } = await readLogPages(read, asked).catch(() => ({ logs: [] }));
	return logs.find((log) => log.topics[2] === nonce)?.transactionHash ?? null;
}
