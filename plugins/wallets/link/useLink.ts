import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { readBack } from "#core/db/readBack.ts";
import { Fault } from "#core/fault/Fault.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { recordCancellation } from "#plugins/wallets/cancel/recordCancellation.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { recordSigned } from "#plugins/wallets/execution/recordSigned.ts";
import { confirmIntent } from "#plugins/wallets/intent/confirmIntent.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import type { LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import { CONFIRM_TIMEOUT_MS } from "#plugins/wallets/link/limits.ts";
import { readLinked } from "#plugins/wallets/link/readLinked.ts";

/** What somebody answers to the question of a link. */
export type LinkAnswer = { planHash: Hex } | { transactionHash: Hex };

/**
 * Uses a link: says yes to what it showed, or tells the transaction that was signed. The link is
 * used up in the transaction that writes the answer down, so neither is there without the other;
 * an answer that does not fit leaves it as it was. So does a yes of somebody who is signed in as
 * another profile (`by`); who is not signed in may answer, as the link itself is the proof.
 */
export async function useLink(
	context: LinkContext,
	{ token, answer, by }: { token: string; answer: LinkAnswer; by: string | null },
): Promise<Intent[]> {
	const { deps, execution } = context;
	const ids = await deps.steps.run("commit.owner", () =>
		deps.db.transaction((tx) => write(context, tx, { token, answer, by })),
	);
	if ("planHash" in answer) await goOn(deps, { execution, ids, ending: context.ending });
	return readBack(() => readIntents(deps.db, ids));
}

async function write(
	{ deps, links }: LinkContext,
	tx: Tx,
	{ token, answer, by }: { token: string; answer: LinkAnswer; by: string | null },
): Promise<string[]> {
	const link = await links.use(tx, token);
	await lockBatch(tx, link.intentId);
	const intents = await readLinked(tx, link, { mayHaveExpired: link.purpose !== "confirm" });
	if (link.purpose === "confirm") {
		if (!("planHash" in answer)) throw wrongAnswer("planHash");
		if (answer.planHash !== link.planHash) throw executionFault.planChanged();
		// Whoever is signed in as somebody else is not its owner, whatever they were sent.
		if (by !== null && intents.some(({ profileId }) => profileId !== by))
			throw linkFault.notFound();
		await approveAll(deps, tx, intents);
	} else {
		if (!("transactionHash" in answer)) throw wrongAnswer("transactionHash");
		const { transactionHash } = answer;
		const { terms } = link;
		for (const intent of intents) {
			if (terms) await recordCancellation(deps, tx, { intent, terms, transactionHash });
			else await recordSigned(deps, tx, { intent, transactionHash });
		}
	}
	return intents.map(({ id }) => id);
}

/** Before anything of them is read: what is agreed to must still be what stands there. */
async function lockBatch(tx: Tx, intentId: string): Promise<void> {
	await tx.query(
		`select 1 from wallets.intent
		where id = $1 or batch_id = (select batch_id from wallets.intent where id = $1)
		order by id for update`,
		[intentId],
	);
}

/** All of a batch or none: whoever was called off meanwhile was part of what was agreed to. */
async function approveAll(deps: ExecutionDeps, tx: Tx, intents: readonly Intent[]): Promise<void> {
	const nowMs = deps.clock.nowMs();
	// One order for all who lock intents of one batch.
	for (const intentId of intents.map(({ id }) => id).sort()) {
		const moved = await confirmIntent(tx, { intentId, by: "owner", at: new Date(nowMs) });
		if (moved === null) throw linkFault.notFound();
	}
	if (intents.some(({ expiresAtMs }) => expiresAtMs <= nowMs)) throw linkFault.notFound();
}

/** Takes further what was agreed to. Where it cannot go on now, the jobs take it up later. */
async function goOn(
	deps: ExecutionDeps,
	given: { execution: LinkContext["execution"]; ids: readonly string[]; ending: AbortSignal },
): Promise<void> {
	const signal = AbortSignal.any([given.ending, AbortSignal.timeout(CONFIRM_TIMEOUT_MS)]);
	try {
		await given.execution.advance(given.ids, signal);
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		deps.log[level]("a confirmed intent could not be taken further now", { error });
	}
}

function wrongAnswer(path: string): Fault {
	const message = `This link takes ${path}.`;
	return httpFault.validationError({ public: message, members: { issues: [{ path, message }] } });
}
