import { z } from "zod";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { TradingSetting } from "#plugins/wallets/contract.ts";

/** What there is to switch off. */
export type Killable = {
	chains: Pick<ChainRegistry, "byId">;
	/** Asked for each time: plugins register what they send while they are set up. */
	plugins(): Iterable<string>;
};

const schema = z.boolean();

/**
 * The switches that hold money back, from all of it to one wallet's. `readKill` reads them.
 *
 * A switch for what does not exist is refused: who mistypes a name on a bad day would believe that
 * it is off.
 */
export function killSettings({ chains, plugins }: Killable): TradingSetting[] {
	return [
		{
			shown: "kill:all",
			key: /^kill:all$/,
			schema,
			description: "Nothing is sent for anybody. What was not sent yet can still be called off.",
		},
		{
			shown: "kill:chain:<id>",
			key: /^kill:chain:([1-9]\d{0,15})$/,
			schema,
			description: "Nothing is sent on that chain, by its number.",
			async flaw(_db, id) {
				return chains.byId(Number(id)) ? null : `No chain has the id ${id}.`;
			},
		},
		{
			shown: "kill:plugin:<name>",
			key: /^kill:plugin:([a-z][a-z0-9-]{0,63})$/,
			schema,
			description: "Nothing is sent that the plugin of that name asks for.",
			async flaw(_db, name) {
				const known = [...new Set(plugins())].sort();
				if (known.includes(name)) return null;
				return `No plugin called ${name} sends anything. There are: ${known.join(", ") || "none"}.`;
			},
		},
		{
			shown: "kill:wallet:<id>",
			key: /^kill:wallet:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
			schema,
			description: "Nothing is sent from that wallet, by the id it has here.",
			flaw: walletFlaw,
		},
	];
}

async function walletFlaw(db: Queryable, id: string): Promise<string | null> {
	const rows = await db.query("select 1 from wallets.wallet where id = $1", [id]);
	return rows.length > 0 ? null : `No wallet has the id ${id}.`;
}
