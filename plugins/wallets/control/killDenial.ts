import type { Tx } from "#core/db/Database.ts";
import type { Denial, Intent } from "#plugins/wallets/contract.ts";
import { type KindOf, killScopeOf } from "#plugins/wallets/control/killScopeOf.ts";
import { readKill } from "#plugins/wallets/control/readKill.ts";
import { switchedOff } from "#plugins/wallets/control/switchedOff.ts";

/** What an operator switched off. */
export async function killDenial(
	deps: { kindOf: KindOf },
	tx: Tx,
	intent: Intent,
): Promise<Denial | null> {
	const killed = await readKill(tx, killScopeOf(deps, intent));
	return killed === null ? null : switchedOff;
}
