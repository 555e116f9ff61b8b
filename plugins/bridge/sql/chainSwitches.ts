import type { Queryable, Tx } from "#core/db/Database.ts";

/** Chains that an operator took out. */
export async function readChainsOff(db: Queryable): Promise<ReadonlySet<number>> {
	const rows = await db.query<{ id: number }>(
		"select chain_id as id from bridge.chain_switch where not is_on",
	);
	return new Set(rows.map(({ id }) => id));
}

/** Takes a chain out, or back in; answers what stood there before. */
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
