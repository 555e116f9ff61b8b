// Takes the answer to a one-time link, once.

import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { readBack } from "#core/db/migrate.ts";
import { Fault } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { cancelIntent, recordCancellation } from "#plugins/wallets/cancel/cancelIntent.ts";
import { planCancellation } from "#plugins/wallets/cancel/planCancellation.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { recordSigned } from "#plugins/wallets/execution/handOver.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { confirmIntent } from "#plugins/wallets/intent/Intent.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import {
	CONFIRM_TIMEOUT_MS,
	type LinkContext,
	type Links,
	linkFault,
	type MadeLink,
} from "#plugins/wallets/link/createLinks.ts";
import { readLinked } from "#plugins/wallets/link/readLinked.ts";
import type { Intent, Profile } from "#plugins/wallets/model.ts";
import { readPayment } from "#plugins/wallets/submission/submission.ts";

/** Holds an answer to a link: an approval (`planHash`) or a sent transaction. */
export type LinkAnswer = { planHash: Hex } | { transactionHash: Hex };

type Asked = {
	intentId: string;
	/** The owner, with their current wallets. */
	profile: Profile;
	signal: AbortSignal;
};

/**
 * Uses a link: approves what it showed, or reports the sent transaction. The link is used up in the
 * transaction that writes the answer, so neither exists without the other; an answer that does not
 * fit leaves it open. So does an approval while signed in as another profile (`by`); without a
 * session one may answer, as the link itself is the proof.
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

/**
 * Cancels an intent for its owner. Where only their own wallet can, nothing is done yet: they get a
 * link by which it signs the cancellation.
 */
export async function cancelForOwner(
	deps: ExecutionDeps,
	links: Pick<Links, "makeCancel">,
	{ intentId, profile, signal }: Asked,
): Promise<{ intent: Intent; cancelUrl: string | null }> {
	const link = await linkToCancel(deps, links, { intentId, profile, signal });
	if (!link) {
		const by = { actor: `profile:${profile.id}`, signal };
		return { intent: await cancelIntent(deps, { intentId, ...by }), cancelUrl: null };
	}
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	return { intent, cancelUrl: link.url };
}

/**
 * Makes a link by which its owner cancels a payment with their own wallet. Null where nothing was
 * sent, and where the service sends for the wallet: it cancels by itself then.
 *
 * A wallet that the service sent for, and may not send for any more, has no other way either.
 */
export async function linkToCancel(
	deps: ExecutionDeps,
	links: Pick<Links, "makeCancel">,
	{ intentId, profile, signal }: Asked,
): Promise<MadeLink | null> {
	const payment = await readPayment(deps.db, intentId);
	if (!payment || payment.state === "queued" || payment.state === "sending") return null;
	const wallet = profile.wallets.find(({ id }) => id === payment.walletId);
	const isOurs = payment.nonce !== null && wallet?.capability === "embedded/delegated";
	if (isOurs) return null;
	return await links.makeCancel(await planCancellation(deps, { payment, signal }));
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

/** Locks the batch before it is read: what is agreed to must still be what is stored. */
async function lockBatch(tx: Tx, intentId: string): Promise<void> {
	await tx.query(
		`select 1 from wallets.intent
		where id = $1 or batch_id = (select batch_id from wallets.intent where id = $1)
		order by id for update`,
		[intentId],
	);
}

function wrongAnswer(path: string): Fault {
	const message = `This link takes ${path}.`;
	return httpFault.validationError({ public: message, members: { issues: [{ path, message }] } });
}

/** Approves all of a batch or none: what was cancelled meanwhile was part of what was agreed to. */
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
