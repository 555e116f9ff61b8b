import type { Queryable, Tx } from "#core/db/Database.ts";
import { readBack } from "#core/db/readBack.ts";
import { assert } from "#core/fault/assert.ts";
import { quarantineFault } from "#core/quarantine/faults.ts";
import { cancelIntent } from "#plugins/wallets/cancel/cancelIntent.ts";
import type { Execution, Intent, IntentKind, NewIntent } from "#plugins/wallets/contract.ts";
import { advanceBatch } from "#plugins/wallets/execution/advanceBatch.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { askingOf } from "#plugins/wallets/execution/linkedSteps.ts";
import { readyIntents } from "#plugins/wallets/execution/readyIntents.ts";
import { recordSigned } from "#plugins/wallets/execution/recordSigned.ts";
import { readSignature } from "#plugins/wallets/execution/storeSignature.ts";
import { confirmIntent } from "#plugins/wallets/intent/confirmIntent.ts";
import { readIntents, readTogether } from "#plugins/wallets/intent/intentRow.ts";
import { listIntents } from "#plugins/wallets/intent/listIntents.ts";
import { insertIntents } from "#plugins/wallets/intent/newIntentRows.ts";
import { chargeFor, quotaRefusal } from "#plugins/wallets/quota/quotaSql.ts";
import { readHeld } from "#plugins/wallets/spend/readHeld.ts";

/** The one path that money leaves by. Kinds are registered beside it. */
export function createExecution(
	deps: ExecutionDeps,
	register: (kind: IntentKind<unknown>) => void,
): Execution {
	const only = async (id: string): Promise<Intent> => {
		const [intent] = await readIntents(deps.db, [id]);
		if (!intent) throw executionFault.notFound();
		return intent;
	};
	const change = async (
		intentId: string,
		act: (tx: Tx, intent: Intent) => Promise<unknown>,
	): Promise<Intent> => {
		await deps.steps.run("commit.owner", () =>
			deps.db.transaction(async (tx) => {
				await tx.query("select 1 from wallets.intent where id = $1 for no key update", [intentId]);
				const [intent] = await readIntents(tx, [intentId]);
				if (!intent) throw executionFault.notFound();
				await act(tx, intent);
			}),
		);
		return readBack(() => only(intentId));
	};
	return {
		register: (kind) => register(kind),
		create: (tx, intents) => create(deps, tx, intents),
		async advance(intentIds, signal, recorded = null) {
			const known = recorded?.intents ?? (await readTogether(deps.db, intentIds));
			const profile = recorded?.profile;
			let sent: Intent | null = null;
			for (const intents of batchesOf(known)) {
				if (intents.every(({ status }) => status === "created")) {
					sent = await advanceBatch(deps, { intents, profile, signal });
				}
			}
			const isAll = intentIds.length === 1 && intentIds[0] === sent?.id;
			return sent && isAll ? [sent] : readIntents(deps.db, intentIds);
		},
		async approve(intentId, planHash) {
			const at = new Date(deps.clock.nowMs());
			return change(intentId, async (tx, intent) => {
				if (intent.planHash !== planHash) throw executionFault.planChanged();
				if (intent.expiresAtMs <= at.getTime()) throw executionFault.intentState();
				const moved = await confirmIntent(tx, { intentId, by: "owner", at });
				if (moved === null) throw executionFault.intentState();
			});
		},
		signed: (intentId, transactionHash, early) =>
			change(intentId, (tx, intent) => recordSigned(deps, tx, { intent, transactionHash, early })),
		cancel: (intentId, by) => cancelIntent(deps, { intentId, ...by }),
		async read(intentId, profileId) {
			const [intent] = await readIntents(deps.db, [intentId]);
			if (!intent) await refuseUnreadable(deps.db, { intentId, profileId });
			return intent?.profileId === profileId ? intent : null;
		},
		signatureOf: (intentId) => readSignature(deps.db, intentId),
		asking: (intent) => askingOf(deps.db, intent),
		held: (tx, intentIds) => readHeld(tx, intentIds),
		list: (profileId, page) => listIntents(deps.db, { profileId, ...page }),
	};
}

/** Its owner is not told that there is no such intent where only its row cannot be read. */
async function refuseUnreadable(
	db: Queryable,
	{ intentId, profileId }: { intentId: string; profileId: string },
): Promise<void> {
	const rows = await db.query("select 1 from wallets.intent where id = $1 and profile_id = $2", [
		intentId,
		profileId,
	]);
	if (rows.length > 0) throw quarantineFault.rowUnreadable({ detail: intentId });
}

async function create(deps: ExecutionDeps, tx: Tx, given: readonly NewIntent[]): Promise<Intent[]> {
	const made = readyIntents(deps, given);
	const profileId = given[0]?.profile.id;
	assert(profileId !== undefined, "at least one intent is made");
	const charge = chargeFor(deps, { ...made, profileId });
	const recorded = await insertIntents(tx, made, charge);
	if (!recorded) throw await quotaRefusal(tx, charge);
	return recorded;
}

function batchesOf(intents: readonly Intent[]): Intent[][] {
	return [...Map.groupBy(intents, ({ batchId, id }) => batchId ?? id).values()];
}
