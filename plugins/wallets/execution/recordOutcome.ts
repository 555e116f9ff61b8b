import type { Tx } from "#core/db/Database.ts";
import type { SendOutcome } from "#plugins/custody/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { HandOver } from "#plugins/wallets/execution/handOverOf.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";
import {
	FIRST_LOOK_AFTER_MS,
	FIRST_LOOK_BEHIND_HEADS_MS,
} from "#plugins/wallets/submission/limits.ts";
import { recordSent } from "#plugins/wallets/submission/recordSent.ts";

type Given = { given: HandOver; outcome: SendOutcome };

/**
 * Writes what handing over came to. A reconciler that thought this process dead may have been
 * faster: what it found out stands, and only what is still open is moved.
 *
 * What left is one statement that travels with its commit. Where that finds things otherwise, the
 * rest is another transaction: a hash that is written is looked up whatever its intent says.
 *
 * Answers when it was written, where nobody was faster, that it left.
 */
export async function recordOutcome(
	deps: ExecutionDeps,
	{ given, outcome }: Given,
): Promise<number | null> {
	const { steps, commits } = deps;
	const { submissionId, profileId } = given;
	if (given.purpose !== "pay") {
		await recordSelfTransfer(deps, { given, outcome });
		return null;
	}
	const at = new Date(deps.clock.nowMs());
	const lookAt = firstLookAt(deps, given, at);
	let sent = { isWritten: false, isMoved: false };
	if (outcome.kind === "sent") {
		const record = async (tx: Tx) => {
			sent = await recordSent(tx, { submissionId, at, lookAt, ...outcome });
		};
		await steps.run("commit.outcome", () =>
			commits.together(profileId, async (tx) => {
				tx.beforeCommit(() => record(tx), { singleStatement: true });
			}),
		);
		if (sent.isMoved) return at.getTime();
	}
	await steps.run("commit.outcome", () =>
		commits.together(profileId, async (tx) => {
			const { intentId } = given;
			if (sent.isWritten) await recordFound(tx, { submissionId, intentId, at });
			else await recordNotSent(tx, { given, outcome, at });
		}),
	);
	return null;
}

/** Where each new block is searched anyway, the clock gives it time to be found there. */
function firstLookAt(
	{ looks }: Pick<ExecutionDeps, "looks">,
	{ transaction: { chainId } }: HandOver,
	at: Date,
): Date {
	const isSearchedFor = looks.followed.has(chainId);
	const waitMs = isSearchedFor ? FIRST_LOOK_BEHIND_HEADS_MS : FIRST_LOOK_AFTER_MS;
	return new Date(at.getTime() + waitMs);
}

/** What became of a cancellation moves its intent only once it is mined, by what is looked up. */
async function recordSelfTransfer(deps: ExecutionDeps, { given, outcome }: Given): Promise<void> {
	const { submissionId, profileId } = given;
	const at = new Date(deps.clock.nowMs());
	const lookAt = firstLookAt(deps, given, at);
	await deps.steps.run("commit.outcome", () =>
		deps.commits.together(profileId, async (tx) => {
			const sent = outcome.kind === "sent" ? { submissionId, at, lookAt, ...outcome } : null;
			if (sent && (await recordSent(tx, sent)).isWritten) return;
			const state = outcome.kind === "refused" ? "never" : "doubtful";
			await tx.execute(
				"update wallets.submission set state = $2 where id = $1 and state = 'sending'",
				[submissionId, state],
			);
		}),
	);
}

/**
 * It was in doubt already, and is found. Between the two transactions its receipt may have been
 * read: then the submission stands elsewhere, and what was made of it is the last word.
 */
async function recordFound(
	tx: Tx,
	{ submissionId, intentId, at }: { submissionId: string; intentId: string; at: Date },
): Promise<void> {
	const open = await tx.query(
		"select from wallets.submission where id = $1 and state = 'sent' for update",
		[submissionId],
	);
	if (open.length > 0) await moveIntent(tx, { intentId, event: "found", at });
}

/**
 * Who said that it sent, and named a hash that is not this one's, signed something all the same:
 * its silence proves nothing any more. So it stays in doubt until its nonce is used.
 */
const SAID_SENT_MS = 100 * 365 * 86_400_000;

/** Also where it was said to be sent: by a hash that another stands by nobody can say so. */
async function recordNotSent(tx: Tx, { given, outcome, at }: Given & { at: Date }): Promise<void> {
	const { submissionId, intentId } = given;
	const state = outcome.kind === "refused" ? "never" : "doubtful";
	const written = await tx.execute(
		`update wallets.submission set state = $2, valid_until = coalesce($3, valid_until)
		where id = $1 and state = 'sending'`,
		[submissionId, state, outcome.kind === "sent" ? new Date(at.getTime() + SAID_SENT_MS) : null],
	);
	if (written === 0) return;
	if (outcome.kind !== "refused") {
		const detail = outcome.kind === "unknown" ? outcome.detail : "the hash stands for another";
		await moveIntent(tx, { intentId, event: "doubt", at, detail });
		return;
	}
	const { code: errorCode, detail } = outcome;
	await moveIntent(tx, { intentId, event: "refused", at, errorCode, detail });
	await followSpend(tx, { intentId, move: "release", at });
}
