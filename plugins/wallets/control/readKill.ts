import type { Tx } from "#core/db/Database.ts";
import { lockSwitches } from "#plugins/wallets/control/lockSwitches.ts";

/** What an operator can switch off, from the whole to one wallet. */
export type KillScope = { chainId: number; plugin: string; walletId: string | null };

/** The switch that forbids sending, or null. Asked inside the transaction that reserves. */
export async function readKill(tx: Tx, scope: KillScope): Promise<string | null> {
	await lockSwitches(tx, "sender");
	const rows = await tx.query<{ key: string }>(
		"select key from wallets.control where key = any($1) and value = 'true' order by key limit 1",
		[
			[
				"kill:all",
				`kill:chain:${scope.chainId}`,
				`kill:plugin:${scope.plugin}`,
				...(scope.walletId === null ? [] : [`kill:wallet:${scope.walletId}`]),
			],
		],
	);
	return rows[0]?.key ?? null;
}
