// Ends intents that have expired, and searches first for what an owner's wallet may have sent.

import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { recordSigned } from "#plugins/wallets/execution/handOver.ts";
import { type IntentMove, type IntentStatus, moveIntent } from "#plugins/wallets/intent/Intent.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import { LOOK_TIMEOUT_MS } from "#plugins/wallets/reconcile/looks.ts";
import { type Search, searchPlanned } from "#plugins/wallets/reconcile/searchPlanned.ts";

type Expiring = { intentId: string; at: Date; signal: AbortSignal };

/** An intent whose owner's wallet was shown what to send. */
type Asked = Intent & { plan: Plan; walletId: string };

/** The wait before a search that failed, or did not end, is tried again. */
export const SEARCH_EXPIRED_AGAIN_MS = 10_000;

/** Delays the first lookup of an expired intent, which finds what its owner's wallet sends late. */
const WATCH_AFTER_MS = 10_000;

/**
 * Ends an intent whose time is over. Where its owner's wallet was asked to send, the payment is
 * looked for first: what is found is followed like any other, and until all was read the intent
 * stays open. What has expired is looked for all the same for a day, because a wallet may send
 * late.
 */
export async function expireIntent(deps: ExecutionDeps, expiring: Expiring): Promise<void> {
	const { intentId, at } = expiring;
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) return;
	if (!isAsked(intent)) {
		await deps.steps.run("commit.close", () =>
			deps.db.transaction(async (tx) => {
				// Asked for a signature in this moment, it is looked for in the next turn.
				if ((await lockStatus(tx, intentId)) === "signature_required") return;
				await moveIntent(tx, { intentId, event: "expire", at });
			}),
		);
		return;
	}
	await deps.steps.run("commit.look", () =>
		deps.db.execute("update wallets.intent set searched_at = $2 where id = $1", [intentId, at]),
	);
	await endAsked(deps, { ...expiring, intent, move: { event: "expire" } });
}

/**
 * Ends an intent whose owner's wallet was asked to send, unless that was done: what is found is
 * followed like any other. `open`: not all was read, or something waits at a node, so it is not
 * over. What has ended is looked for all the same for a day.
 */
export async function endAsked(
	deps: ExecutionDeps,
	given: Expiring & {
		intent: Asked;
		move: Pick<IntentMove, "event" | "errorCode">;
		/** Writes what else belongs to the end of the intent. */
		also?: (tx: Tx) => Promise<void>;
	},
): Promise<"open" | "found" | "ended" | "moved"> {
	const { intent, intentId, at, move, also } = given;
	const search = await lookFor(deps, { intent, signal: given.signal });
	if (search.kind === "open") return "open";
	return await deps.steps.run("commit.close", () =>
		deps.db.transaction(async (tx) => {
			if ((await lockStatus(tx, intentId)) !== "signature_required") return "moved";
			if (search.kind === "found") {
				deps.log.info("an owner's wallet sent what it had not told", { intentId });
				await recordSigned(deps, tx, { intent, transactionHash: search.transactionHash });
				return "found";
			}
			await watchOn(deps, tx, { intent, at });
			await moveIntent(tx, { intentId, at, ...move });
			await also?.(tx);
			return "ended";
		}),
	);
}

/** Returns whether the owner's wallet was asked to send it, and no hash was reported. */
export function isAsked(intent: Intent): intent is Asked {
	const { status, plan, walletId } = intent;
	return status === "signature_required" && plan !== null && walletId !== null;
}

async function lockStatus(tx: Tx, intentId: string): Promise<IntentStatus | null> {
	const [row] = await tx.query<{ status: IntentStatus }>(
		"select status from wallets.intent where id = $1 for no key update",
		[intentId],
	);
	return row?.status ?? null;
}

/** Searches for the payment; a chain that is not served any more cannot say that none was sent. */
async function lookFor(
	deps: ExecutionDeps,
	{ intent, signal }: { intent: Asked; signal: AbortSignal },
): Promise<Search> {
	const { id: intentId, chainId, plan } = intent;
	const rpc = deps.rpcOf(chainId);
	if (!rpc) return { kind: "open" };
	const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const asked = { intentId, chainId, sender: plan.from, plan, rpc, signal: within };
	return await searchPlanned(deps, asked);
}

/**
 * Records a payment that was not sent, so that lookups find it if the owner's wallet sends it late.
 */
async function watchOn(
	deps: Pick<ExecutionDeps, "newId" | "session">,
	tx: Tx,
	{ intent, at }: { intent: Asked; at: Date },
): Promise<void> {
	const { id, walletId, chainId, plan } = intent;
	const lookAt = new Date(at.getTime() + WATCH_AFTER_MS);
	await tx.execute(
		`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
			from_block, session, created_at, look_at)
		select $1, id, 0, $3, $4, $5, 'never', planned_block, $6, $7, $8
		from wallets.intent where id = $2
		on conflict do nothing`,
		[deps.newId(), id, walletId, chainId, hexToBytes(plan.from), deps.session, at, lookAt],
	);
}
