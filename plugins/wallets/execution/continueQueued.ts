import type { Queryable, Tx } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import { type AccountState, readAccount } from "#plugins/wallets/chain/readAccount.ts";
import type { Intent, Plan } from "#plugins/wallets/contract.ts";
import { killDenial } from "#plugins/wallets/control/killDenial.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { handOver } from "#plugins/wallets/execution/handOver.ts";
import { type HandOver, handOverOf } from "#plugins/wallets/execution/handOverOf.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";
import { feeDenial } from "#plugins/wallets/spend/feeDenial.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";
import { beginSubmission } from "#plugins/wallets/submission/beginSubmission.ts";
import { readLane } from "#plugins/wallets/submission/readLane.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";

/** Transactions handed over in one go before others get their turn. */
const TURN_MAX = 50;

/**
 * Hands over what a wallet still has in line on a chain, one after the other, until nothing is left
 * or something is in doubt. What was never handed over can still be called off, and is where an
 * operator switched it off, the wallet is gone, or what was planned has run out meanwhile.
 */
export async function continueQueued(
	world: ExecutionWorld,
	{ walletId, chainId, signal }: { walletId: string; chainId: number; signal: AbortSignal },
): Promise<void> {
	for (let turn = 0; turn < TURN_MAX && !signal.aborted; turn++) {
		const submission = await nextQueued(world.db, { walletId, chainId });
		if (!submission) return;
		const [intent] = await readIntents(world.db, [submission.intentId]);
		if (!intent) return;
		const next = await begin(world, { submission, intent, signal });
		if (next === "busy") return;
		if (next === "called off") continue;
		const { outcome } = await handOver(world, next);
		if (outcome.kind === "unknown") return;
	}
}

async function nextQueued(
	db: Queryable,
	{ walletId, chainId }: { walletId: string; chainId: number },
): Promise<Submission | null> {
	const rows = await db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s
		where s.wallet_id = $1 and s.chain_id = $2 and s.state = 'queued' and not exists (
			select from core.quarantined_row q where (q.source, q.key) in
				(('wallets.submission', s.id::text), ('wallets.intent', s.intent_id::text))
		)
		order by s.created_at, s.id limit 1`,
		[walletId, chainId],
	);
	// One that cannot be read was handed to nobody: marked, it keeps the others no longer.
	return (await readRows(db, submissionRow, rows)).items[0] ?? null;
}

async function begin(
	world: ExecutionWorld,
	given: { submission: Submission; intent: Intent; signal: AbortSignal },
): Promise<HandOver | "busy" | "called off"> {
	const { submission, intent, signal } = given;
	const { plan } = intent;
	const { gasLimit } = submission;
	if (!plan || gasLimit === null) return "busy";
	const account = await accountOf(world, { submission, signal });
	return await world.steps.run("commit.begin", () =>
		world.db.transaction(async (tx) => {
			await tx.query("select 1 from wallets.profile where id = $1 for no key update", [
				intent.profileId,
			]);
			const profile = await world.profileOf(tx, intent.profileId);
			const wallet = profile?.wallets.find(({ id }) => id === intent.walletId);
			const killed = await killDenial(world, tx, intent);
			const code = killed?.code ?? overCode(world, { intent, plan });
			if (code !== null || !account || wallet?.capability !== "embedded/delegated") {
				const other = account ? "no_executable_wallet" : "chain_unavailable";
				await callOff(world, { tx, submission, code: code ?? other });
				return "called off";
			}
			// Gas may be cheaper in a moment; what has run out by then is called off.
			if (feeDenial(world, { chainId: intent.chainId, gasLimit, account })) return "busy";
			const planned = { intent, plan, gasLimit };
			const { id: submissionId } = submission;
			const lane = await readLane(tx, plan);
			const begun = handOverOf(world, { planned, submissionId, account, wallet, lane });
			if (!begun) return "busy";
			const isWritten = await beginSubmission(tx, submissionId, begun.beginning);
			return isWritten ? begun.next : "busy";
		}),
	);
}

/** Null where the chain is not served any more. */
async function accountOf(
	world: ExecutionWorld,
	{ submission, signal }: { submission: Submission; signal: AbortSignal },
): Promise<AccountState | null> {
	const rpc = world.rpcOf(submission.chainId);
	if (!rpc) return null;
	const address = submission.sender;
	const read = await world.steps.run("rpc.account", () =>
		readAccount(rpc, { address, plans: [], signal }),
	);
	return read.account;
}

/** Why what waited in line is not sent any more, as nothing that was made today would be. */
function overCode(
	{ clock, settings }: ExecutionWorld,
	{ intent, plan }: { intent: Intent; plan: Plan },
): string | null {
	if (settings.isDryRun) return "trading_disabled";
	const untilMs = Math.min(plan.expiresAtMs, intent.expiresAtMs);
	return clock.nowMs() > untilMs ? "quote_expired" : null;
}

async function callOff(
	world: ExecutionWorld,
	{ tx, submission, code }: { tx: Tx; submission: Submission; code: string },
): Promise<void> {
	const at = new Date(world.clock.nowMs());
	const gone = await tx.execute(
		`update wallets.submission set state = 'never', final_at = $2, final_tx = core.book_tx()
		where id = $1 and state = 'queued'`,
		[submission.id, at],
	);
	if (gone === 0) return;
	const { intentId } = submission;
	await moveIntent(tx, { intentId, event: "refused", at, errorCode: code });
	await followSpend(tx, { intentId, move: "release", at });
}
