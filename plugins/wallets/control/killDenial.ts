import type { Tx } from "#core/db/Database.ts";
import type { Denial, Intent } from "#plugins/wallets/contract.ts";
import { readKill } from "#plugins/wallets/control/readKill.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";

/** What an operator switched off. */
export async function killDenial(
	world: ExecutionWorld,
	tx: Tx,
	intent: Intent,
): Promise<Denial | null> {
	const { chainId, walletId, kind } = intent;
	const plugin = world.kindOf(kind)?.plugin ?? kind;
	const killed = await readKill(tx, { chainId, plugin, walletId });
	return killed === null
		? null
		: { code: "trading_disabled", detail: "An operator has switched this off for now." };
}
