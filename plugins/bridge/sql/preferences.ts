// Reads and writes preferences of profiles, and chains that operators took out.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

/** Holds a profile's addresses for a chain: one for what arrives, and one for refunds. */
export type Preference = {
	chainId: number;
	recipient: Address | null;
	refundTo: Address | null;
	changedAt: Date;
};

/** Reads the chains that an operator took out. */
export async function readChainsOff(db: Queryable): Promise<ReadonlySet<number>> {
	const rows = await db.query<{ id: number }>(
		"select chain_id as id from bridge.chain_switch where not is_on",
	);
	return new Set(rows.map(({ id }) => id));
}

/** Takes a chain out, or back in; returns what was set before, null for nothing. */
export async function switchChain(
	tx: Tx,
	change: { chainId: number; isOn: boolean; actor: string; at: Date },
): Promise<boolean | null> {
	const { chainId, isOn, actor, at } = change;
	const [before] = await tx.query<{ isOn: boolean }>(
		'select is_on as "isOn" from bridge.chain_switch where chain_id = $1 for update',
		[chainId],
	);
	await tx.execute(
		`insert into bridge.chain_switch (chain_id, is_on, changed_by, changed_at)
		values ($1, $2, $3, $4)
		on conflict (chain_id) do update set is_on = excluded.is_on,
			changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
		[chainId, isOn, actor, at],
	);
	return before?.isOn ?? null;
}

/** Reads a profile's preferences by chain: at most one each. */
export async function readPreferences(
	db: Queryable,
	profileId: string,
): Promise<Map<number, Preference>> {
	const rows = await db.query<Preference>(
		`select chain_id as "chainId", '0x' || encode(recipient, 'hex') as recipient,
			'0x' || encode(refund_to, 'hex') as "refundTo", changed_at as "changedAt"
		from bridge.preference where profile_id = $1`,
		[profileId],
	);
	return new Map(rows.map((row) => [row.chainId, row]));
}

/** Stores a preference in place of the one before. */
export async function putPreference(
	db: Queryable,
	{ profileId, ...preference }: Preference & { profileId: string },
): Promise<void> {
	const { chainId, recipient, refundTo, changedAt } = preference;
	await db.execute(
		`insert into bridge.preference (profile_id, chain_id, recipient, refund_to, changed_at)
		values ($1, $2, $3, $4, $5)
		on conflict (profile_id, chain_id) do update set recipient = excluded.recipient,
			refund_to = excluded.refund_to, changed_at = excluded.changed_at`,
		[
			...[profileId, chainId, recipient === null ? null : bytesOf(recipient)],
			...[refundTo === null ? null : bytesOf(refundTo), changedAt],
		],
	);
}

/** Deletes a preference; does nothing where there is none. */
export async function deletePreference(
	db: Queryable,
	{ profileId, chainId }: { profileId: string; chainId: number },
): Promise<void> {
	await db.execute("delete from bridge.preference where profile_id = $1 and chain_id = $2", [
		...[profileId, chainId],
	]);
}
