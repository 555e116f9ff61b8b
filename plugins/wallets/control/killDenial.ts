import type { Tx } from "#core/db/Database.ts";
import type { Denial, Intent } from "#plugins/wallets/contract.ts";
import {
	type KillScope,
	type KindOf,
	killScopeOf,
	killSql,
	switchedOff,
} from "#plugins/wallets/control/killSql.ts";
import { lockSwitches } from "#plugins/wallets/control/lockSwitches.ts";

/** Says whether an operator switched off what an intent needs; null: nobody did. */
export async function killDenial(
	deps: { kindOf: KindOf },
	tx: Tx,
	intent: Intent,
): Promise<Denial | null> {
	const killed = await readKill(tx, killScopeOf(deps, intent));
	return killed === null ? null : switchedOff;
}

/** Reads the switch that forbids sending; null: none. In the transaction that reserves. */
export async function readKill(tx: Tx, scope: KillScope): Promise<string | null> {
	const locked = lockSwitches(tx, "sender");
	// Sent together, run one after the other: it reads what stands once the lock is held.
	const reading = tx.query<{ key: string }>(killSql.read("$1"), [killSql.keysOf(scope)]);
	const [, rows] = await Promise.all([locked, reading]);
	return rows[0]?.key ?? null;
}
