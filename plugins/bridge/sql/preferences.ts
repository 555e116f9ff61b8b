import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** What a profile wants on a chain: who gets what arrives, and who gets what comes back. */
export type Preference = {
	chainId: number;
	recipient: Address | null;
	refundTo: Address | null;
	changedAt: Date;
};

/** A profile's preferences, by chain. There are as many as chains at most. */
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

/** Deletes a preference; none is none. */
export async function deletePreference(
	db: Queryable,
	{ profileId, chainId }: { profileId: string; chainId: number },
): Promise<void> {
	await db.execute("delete from bridge.preference where profile_id = $1 and chain_id = $2", [
		...[profileId, chainId],
	]);
}
