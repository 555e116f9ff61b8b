// Takes an idempotency key, and records the intents of its request with it.

import type { Tx } from "#core/db/Database.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import {
	type IntentTimes,
	type IntentToInsert,
	newIntentRows,
} from "#plugins/wallets/intent/intentRow.ts";
import { type QuotaCharge, quotaSql } from "#plugins/wallets/quota.ts";
import type { OnceRequest } from "#plugins/wallets/Wallets.ts";

export type Release = ReturnType<typeof createRelease>;

export type KeyToTake = {
	profileId: string;
	route: string;
	key: string;
	bodyHash: Uint8Array;
	holder: string;
	session: string;
	/** The plugin's own row that goes with the key; null where there is none. */
	recordId: string | null;
};

/**
 * Says how recording went. `over_quota`: the key is free, and its owner's quota does not allow the
 * intents.
 */
export type OnceRecord = "recorded" | "key_taken" | "over_quota";

type Named = Pick<OnceRequest, "principal" | "route" | "idempotencyKey">;
type Taken = { profileId: string; route: string; key: string };

/** Keys that are still to be given back; beyond it they run out by their age. */
const OWED_MAX = 10_000;

/**
 * Takes a key, charges its owner's quota and records its intents, in one statement: never one
 * without the others. Where the key is taken already nothing is written, or charged. A second
 * request waits in here for the first one's transaction.
 */
export async function recordOnce(
	tx: Tx,
	key: KeyToTake,
	given: { made: { intents: readonly IntentToInsert[]; times: IntentTimes }; charge: QuotaCharge },
): Promise<OnceRecord> {
	const { made, charge } = given;
	const [row] = await tx.query<{ fresh: boolean; charged: boolean; recorded: boolean }>(
		`with fresh as (
			select 1 where not exists (
				select from wallets.idempotent_answer where profile_id = $13 and route = $14 and key = $15
			)
		), charged as (
			${quotaSql.charge({ first: 19, from: "from fresh" })}
		), taken as (
			insert into wallets.idempotent_answer
				(intent_ids, created_at, profile_id, route, key, body_hash, holder, session, record_id)
			select $1::uuid[], $10::timestamptz, $13::uuid, $14::text, $15::text, $16::bytea, $17::text,
				$18::text, $24::uuid
			from charged on conflict do nothing returning key
		), made as (
			${newIntentRows.insert} where exists (select from taken) returning id
		)
		select exists (select from fresh) as fresh, exists (select from charged) as charged,
			exists (select from taken) as recorded`,
		[
			...newIntentRows.values(made.intents, made.times),
			key.profileId,
			key.route,
			key.key,
			key.bodyHash,
			key.holder,
			key.session,
			...quotaSql.values(charge),
			key.recordId,
		],
	);
	if (row?.recorded) return "recorded";
	return row?.fresh && !row.charged ? "over_quota" : "key_taken";
}

/**
 * Gives keys back. An answer that failed, or could not be written down, is nobody's: the next one
 * with the key goes on with the same intents.
 *
 * Where the database is away this fails too, and the row goes on to name a request that is long
 * gone. Such keys are remembered, and given back with the requests that follow, so that another
 * process need not wait until they are too old to be under way.
 */
export function createRelease(deps: Pick<ExecutionDeps, "db" | "session" | "steps">) {
	const owed = new Map<string, Taken>();

	function owe(taken: Taken): void {
		if (owed.size < OWED_MAX) owed.set(nameOf(taken), taken);
	}

	async function release(taken: Taken): Promise<void> {
		const { profileId, route, key } = taken;
		try {
			await deps.steps.run("commit.answer", () =>
				deps.db.execute(
					`update wallets.idempotent_answer set session = null
					where profile_id = $1 and route = $2 and key = $3 and session = $4 and status is null`,
					[profileId, route, key, deps.session],
				),
			);
		} catch {
			owe(taken);
		}
	}

	return {
		/** Frees the key of a request that failed; a request without a key has none. */
		async now(request: Named): Promise<void> {
			const taken = takenBy(request);
			if (taken) await release(taken);
		},
		/** Frees the key later where it may be taken or not: the commit's answer was lost. */
		later(request: Named): void {
			const taken = takenBy(request);
			if (taken) owe(taken);
		},
		/** Returns, once for a key, whether this process has freed it, whatever the row says. */
		claim(request: Named): boolean {
			const taken = takenBy(request);
			return taken !== null && owed.delete(nameOf(taken));
		},
		/** Frees the keys that could not be freed before. */
		async owed(): Promise<void> {
			for (const [name, taken] of [...owed]) {
				if (owed.delete(name)) await release(taken);
				// It is away still: whoever comes next tries again.
				if (owed.has(name)) return;
			}
		},
	};
}

function nameOf({ profileId, route, key }: Taken): string {
	return JSON.stringify([profileId, route, key]);
}

function takenBy({ principal, route, idempotencyKey: key }: Named): Taken | null {
	return key === null ? null : { profileId: principal.profile.id, route, key };
}
