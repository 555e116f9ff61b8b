import type { Tx } from "#core/db/Database.ts";
import { lockSwitches } from "#plugins/wallets/control/lockSwitches.ts";

/** What an operator can switch off, from the whole to one wallet. */
export type KillScope = { chainId: number; plugin: string; walletId: string | null };

/** The switch that forbids sending, or null. Asked inside the transaction that reserves. */
export async function readKill(tx: Tx, scope: KillScope): Promise<string | null> {
	const locked = lockSwitches(tx, "sender");
	// Sent together, run one after the other: it reads what stands once the lock is held.
	const reading = tx.query<{ key: string }>(
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
	const [, rows] = await Promise.all([locked, reading]);
	return rows[0]?.key ?? null;
}
