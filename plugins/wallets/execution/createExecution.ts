import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Execution, Intent, IntentKind, NewIntent } from "#plugins/wallets/contract.ts";
import { advanceBatch } from "#plugins/wallets/execution/advanceBatch.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { BATCH_MAX, INTENT_LIFETIME_MS } from "#plugins/wallets/execution/limits.ts";
import { recordSigned } from "#plugins/wallets/execution/recordSigned.ts";
import { insertIntents } from "#plugins/wallets/intent/insertIntents.ts";
import { listIntents } from "#plugins/wallets/intent/listIntents.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";
import { readTogether } from "#plugins/wallets/intent/readTogether.ts";

/** The one path that money leaves by, over its world. Kinds are registered beside it. */
export function createExecution(
	world: ExecutionWorld,
	register: (kind: IntentKind<unknown>) => void,
): Execution {
	const only = async (id: string): Promise<Intent> => {
		const [intent] = await readIntents(world.db, [id]);
		if (!intent) throw executionFault.notFound();
		return intent;
	};
	const change = async (
		intentId: string,
		act: (tx: Tx, intent: Intent) => Promise<unknown>,
	): Promise<Intent> => {
		await world.steps.run("commit.owner", () =>
			world.db.transaction(async (tx) => {
				await tx.query("select 1 from wallets.intent where id = $1 for update", [intentId]);
				const [intent] = await readIntents(tx, [intentId]);
				if (!intent) throw executionFault.notFound();
				await act(tx, intent);
			}),
		);
		return only(intentId);
	};
	return {
		register: (kind) => register(kind),
		create: (tx, intents) => create(world, tx, intents),
		async advance(intentIds, signal, created = null) {
			const known = created ?? (await readTogether(world.db, intentIds));
			for (const intents of batchesOf(known)) {
				if (intents.every(({ status }) => status === "created")) {
					await advanceBatch(world, { intents, signal });
				}
			}
			return readIntents(world.db, intentIds);
		},
		async approve(intentId, planHash) {
			const at = new Date(world.clock.nowMs());
			return change(intentId, async (tx, intent) => {
				if (intent.planHash !== planHash) throw executionFault.planChanged();
				if (intent.expiresAtMs <= at.getTime()) throw executionFault.intentState();
				const moved = await moveIntent(tx, { intentId, event: "approve", at });
				if (moved === null) throw executionFault.intentState();
			});
		},
		signed: (intentId, transactionHash) =>
			change(intentId, (tx, intent) => recordSigned(world, tx, { intent, transactionHash })),
		async cancel(intentId) {
			const at = new Date(world.clock.nowMs());
			return change(intentId, async (tx) => {
				const gone = { intentId, event: "deny", at, errorCode: "cancelled" } as const;
				if ((await moveIntent(tx, gone)) === null) throw executionFault.intentState();
			});
		},
		async read(intentId, profileId) {
			const [intent] = await readIntents(world.db, [intentId]);
			return intent?.profileId === profileId ? intent : null;
		},
		rpcOf: (chainId) => world.rpcOf(chainId),
		list: (profileId, page) => listIntents(world.db, { profileId, ...page }),
	};
}

async function create(
	world: ExecutionWorld,
	tx: Tx,
	intents: readonly NewIntent[],
): Promise<Intent[]> {
	assert(intents.length > 0 && intents.length <= BATCH_MAX, "a batch has 1 to 50 intents");
	const nowMs = world.clock.nowMs();
	const { isDryRun, limits } = world.settings;
	const settings = {
		isDryRun,
		perTradeUsdMicros: String(limits.perTradeUsdMicros),
		walletNotionalUsdMicros: String(limits.walletNotionalUsdMicros),
		dailyUsdMicros: String(limits.dailyUsdMicros),
	};
	const made = intents.map((intent) => {
		const { revision, requireTradeConfirmation } = intent.profile;
		const own = { ...settings, revision, requireTradeConfirmation };
		return { ...intent, id: world.newId(), settings: own };
	});
	const at = new Date(nowMs);
	return insertIntents(tx, made, { at, expiresAt: new Date(nowMs + INTENT_LIFETIME_MS) });
}

function batchesOf(intents: readonly Intent[]): Intent[][] {
	return [...Map.groupBy(intents, ({ batchId, id }) => batchId ?? id).values()];
}
