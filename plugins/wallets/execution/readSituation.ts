import type { Tx } from "#core/db/Database.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Denial, Profile } from "#plugins/wallets/contract.ts";
import { killDenial } from "#plugins/wallets/control/killDenial.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { DAY_MS } from "#plugins/wallets/execution/limits.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/PlannedIntent.ts";
import { knowRecipient } from "#plugins/wallets/spend/knowRecipient.ts";
import { readSpentToday } from "#plugins/wallets/spend/readSpentToday.ts";
import type { NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";
import { readNonceQueue } from "#plugins/wallets/submission/readNonceQueue.ts";

/** What a batch is decided by, all of it read under the lock of the profile's row. */
export type Situation = {
	profile: Profile | null;
	isStillCreated: boolean;
	/** What an operator switched off. */
	killed: Denial | null;
	/** Microdollars of the last 24 hours. */
	spentToday: bigint;
	queue: NonceQueue;
	/** For how long the profile knows each recipient; null where there is none. */
	known: readonly (number | null)[];
};

/**
 * Takes the locks that a decision needs and reads under them. All statements are sent together and
 * run in this order, each with a snapshot of its own: one round trip.
 *
 * The profile's row is held as one that is written and not as one that goes away: rows that name it
 * are written meanwhile.
 */
export async function readSituation(
	world: ExecutionWorld,
	tx: Tx,
	{ planned, account, at }: { planned: readonly PlannedIntent[]; account: AccountState; at: Date },
): Promise<Situation | null> {
	const [first] = planned;
	if (!first) return null;
	const { profileId } = first.intent;
	const since = new Date(at.getTime() - DAY_MS);
	const [, profile, isStillCreated, killed, spentToday, queue, known] = await Promise.all([
		tx.query("select 1 from wallets.profile where id = $1 for no key update", [profileId]),
		world.profileOf(tx, profileId),
		areStillCreated(tx, planned),
		killDenial(world, tx, first.intent),
		readSpentToday(tx, { profileId, since }),
		readNonceQueue(tx, first.plan, account),
		// Whatever is decided: what denies one of a batch must not keep the others unknown.
		Promise.all(
			planned.map(({ plan: { recipient } }) => {
				return recipient && knowRecipient(tx, { profileId, recipient, at });
			}),
		),
	]);
	return { profile, isStillCreated, killed, spentToday, queue, known };
}

/** Locks the intents, so that nobody moves one of them before the batch is decided. */
async function areStillCreated(tx: Tx, planned: readonly PlannedIntent[]): Promise<boolean> {
	const ids = planned.map(({ intent }) => intent.id);
	const [only = ""] = ids;
	// A list is planned at each call, one id once for a connection.
	const [which, value] = ids.length === 1 ? ["= $1", only] : ["= any($1)", ids];
	const rows = await tx.query<{ status: string }>(
		`select status from wallets.intent where id ${which} order by id for no key update`,
		[value],
	);
	return rows.length === planned.length && rows.every(({ status }) => status === "created");
}
