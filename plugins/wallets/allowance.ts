// Sets exact token allowances, one intent of a wallet at a time.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { denied } from "#core/fault.ts";
import { MINUTE_MS } from "#core/time.ts";
import type { IntentKind, Preparation } from "#plugins/wallets/IntentKind.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import { storedField } from "#plugins/wallets/plan.ts";

export type AllowanceDeps = { clock: Clock; rpcOf(chainId: number): Rpc | null };

type Asked = {
	token: Address;
	owner: Address;
	spender: Address;
	signal: AbortSignal;
};

/** The kind of an intent that lets a contract take exactly so much of a token. */
export const ALLOWANCE = "allowance";

const { address, units } = storedField;

export const allowanceRequest = z.object({
	token: address,
	/** The contract that may take the tokens; the plugin that asks knows it. */
	spender: address,
	/** Base units, exactly; 0 takes the right away. */
	amountRaw: units,
	/** The plugin that it is for: its kill switch and its words. */
	for: z.string().min(1).max(64),
	/** Shown to the owner: what this step and all later ones do, and within which bounds. */
	shown: z.record(z.string(), z.unknown()),
});

export type AllowanceRequest = z.output<typeof allowanceRequest>;

/** Names the outbound calls of allowances. */
export const allowanceSteps = ["allowance.read"] as const;

const PLAN_LIFETIME_MS = 30_000;

const abi = parseAbi([
	"function allowance(address owner, address spender) view returns (uint256)",
	"function approve(address spender, uint256 amount) returns (bool)",
]);

const NOTHING: Plan["spend"] = { currency: ZERO_ADDRESS, raw: 0n, decimals: 18, symbol: "" };

/** `Approval(address,address,uint256)`, as ERC-20 has it. */
const APPROVAL = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";

const NOT_SET: Denial = {
	code: "allowance_not_set",
	detail: "The token took the transaction and does not show the allowance.",
};

const isWord = (text: string): text is Hex => /^0x[0-9a-f]{64}$/i.test(text);
const word = z.string().refine(isWord);

/** The age up to which ended intents are searched; older ones are among the open ones. */
const RECENT_MS = 10 * MINUTE_MS;

/** The token whose allowance an intent changes, or uses by a call of another contract than it. */
const tokenSql = `case when r.kind = '${ALLOWANCE}' then r.request->>'token'
	when r.plan->>'to' <> r.plan->'spend'->>'currency' then r.plan->'spend'->>'currency' end`;

/**
 * Finds intents that may have used the allowance ("rivals"): the wallet's open ones, and those that
 * ended since the plan was begun, because the allowance was read while they ran. An intent with an
 * allowance step of its own keeps that allowance until it ends.
 */
const takenSql = `with rivals as (
		select * from wallets.intent where wallet_id = $2 and chain_id = $3 and id <> $1
			and status in ('created', 'submitting', 'submitted', 'uncertain', 'confirmation_required',
				'review_required', 'signature_required', 'waiting')
		union all
		select * from wallets.intent where profile_id = $4 and created_at >= $7
			and wallet_id = $2 and chain_id = $3 and id <> $1 and changed_at > $6
			and status in ('confirmed', 'failed')
	), own as (
		select i.kind, a.kind as step, a.request->>'token' as token
		from wallets.intent i left join wallets.intent a on a.id = i.after_id where i.id = $1
	)
	select exists (
		select from rivals r left join wallets.intent a on a.id = r.after_id
		where (r.status in ('submitting', 'submitted', 'uncertain', 'confirmed', 'failed')
				and ${tokenSql} = $5)
			or (r.status not in ('confirmed', 'failed') and a.kind = '${ALLOWANCE}'
				and a.status = 'confirmed' and a.request->>'token' = $5)
	) and not exists (
		select from own where kind <> '${ALLOWANCE}' and step = '${ALLOWANCE}' and token = $5
	) as taken`;

/**
 * Sets an exact allowance, as a step before the transaction that uses it. An allowance that is
 * enough is left as it is. Where a token refuses to change one that is not zero, it is first set to
 * zero, by a step of its own. It reserves no spend: the transaction that uses it does.
 */
