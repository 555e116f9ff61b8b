import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { isCancellable } from "#plugins/wallets/submission/Submission.ts";
import { type JudgedIntent, judgeAll } from "#plugins/wallets/watch/judgeAll.ts";
import { readWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import { waitWords } from "#plugins/wallets/watch/waitWords.ts";

/** What can be done about an intent now: what `resolve` takes, or what somebody else does. */
type WaitAction = {
	name: "callOff" | "transactionHash" | "abandon" | "ownerCancels" | "repairRow" | "review";
	does: string;
};

const CALL_OFF_QUEUED: WaitAction = {
	name: "callOff",
	does: "Ends it at once: it was handed to nobody. Its spend is given back.",
};

const CALL_OFF: WaitAction = {
	name: "callOff",
	does:
		"Fills free lower nonces and sends a transaction of nothing under its own. It ends once one of " +
		"the two is final. Asked again after a minute, at a better price.",
};

const TRANSACTION_HASH: WaitAction = {
	name: "transactionHash",
	does: "Settles it by the transaction of that hash, where a node proves that it used the nonce.",
};

const ABANDON: WaitAction = {
	name: "abandon",
	does: "Ends it by whatever used its nonce for good. Refused while the nonce is free.",
};

const OWNER_CANCELS: WaitAction = {
	name: "ownerCancels",
	does:
		"Only its owner can cancel it: by the link of POST /v1/links with the purpose cancel, or in " +
		"their wallet. It ends once that is final.",
};

const REVIEW: WaitAction = {
	name: "review",
	does:
		"`approve` says yes to its plan as it stands, and it is planned anew within that; `refuse` ends " +
		"it. `errorCode` is why it is to be looked at.",
};

const REPAIR_ROW: WaitAction = {
	name: "repairRow",
	does: "Put right what core.quarantined_row names, in the database. It goes on by itself then.",
};

export type ListedIntent = JudgedIntent & { waitsFor: string; actions: WaitAction[] };

type ListDeps = Pick<ExecutionDeps, "db" | "clock" | "nonceClaims" | "settings" | "rpcOf">;

/** Intents that wait for longer than they should, each with why and with what can be done now. */
export async function listWaiting(deps: ListDeps, limit: number): Promise<ListedIntent[]> {
	const nowMs = deps.clock.nowMs();
	const { slowAfter } = deps.settings;
	const rows = await readWaiting(deps.db, { slowAfter, nowMs, limit });
	const judged = await judgeAll(deps, rows, nowMs);
	return judged.map((one) => ({
		...one,
		waitsFor: waitWords[one.reason].waitsFor,
		actions: actionsOf(deps, one),
	}));
}

/**
 * The actions that are available now, those first that free it without waiting for anybody. Empty
 * where there is nothing to do but to wait for what its reason names.
 */
function actionsOf(
	{ rpcOf, settings }: Pick<ExecutionDeps, "rpcOf" | "settings">,
	intent: JudgedIntent,
): WaitAction[] {
	const { state, chainId, isFinal, nonce, status, capability } = intent;
	if (intent.reason === "review") return [REVIEW];
	if (intent.isUnreadable || state === null) return [REPAIR_ROW];
	if (state === "queued") return [CALL_OFF_QUEUED];
	const isServed = chainId !== null && rpcOf(chainId) !== null;
	if (!isServed || isFinal || state === "sending") return [];
	const actions: WaitAction[] = [];
	const isOurs = nonce !== null && capability === "embedded/delegated";
	const isFree = intent.reason !== "nonce_used" && intent.reason !== "cancelling";
	const isCallable = isFree && isCancellable({ state, finalAtMs: null });
	if (isOurs && !settings.isDryRun && isCallable) actions.push(CALL_OFF);
	if (!isOurs && isCallable) actions.push(OWNER_CANCELS);
	if (status === "uncertain" || status === "submitted") actions.push(TRANSACTION_HASH, ABANDON);
	return actions;
}

/** How an intent that waits is answered to an operator. */
export function renderWaiting(intent: ListedIntent) {
	const { id, kind, status, errorCode, reason, waitsFor, actions, cancelling, cancellingHash } =
		intent;
	const { walletId, chainId, sender, shownNonce, transactionHash, sinceMs } = intent;
	return {
		...{ id, kind, status, errorCode, reason, waitsFor, actions },
		cancellation: cancelling && { state: cancelling, transactionHash: cancellingHash },
		...{ walletId, chainId, sender, nonce: shownNonce, transactionHash },
		since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
	};
}