export function allowanceKind(deps: AllowanceDeps): IntentKind<AllowanceRequest> {
	return {
		name: ALLOWANCE,
		plugin: "wallets",
		request: allowanceRequest,
		steps: allowanceSteps,
		repeats: "harmless",
		async prepare({ chainId, request }, { wallet, outbound, signal }): Promise<Preparation> {
			const rpc = deps.rpcOf(chainId);
			if (!rpc) return denied("chain_unavailable", "The chain is not served here.");
			const { token, spender, shown } = request;
			const asked = { token, owner: wallet.address, spender, signal };
			const stands = await outbound("allowance.read", () => readAllowance(rpc, asked));
			if (stands === null) return denied("token_unreadable", "The token answers no allowance.");
			const amount = BigInt(request.amountRaw);
			if (stands === amount) return { kind: "done" };
			if (stands > 0n && amount > 0n) {
				const reset = { ...request, amountRaw: "0" };
				return { kind: "first", intent: { kind: ALLOWANCE, request: reset }, spend: NOTHING };
			}
			const plan: Plan = {
				chainId,
				from: wallet.address,
				to: token,
				valueRaw: 0n,
				data: encodeFunctionData({ abi, functionName: "approve", args: [spender, amount] }),
				spend: NOTHING,
				recipient: null,
				shown,
				expiresAtMs: deps.clock.nowMs() + PLAN_LIFETIME_MS,
			};
			return { kind: "plan", plan };
		},
		keeps: (approved, fresh) => approved.to === fresh.to && approved.data === fresh.data,
		deny: () => null,
		/** Checks the token's own event: without it, what needs the allowance is not sent. */
		async settle({ request }, receipt, { wallet }) {
			const { token, spender, amountRaw } = request;
			const isSet = receipt.logs.some(({ address, topics, data }) => {
				const [topic, owner, to] = topics;
				const isOfPair = owner === wordOf(wallet.address) && to === wordOf(spender);
				return address === token && topic === APPROVAL && isOfPair && isAmount(data, amountRaw);
			});
			return isSet ? null : NOT_SET;
		},
	};
}

/**
 * Says whether another intent of the wallet needs an allowance of the token that this one changes
 * or uses; true: it has to wait for its turn. An exact allowance is one transaction's, and two that
 * count on the same one would see it suffice until the first of them uses it up.
 *
 * The caller holds the profile's row. False at once, without a question, for what needs none: the
 * chain's coin, and calls of the token itself.
 */
export async function isAllowanceTaken(
	tx: Tx,
	given: { intent: Intent; plan: Plan | null; beganAt: Date },
): Promise<boolean> {
	const { intent, plan, beganAt } = given;
	const token = tokenOf(intent, plan);
	if (token === null) return false;
	const { id, walletId, chainId, profileId } = intent;
	const recent = new Date(beganAt.getTime() - RECENT_MS);
	const [row] = await tx.query<{ taken: boolean }>(takenSql, [
		...[id, walletId, chainId, profileId, token, beganAt, recent],
	]);
	return row?.taken === true;
}

/** Returns what a spender may take, in base units; null where the token answers none. */
async function readAllowance(rpc: Rpc, asked: Asked): Promise<bigint | null> {
	const { token: to, owner, spender, signal } = asked;
	const data = encodeFunctionData({ abi, functionName: "allowance", args: [owner, spender] });
	const call = { method: "eth_call", params: [{ to, data }, "latest"] };
	const answer = await rpc.call(call, { signal });
	const read = word.safeParse(answer);
	if (!read.success) return null;
	return decodeFunctionResult({ abi, functionName: "allowance", data: read.data });
}

function wordOf(account: Address): string {
	return `0x${account.slice(2).padStart(64, "0")}`;
}

function isAmount(data: Hex, amountRaw: string): boolean {
	return isWord(data) && BigInt(data) === BigInt(amountRaw);
}

function tokenOf(intent: Intent, plan: Plan | null): Address | null {
	if (intent.kind === ALLOWANCE) return allowanceRequest.parse(intent.request).token;
	if (plan === null) return null;
	const { currency } = plan.spend;
	return currency === ZERO_ADDRESS || currency === plan.to ? null : currency;
}
